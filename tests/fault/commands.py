"""The commands that change something, for sweep.py: with a system call that
fails a command did the whole thing or nothing, what lies on disk is valid, and
where it failed it said so; and nothing half written is left behind.  A signal
does not keep one from finishing, unless there is no time for it."""
import base64
import json
import signal as signals

import cli
import harness
from harness import check, equal

CLIENTS = [("py", "0" * 64), ("other", "1" * 64)]
KEY = base64.b64encode(bytes(range(2, 34))).decode()
FILES = {"trust.json", "policy.json", "policy-history.json", "host_key.json",
         "lang.json", "audit.log", "audit.log.1", "audit.log.lock",
         "records.mutex"}
MANIFEST = "com.vivswan.genkan.host.json"


def value(w, name):
    """The record, None without one; it must read."""
    path = w.state / name
    return json.loads(path.read_text()) if path.exists() else None


class State:
    """What the records and the registration say."""

    def __init__(self, w):
        trust = value(w, "trust.json") or {}
        self.clients = sorted(c["name"] for c in trust.get("clients") or [])
        self.killed = trust.get("killed")
        self.enrolled = trust.get("enrollments")
        self.key = (value(w, "host_key.json") or {}).get("scalar")
        policy = value(w, "policy.json") or {}
        self.policy = policy
        self.doc = json.loads(base64.b64decode(
            policy.get("baseline_b64", "bnVsbA==")))
        ring = value(w, "policy-history.json") or {"entries": []}
        self.history = ring["entries"]
        self.lang = (value(w, "lang.json") or {}).get("value")
        self.files = {str(p.relative_to(w.home)): p.read_bytes()
                      for top in (".config", ".local/share")
                      for p in sorted((w.home / top).rglob("*"))
                      if p.is_file()}

    def __eq__(self, other):
        return vars(self) == vars(other)

    def but(self, other):
        """Which of it differs."""
        return sorted(k for k, v in vars(self).items()
                      if v != vars(other)[k])


def prepared(w):
    w.trust(CLIENTS)


def killed(w):
    w.trust(CLIENTS, killed=True)


def enrolled(w):
    w.trust(CLIENTS)
    rec = value(w, "trust.json")
    rec["enrollments"] = [{"label": "brave", "credential": {
        "id": "A" * 22, "public_key": "B" + "A" * 86, "sign_count": 7,
        "backup_eligible": True}}]
    w.record("trust.json", rec)


def keyed(w):
    w.trust(CLIENTS)
    w.record("host_key.json", {"version": 0, "scalar": KEY})


def governed(w):
    """Two revisions, made by the command itself."""
    keyed(w)
    for flag in ("--cdp-mode", "--page-eval"):
        equal(cli.answer(w, "policy", "set", flag, "on").status, 0)


def full_trail(w):
    w.trust(CLIENTS)
    line = json.dumps({"v": 1, "ts_ms": 1, "kind": "kill", "surface": "cli",
                       "outcome": "ok"}) + "\n"
    w.record("audit.log", line * (262144 // len(line) + 1))


def browser(w):
    w.trust(CLIENTS)
    (w.home / ".config/chromium").mkdir(parents=True)


def registered(w):
    browser(w)
    got = cli.run(w, "doctor", "--fix", "--browser", "chromium")
    check((w.home / ".config/chromium/NativeMessagingHosts" /
           MANIFEST).exists(), got)


def manifests(s):
    return [name for name in s.files if name.endswith(MANIFEST)]


def of_parts(*parts):
    """Several records, one after the other: a failure leaves a part."""
    return lambda a, b: set(b.but(a)) <= set(parts)


def nothing(a, b):
    return a == b


def forbidden(got):
    """What one may not read is left alone, and that is said;
    what could not be read for another reason is a failure."""
    return "left alone, it cannot be read" in got.out and \
        "Permission denied" in got.out


def unkeyed(b, got):
    """What a policy that cannot be read is left as, and that is said."""
    return not b.policy or "policy.json" in got.err


def tightened(b):
    return b.policy.get("overlay") == {"pageEvalEnabled": False}


# name: arguments, how it is prepared, what the whole of it is, what a failure
# may leave; with a fifth, somebody at the terminal
COMMANDS = {
    "pair-client": (
        ["pair-client", "--name", "new", "--hash", "2" * 64], prepared,
        lambda b, a, got: b.clients == ["new", "other", "py"], nothing, "tty"),
    "revoke-client": (
        ["revoke-client", "--name", "py"], prepared,
        lambda b, a, got: b.clients == ["other"], nothing),
    "revoke": (
        ["revoke", "brave"], enrolled,
        lambda b, a, got: b.enrolled == [], nothing),
    "revoke-all": (
        ["revoke", "--all"], governed,
        lambda b, a, got: b.clients == [] and not b.key and unkeyed(b, got),
        of_parts("clients", "enrolled", "key", "policy", "doc", "history")),
    "unkill": (
        ["unkill"], killed,
        lambda b, a, got: b.killed is False, nothing, "tty"),
    "pair": (
        ["pair", "--file-store"], prepared,
        lambda b, a, got: b.key is not None, nothing, "tty"),
    "reset": (
        ["pair", "--reset", "--file-store"], governed,
        lambda b, a, got: b.key not in (None, a.key) and unkeyed(b, got),
        of_parts("clients", "enrolled", "key", "policy", "doc", "history"),
        "tty"),
    "set": (
        ["policy", "set", "--handle-dialog", "on"], governed,
        lambda b, a, got: b.doc["revision"] == 3 and
        b.doc["handleDialogEnabled"],
        nothing, "tty"),
    "restrict": (
        ["policy", "restrict", "--page-eval", "off"], governed,
        lambda b, a, got: tightened(b), nothing),
    "rollback": (
        ["policy", "rollback", "--revision", "1"], governed,
        lambda b, a, got: tightened(b), nothing),
    "lang": (
        ["lang", "set", "zh_TW"], prepared,
        lambda b, a, got: b.lang == "zh_TW", nothing),
    "rotate": (
        ["kill"], full_trail, lambda b, a, got: b.killed is True, nothing),
    "fix": (
        ["doctor", "--fix", "--browser", "chromium"], browser,
        lambda b, a, got: len(manifests(b)) == 1, of_parts("files")),
    "uninstall": (
        ["uninstall"], registered,
        lambda b, a, got: manifests(b) == [] or forbidden(got),
        of_parts("files")),
}

# They ask the credential store, whose library ends the process itself where it
# has no memory.
KEYSTORE = {"revoke-all", "pair", "reset", "set"}

# Where it costs the most; all of them with GENKAN_FAULTS.
QUICK = {
    "openat": ["EMFILE"], "read": ["short"],
    "write": ["ENOSPC", "short", "SIGINT"],
    "writev": ["ENOSPC"], "fchmod": ["EIO"], "fsync": ["EIO", "SIGTERM"],
    "renameat": ["ENOSPC", "SIGINT"], "unlinkat": ["EIO", "SIGTERM"],
    "flock": ["ENOLCK", "SIGINT"],
    "mkdirat": ["ENOSPC"], "fstatat": ["EIO"],
}


def typed(w, args, env):
    """At a terminal; whether it asks or ends, it gets its answer."""
    t = cli.Terminal(w, *args, env=env)
    while "go on: " not in t.seen and t.read(10 * harness.SLOW):
        pass
    try:
        t.type("allow\n")
    except OSError:
        pass
    return t.end(20)


def left_over(w, call):
    """Nothing but records; a file that could not be deleted stays."""
    names = {p.name for p in w.state.iterdir()} - FILES
    at = [p.name for p in w.home.rglob("*.tmp")]
    if call != "unlinkat":
        equal([sorted(names), at], [[], []], "left behind")


def trail(w):
    """How many records the audit trail has, of both generations."""
    return len(cli.audit(w, torn=True))


def run(w, fault, name):
    args, prepare, whole, part, *tty = COMMANDS[name]
    call, how, _ = fault["GENKAN_FAULT"].split(",")
    prepare(w)
    before, written = State(w), trail(w)
    got = typed(w, args, fault) if tty else cli.run(w, *args, env=fault)
    signal = getattr(signals, how, 0)
    check(got.status in (0, 1, 2, 3, -signal), got)
    check("Sanitizer" not in got.err and "runtime error" not in got.err, got)
    after = State(w)
    if signal and got.status == -signal:
        # Before it began; or there was no time to finish it.
        return after != before or any(w.home.rglob("*.tmp"))
    if got.status == 0:
        check(whole(after, before, got), "not done:", got, after.but(before))
    else:
        # But for the descriptors that words would go to.
        check(got.err or got.out or call == "open", "failed without a word")
        check(part(before, after) or whole(after, before, got),
              "a part is done:", after.but(before), got)
        check(how not in ("EINTR", "short") and not signal, "no failure:", got)
    left_over(w, call)
    check(trail(w) >= written, "the trail has lost", written - trail(w))
    # Whatever it left, the next one is not in its way.
    again = cli.run(w, "kill")
    equal([again.status, State(w).killed], [0, True], again)
    return False		# in one piece
