#!/usr/bin/env python3
"""The command line of genkan: arguments, doctor, registration, uninstall.

Drives the real program under a home and a runtime directory of its own.
Prints TAP.
"""
import hashlib
import json
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

SLOW = float(os.environ.get("GENKAN_SLOW", "1"))
BUILD = os.environ.get("GENKAN_BUILDDIR", os.getcwd())
PROGRAMS = ("genkan", "genkan-host", "genkan-server")
MANIFEST = "com.vivswan.genkan.host.json"
ORIGIN = "chrome-extension://fmkoengpgchbmogeaifdcdfpnnpgmcfl/"
MARK = "Genkan native messaging host (managed by genkan)"
KEYS = ["chrome", "chromium", "brave", "edge", "vivaldi", "opera"]
VENDOR = {"chrome": "google-chrome", "chromium": "chromium",
          "brave": "BraveSoftware/Brave-Browser", "edge": "microsoft-edge",
          "vivaldi": "vivaldi", "opera": "opera"}
SYSTEM = {"chrome": "/etc/opt/chrome", "chromium": "/etc/chromium",
          "brave": "/etc/opt/chrome", "edge": "/etc/opt/edge",
          "vivaldi": "/etc/vivaldi", "opera": "/etc/opt/chrome"}

tests = []


def test(f):
    tests.append(f)
    return f


class Box:
    """A machine of one's own: programs, home, runtime directory."""

    def __init__(self, bindir="prefix/bin"):
        self.root = tempfile.mkdtemp(prefix="gkcli.")
        self.bin = os.path.join(self.root, bindir)
        self.home = os.path.join(self.root, "home")
        self.run_dir = os.path.join(self.root, "run")
        self.procs = []
        os.makedirs(self.bin)
        os.mkdir(self.home)
        os.mkdir(self.run_dir, 0o700)
        for p in PROGRAMS:
            shutil.copy(os.path.join(BUILD, p), self.bin)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for p in self.procs:
            if p.poll() is None:
                p.kill()
            p.wait()
        subprocess.run(["chmod", "-R", "u+rwX", self.root], check=False)
        shutil.rmtree(self.root)

    def env(self, **more):
        env = {"HOME": self.home, "PATH": os.environ["PATH"],
               "XDG_RUNTIME_DIR": self.run_dir}
        for name in os.environ:
            if name.endswith("SAN_OPTIONS"):
                env[name] = os.environ[name]
        env.update(more)
        return {k: v for k, v in env.items() if v is not None}

    def genkan(self, *args, env=None, stdout=subprocess.PIPE):
        return subprocess.run([os.path.join(self.bin, "genkan"), *args],
                              env=env or self.env(), stdout=stdout,
                              stderr=subprocess.PIPE, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)

    def config(self, *parts):
        return os.path.join(self.home, ".config", *parts)

    def manifest(self, key):
        return self.config(VENDOR[key], "NativeMessagingHosts", MANIFEST)

    def wrapper(self, key=None):
        name = "run-host.sh" if key is None else "run-host-%s.sh" % key
        return os.path.join(self.home, ".local/share/genkan", name)

    def browser(self, *keys):
        for key in keys:
            os.makedirs(self.config(VENDOR[key]), exist_ok=True)

    def state(self, name, text):
        d = os.path.join(self.home, ".local/state/genkan")
        os.makedirs(d, mode=0o700, exist_ok=True)
        write(os.path.join(d, name), text, 0o600)

    def report(self, expect=None):
        r = self.genkan("doctor", "--json")
        if expect is not None:
            eq(r.returncode, expect, r.stderr)
        eq(r.stderr, "")
        eq(r.stdout.count("\n"), 1)
        d = json.loads(r.stdout, object_pairs_hook=distinct)
        eq(d["v"], 1)
        eq(r.returncode, 0 if d["healthy"] else 1)
        return d

    def row(self, key, scope="user"):
        rows = [r for r in self.report()["manifests"]
                if r["browser"] == key and r["scope"] == scope]
        eq(len(rows), 1)
        return rows[0]

    def server(self, *args, env=None):
        p = subprocess.Popen([os.path.join(self.bin, "genkan-server"), *args],
                             env=env or self.env(), stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        self.procs.append(p)
        lock = os.path.join(self.run_dir, "genkan", "run.lock")
        wait(lambda: os.path.exists(lock), "no run.lock")
        return p

    def snapshot(self):
        """Every path below the root with its kind, mode, time and bytes."""
        out = {}
        for top, dirs, files in os.walk(self.root):
            for name in dirs + files:
                path = os.path.join(top, name)
                st = os.lstat(path)
                data = ""
                if stat.S_ISREG(st.st_mode):
                    data = digest(path)
                out[path] = (st.st_mode, st.st_mtime_ns, st.st_ino, data)
        return out


def distinct(pairs):
    names = [k for k, _ in pairs]
    eq(len(names), len(set(names)), "a member twice")
    return dict(pairs)


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def eq(a, b, what=""):
    if a != b:
        raise AssertionError("%s%r != %r" % (what + ": " if what else "",
                                             a, b))


def has(text, part):
    if part not in text:
        raise AssertionError("%r is not in %r" % (part, text))


def wait(cond, what, seconds=10):
    end = time.monotonic() + seconds * SLOW
    while not cond():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.02)


# ------------------------------------------------------------- arguments

@test
def usage_errors_exit_2_and_print_nothing_on_stdout():
    with Box() as b:
        b.browser("chrome")
        before = b.snapshot()
        for args in (
                [], ["nonsense"], ["--nonsense"], ["help"], ["--help", "x"],
                ["--version", "x"], ["doctor", "x"], ["doctor", "--nonsense"],
                ["doctor", "--json", "--json"], ["doctor", "--list", "--list"],
                ["doctor", "--json", "--list"], ["doctor", "--fix", "--json"],
                ["doctor", "--paths", "--list"], ["doctor", "--all"],
                ["doctor", "--system"], ["doctor", "--browser", "chrome"],
                ["doctor", "--manifest-dir", "/tmp"],
                ["doctor", "--fix", "--browser"],
                ["doctor", "--fix", "--browser", ""],
                ["doctor", "--fix", "--browser", "chrome,"],
                ["doctor", "--fix", "--browser", "firefox"],
                ["doctor", "--fix", "--browser", "Chrome"],
                ["doctor", "--fix", "--browser=chrome"],
                ["doctor", "--fix", "--browser", "chrome", "--browser",
                 "edge"],
                ["doctor", "--fix", "--all", "--browser", "chrome"],
                ["doctor", "--fix", "--all", "--manifest-dir", "/tmp"],
                ["doctor", "--fix", "--browser", "chrome", "--manifest-dir",
                 "/tmp"],
                ["doctor", "--fix", "--manifest-dir"],
                ["doctor", "--fix", "--manifest-dir", "relative"],
                ["doctor", "--fix", "--manifest-dir", ""],
                ["doctor", "--fix", "--fix"], ["doctor", "--fix", "--all",
                                               "--all"],
                ["status", "--list"], ["status", "--fix"], ["status", "x"],
                ["uninstall", "x"], ["uninstall", "--all"],
                ["uninstall", "--browser", "chrome"],
                ["uninstall", "--manifest-dir", "relative"],
                ["uninstall", "--system", "--system"],
                ["uninstall", "--json"],
                ["lang", "x"], ["lang", "set"], ["lang", "set", "de"],
                ["lang", "show", "x"], ["policy"], ["policy", "x"]):
            r = b.genkan(*args)
            eq(r.returncode, 2, args)
            eq(r.stdout, "", args)
            has(r.stderr, "genkan: ")
        eq(b.snapshot(), before)


@test
def the_sentence_about_wrong_arguments_names_them():
    with Box() as b:
        has(b.genkan("doctor", "--fix", "--browser", "firefox").stderr,
            "firefox")
        has(b.genkan("doctor", "--fix", "--browser", "firefox").stderr,
            "chrome, chromium, brave, edge, vivaldi, opera")
        has(b.genkan("doctor", "--json", "--json").stderr, "--json")
        has(b.genkan("frobnicate").stderr, "frobnicate")


@test
def help_and_version_go_to_stdout():
    with Box() as b:
        for args in (["--help"], ["doctor", "--help"], ["status", "--help"],
                     ["uninstall", "--help"]):
            r = b.genkan(*args)
            eq((r.returncode, r.stderr), (0, ""), args)
            has(r.stdout, "usage:")
        r = b.genkan("--help")
        for command in ("doctor", "status", "uninstall", "--version", "kill",
                        "unkill", "pair-client", "revoke-client",
                        "list-clients", "revoke", "audit", "pair ",
                        "enclave-status", "policy show", "policy history",
                        "policy set", "policy restrict", "policy rollback",
                        "lang"):
            has(r.stdout, "genkan " + command)
        r = b.genkan("--version")
        eq((r.returncode, r.stderr), (0, ""))
        eq(r.stdout, "genkan %s\n" % version())


@test
def help_is_given_wherever_it_is_asked_for_at_the_end():
    with Box() as b:
        b.browser("chrome")
        before = b.snapshot()
        for args, part in (
                (["doctor", "--fix"], "--manifest-dir  in this folder"),
                (["doctor", "x"], "--paths         where"),
                (["pair", "--reset"], "--file-store  keep it"),
                (["pair-client", "--name"], "--hash         the program"),
                (["policy", "set"], "--page-eval               the tool page_"),
                (["lang", "set"], "genkan lang"), (["kill"], "kill switch"),
                (["audit"], "--limit  so many"),
                (["uninstall"], "--system        what")):
            r = b.genkan(*args, "--help")
            eq((r.returncode, r.stderr), (0, ""), args)
            has(r.stdout, "usage:\n  genkan " + args[0])
            has(r.stdout, part)
        eq(b.snapshot(), before)


@test
def a_usage_error_says_whose_help_to_read():
    with Box() as b:
        for args, where in (
                ([], "genkan --help"), (["nonsense"], "genkan --help"),
                (["--help", "x"], "genkan --help"),
                (["doctor", "x"], "genkan doctor --help"),
                (["doctor", "--fix", "--browser", "x"],
                 "genkan doctor --help"),
                (["policy"], "genkan policy --help"),
                (["policy", "set"], "genkan policy --help"),
                (["lang", "set", "de"], "genkan lang --help")):
            r = b.genkan(*args)
            eq(r.returncode, 2, args)
            eq(r.stderr.splitlines()[-1], "try: " + where, args)
        # What failed for another reason has no help to offer.
        r = b.genkan("doctor")
        eq(r.returncode, 1)
        eq("try: " in r.stderr, False)


def version():
    path = os.path.join(BUILD, "include/genkan/version.h")
    for line in read(path).splitlines():
        if line.startswith("#define GENKAN_VERSION\t"):
            return line.split('"')[1]
    raise AssertionError("no version")


@test
def a_full_disk_is_no_success():
    with Box() as b, open("/dev/full", "w", encoding="ascii") as full:
        for args in (["--help"], ["--version"], ["doctor", "--help"],
                     ["policy", "--help"], ["doctor", "--paths"],
                     ["doctor", "--json"]):
            r = b.genkan(*args, stdout=full)
            eq((r.returncode, r.stderr),
               (1, "genkan: cannot write the output\n"), args)


@test
def closed_descriptors_do_no_harm():
    with Box() as b:
        r = subprocess.run(
            ["/bin/sh", "-c", 'exec "$0" doctor --paths <&- >&- 2>&-',
             os.path.join(b.bin, "genkan")], env=b.env(), timeout=60,
            check=False)
        eq(r.returncode, 0)


# ---------------------------------------------------------------- looking

@test
def looking_changes_nothing():
    with Box() as b:
        b.browser("chrome")
        os.makedirs(os.path.join(b.home, ".local/state/genkan"), 0o755)
        os.chmod(os.path.join(b.home, ".local/state/genkan"), 0o755)
        os.mkdir(os.path.join(b.run_dir, "genkan"), 0o755)
        before = b.snapshot()
        for args in (["doctor"], ["doctor", "--json"], ["doctor", "--list"],
                     ["doctor", "--paths"], ["status"], ["status", "--json"]):
            b.genkan(*args)
            eq(b.snapshot(), before, args)


@test
def paths_are_computed_and_nothing_is_created():
    with Box() as b:
        r = b.genkan("doctor", "--paths")
        eq(r.stdout, "runtime dir: %s/genkan\nstate dir: "
           "%s/.local/state/genkan\nlock file: %s/genkan/run.lock\n"
           % (b.run_dir, b.home, b.run_dir))
        eq((r.returncode, r.stderr), (0, ""))
        eq(os.listdir(b.home), [])
        eq(os.listdir(b.run_dir), [])
        # Without a usable runtime directory the cache stands in.
        r = b.genkan("doctor", "--paths",
                     env=b.env(XDG_RUNTIME_DIR="relative"))
        first = r.stdout.splitlines()[0]
        if os.path.isdir("/run/user/%d" % os.geteuid()):
            eq(first, "runtime dir: /run/user/%d/genkan" % os.geteuid())
        else:
            eq(first, "runtime dir: %s/.cache/genkan" % b.home)


@test
def a_fresh_machine_is_not_healthy_and_says_what_to_do():
    with Box() as b:
        r = b.genkan("doctor")
        eq((r.returncode, r.stderr), (1, ""))
        for part in ("genkan " + version(), "linux/", "absent", "not probed",
                     "kill switch       off", "policy baseline   none yet",
                     "the MCP client starts it", "`genkan doctor --fix`",
                     "the extension itself is not checked"):
            has(r.stdout, part)
        eq(b.genkan("status").stdout, r.stdout)
        d = b.report(1)
        eq(b.genkan("status", "--json").stdout,
           b.genkan("doctor", "--json").stdout)
        eq(d["version"], version())
        eq(d["os"], "linux")
        eq(d["arch"], os.uname().machine.lower())
        eq(d["runtime_dir"], b.run_dir + "/genkan")
        eq(d["state_dir"], b.home + "/.local/state/genkan")
        eq(d["lock_path"], b.run_dir + "/genkan/run.lock")
        eq(d["lock"], {"state": "absent"})
        eq(d["kill"], {"state": "off"})
        eq(d["policy"], {"state": "none"})
        eq(d["sandboxed"], [])
        eq(d["extension_dir"], None)
        eq(sorted(d), sorted([
            "v", "version", "os", "arch", "runtime_dir", "state_dir",
            "lock_path", "lock", "kill", "policy", "manifests", "sandboxed",
            "extension_dir", "healthy", "summary"]))
        has(r.stdout, d["summary"])


@test
def there_is_a_row_for_every_browser_and_scope():
    with Box() as b:
        b.browser("edge")
        rows = b.report()["manifests"]
        eq([(r["browser"], r["scope"]) for r in rows],
           [(k, s) for k in KEYS for s in ("user", "system")])
        for r in rows:
            key = r["browser"]
            if r["scope"] == "user":
                eq(r["location"], b.manifest(key))
                eq(r["detected"], key == "edge")
                eq(r["state"], {"kind": "missing"})
            else:
                eq(r["location"], SYSTEM[key] + "/native-messaging-hosts/"
                   + MANIFEST)
                eq(r["detected"], os.path.isdir(SYSTEM[key]))
        r = b.genkan("doctor", "--list")
        eq(r.returncode, 1)
        lines = r.stdout.splitlines()
        eq(len(lines), 12)
        for line, row in zip(lines, rows):
            eq(line.split()[:2], [row["browser"], row["scope"]])
            eq("not detected" in line, not row["detected"])
            has(line, row["state"]["kind"])
            if not line.endswith(row["location"]):
                raise AssertionError(line)


@test
def the_extension_of_the_installation_is_found():
    with Box() as b:
        path = os.path.join(b.root, "prefix/share/genkan/extension")
        os.makedirs(path)
        eq(b.report()["extension_dir"], path)
        has(b.genkan("doctor").stdout, path)


@test
def xdg_variables_move_the_directories():
    with Box() as b:
        other = os.path.join(b.root, "other")
        os.makedirs(os.path.join(other, "chromium"))
        env = b.env(XDG_CONFIG_HOME=other, XDG_DATA_HOME=other + "/data")
        eq(b.genkan("doctor", "--fix", env=env).returncode, 0)
        path = os.path.join(other, "chromium/NativeMessagingHosts", MANIFEST)
        eq(json.loads(read(path))["path"],
           other + "/data/genkan/run-host-chromium.sh")
        # Relative and empty values count as unset.
        for value in ("", "other"):
            env = b.env(XDG_CONFIG_HOME=value, XDG_DATA_HOME=value)
            r = b.genkan("doctor", "--fix", "--browser", "vivaldi", env=env)
            eq(r.returncode, 0, r.stdout)
            eq(json.loads(read(b.manifest("vivaldi")))["path"],
               b.wrapper("vivaldi"))


# ------------------------------------------------------------ registering

@test
def fix_registers_what_is_detected():
    with Box() as b:
        b.browser("chromium", "brave")
        r = b.genkan("doctor", "--fix")
        eq((r.returncode, r.stderr and "warning" not in r.stderr),
           (0, False if r.stderr else ""))
        lines = r.stdout.splitlines()
        has(lines[0], "chromium: registered")
        has(lines[1], "brave: registered")
        has(r.stdout, "next steps")
        has(r.stdout, os.path.join(b.bin, "genkan-server"))
        for key in ("chromium", "brave"):
            text = read(b.manifest(key))
            eq(text[-2:], "}\n")
            has(text, "\n  \"name\"")
            eq(json.loads(text), {
                "name": "com.vivswan.genkan.host", "description": MARK,
                "path": b.wrapper(key), "type": "stdio",
                "allowed_origins": [ORIGIN]})
            eq(mode(b.manifest(key)), 0o644)
            eq(mode(os.path.dirname(b.manifest(key))), 0o700)
            eq(read(b.wrapper(key)),
               "#!/usr/bin/env bash\n# managed by genkan - do not edit\n"
               "exec '%s/genkan-host' --label '%s' \"$@\"\n" % (b.bin, key))
            eq(mode(b.wrapper(key)), 0o755)
            eq(b.row(key)["state"], {"kind": "ok"})
        eq(mode(os.path.dirname(b.wrapper())), 0o700)
        eq(os.path.exists(b.manifest("chrome")), False)
        eq(b.genkan("doctor", "--list").returncode, 0)
        # Again: the same, and no temporary file is left behind.
        eq(b.genkan("doctor", "--fix").returncode, 0)
        eq(sorted(os.listdir(os.path.dirname(b.wrapper()))),
           ["run-host-brave.sh", "run-host-chromium.sh"])
        eq(os.listdir(os.path.dirname(b.manifest("brave"))), [MANIFEST])


@test
def chosen_browsers_are_written_undetected_too():
    with Box() as b:
        r = b.genkan("doctor", "--fix", "--browser", " edge , opera,edge ")
        eq(r.returncode, 0, r.stderr)
        eq([k for k in KEYS if os.path.exists(b.manifest(k))],
           ["edge", "opera"])
        eq(r.stdout.count("registered in"), 2)
        eq(b.genkan("doctor", "--fix", "--all").returncode, 0)
        eq([k for k in KEYS if os.path.exists(b.manifest(k))], KEYS)
        eq(mode(b.config("google-chrome")), 0o700)


@test
def nothing_detected_exits_3():
    with Box() as b:
        r = b.genkan("doctor", "--fix")
        eq(r.returncode, 3)
        has(r.stderr, "start it once")
        has(r.stderr, "--browser")
        eq(os.listdir(b.home), [])


@test
def a_sandboxed_browser_is_shown_apart_and_never_registered():
    with Box() as b:
        snap = os.path.join(b.home, "snap/chromium/common/chromium")
        flat = os.path.join(b.home, ".var/app/com.brave.Browser/config/"
                            "BraveSoftware/Brave-Browser")
        os.makedirs(snap)
        os.makedirs(flat)
        d = b.report(1)
        eq(d["sandboxed"], [
            {"browser": "chromium", "packaging": "snap", "path": snap},
            {"browser": "brave", "packaging": "flatpak", "path": flat}])
        eq([r for r in d["manifests"]
            if r["scope"] == "user" and r["detected"]], [])
        text = b.genkan("doctor").stdout
        has(text, "regular package")
        has(text, snap)
        r = b.genkan("doctor", "--fix")
        eq(r.returncode, 3)
        has(r.stderr, "snap")
        has(r.stderr, "flatpak")
        eq(os.listdir(snap), [])
        eq(os.listdir(flat), [])


@test
def a_manifest_directory_of_ones_own():
    with Box() as b:
        one = os.path.join(b.root, "fork/one")
        two = os.path.join(b.root, "two")
        r = b.genkan("doctor", "--fix", "--manifest-dir", one,
                     "--manifest-dir", two)
        eq(r.returncode, 0, r.stderr)
        for d in (one, two):
            eq(json.loads(read(os.path.join(d, MANIFEST)))["path"],
               b.wrapper())
        eq(read(b.wrapper()),
           "#!/usr/bin/env bash\n# managed by genkan - do not edit\n"
           "exec '%s/genkan-host' \"$@\"\n" % b.bin)
        eq([k for k in KEYS if os.path.exists(b.manifest(k))], [])
        r = b.genkan("uninstall", "--manifest-dir", one)
        eq(r.returncode, 0)
        eq(os.listdir(one), [])
        eq(os.path.exists(b.wrapper()), False)
        eq(os.listdir(two), [MANIFEST])


@test
def bash_reads_the_wrapper_as_it_was_meant():
    odd = "it's $HOME `x`;a&b|(c)<d>\"e\"*?[]{}~!#\\ \u00e9"
    with Box(bindir=odd) as b:
        b.browser("chrome")
        r = b.genkan("doctor", "--fix")
        eq(r.returncode, 0, r.stderr)
        eq(b.row("chrome")["state"], {"kind": "ok"})
        host = os.path.join(b.bin, "genkan-host")
        write(host, "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n", 0o755)
        r = subprocess.run([b.wrapper("chrome"), ORIGIN, "a b", "$x"],
                           stdout=subprocess.PIPE, text=True, timeout=20,
                           env=b.env(), check=False)
        eq(r.stdout.splitlines(),
           [host, "--label", "chrome", ORIGIN, "a b", "$x"])


@test
def without_a_host_nothing_is_written():
    with Box() as b:
        b.browser("chrome")
        host = os.path.join(b.bin, "genkan-host")
        os.chmod(host, 0o644)
        r = b.genkan("doctor", "--fix")
        eq(r.returncode, 1)
        has(r.stderr, "genkan-host")
        eq(os.listdir(b.config("google-chrome")), [])
        os.unlink(host)
        eq(b.genkan("doctor", "--fix").returncode, 1)
        eq(os.listdir(b.config("google-chrome")), [])


@test
def programs_that_will_not_stay_are_warned_about():
    with Box() as b:
        b.browser("chrome")
        r = b.genkan("doctor", "--fix")
        eq(r.returncode, 0)
        eq("warning" in r.stderr, b.root.startswith("/tmp/"))
    with Box(bindir=".mount_genkan/usr/bin") as b:
        b.browser("chrome")
        r = b.genkan("doctor", "--fix")
        eq(r.returncode, 0)
        has(r.stderr, "warning")


# ----------------------------------------------------------------- states

def states(b, key="chrome"):
    return b.row(key)["state"]["kind"]


@test
def whatever_keeps_our_manifest_from_working_is_stale():
    with Box() as b:
        b.browser("chrome")
        eq(b.genkan("doctor", "--fix").returncode, 0)
        good = json.loads(read(b.manifest("chrome")))
        wrapper = read(b.wrapper("chrome"))
        other = os.path.join(b.root, "other")
        os.mkdir(other)

        def with_manifest(**change):
            m = dict(good, **change)
            write(b.manifest("chrome"), json.dumps(m))
            return b.row("chrome")["state"]

        eq(with_manifest(), {"kind": "ok"})
        for change in ({"allowed_origins": []},
                       {"allowed_origins": [ORIGIN, "chrome-extension://"
                                            + "a" * 32 + "/"]},
                       {"allowed_origins": ["chrome-extension://" + "a" * 32
                                            + "/"]},
                       {"type": "pipe"}, {"path": "run-host.sh"},
                       {"path": 1}, {"path": other + "/nothing"},
                       {"path": b.bin + "/genkan-host"}, {"path": other}):
            state = with_manifest(**change)
            eq(state["kind"], "stale", change)
            eq(bool(state["detail"]), True)
        with_manifest()
        for text in ("#!/bin/sh\n", wrapper + "echo\n",
                     wrapper.replace(b.bin, other),
                     wrapper.replace("genkan-host", "genkan-server")):
            write(b.wrapper("chrome"), text, 0o755)
            eq(states(b), "stale", text)
        write(b.wrapper("chrome"), wrapper, 0o644)
        eq(states(b), "stale")
        write(b.wrapper("chrome"), wrapper, 0o755)
        eq(states(b), "ok")
        # Another installation's host, with other bytes.
        shutil.copy(os.path.join(b.bin, "genkan-host"), other)
        with open(os.path.join(other, "genkan-host"), "ab") as f:
            f.write(b"x")
        write(b.wrapper("chrome"), wrapper.replace(b.bin, other), 0o755)
        eq(states(b), "stale")
        # The same bytes elsewhere are the same host.
        shutil.copy(os.path.join(b.bin, "genkan-host"), other)
        eq(states(b), "ok")
        os.chmod(os.path.join(other, "genkan-host"), 0o644)
        eq(states(b), "stale")
        # Whatever was stale is put right.
        eq(b.genkan("doctor", "--fix").returncode, 0)
        eq(states(b), "ok")
        eq(json.loads(read(b.manifest("chrome"))), good)


def damage(b, kind):
    """Puts something that is not ours in the manifest's place."""
    path = b.manifest("chrome")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.unlink(path)
    m = {"name": "com.vivswan.genkan.host", "description": MARK}
    if kind == "other name":
        write(path, json.dumps(dict(m, name="com.example")))
    elif kind == "other description":
        write(path, json.dumps(dict(m, description="x")))
    elif kind == "empty object":
        write(path, "{}")
    elif kind == "no json":
        write(path, "{")
    elif kind == "an array":
        write(path, "[]")
    elif kind == "repeated member":
        write(path, '{"name":"a","name":"b"}')
    elif kind == "too large":
        write(path, json.dumps(m) + " " * 65536)
    elif kind == "dangling link":
        os.symlink(os.path.join(b.root, "nowhere"), path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        raise AssertionError(kind)


FOREIGN = ["other name", "other description", "empty object"]
UNREADABLE = ["no json", "an array", "repeated member", "too large",
              "dangling link", "directory", "fifo"]


@test
def what_is_not_ours_is_neither_replaced_nor_removed():
    for kind in FOREIGN + UNREADABLE:
        with Box() as b:
            b.browser("chrome", "edge")
            damage(b, kind)
            eq(b.row("chrome")["state"]["kind"],
               "foreign" if kind in FOREIGN else "unreadable", kind)
            before = b.snapshot()[b.manifest("chrome")]
            r = b.genkan("doctor", "--fix")
            eq(r.returncode, 1, kind)
            has(r.stdout, "chrome: refused")
            has(r.stdout, "edge: registered")
            eq(states(b, "edge"), "ok")
            eq(b.snapshot()[b.manifest("chrome")], before, kind)
            r = b.genkan("uninstall")
            eq(r.returncode, 0, kind)
            has(r.stdout, "left alone")
            eq(b.snapshot()[b.manifest("chrome")], before, kind)
            eq(os.path.exists(b.manifest("edge")), False)


@test
def a_link_to_our_manifest_is_followed_but_replaced_itself():
    with Box() as b:
        b.browser("chrome")
        eq(b.genkan("doctor", "--fix").returncode, 0)
        kept = os.path.join(b.root, "kept.json")
        os.rename(b.manifest("chrome"), kept)
        os.symlink(kept, b.manifest("chrome"))
        eq(states(b), "ok")
        before = digest(kept)
        eq(b.genkan("doctor", "--fix").returncode, 0)
        eq(os.path.islink(b.manifest("chrome")), False)
        eq(digest(kept), before)
        os.unlink(b.manifest("chrome"))
        os.symlink(kept, b.manifest("chrome"))
        eq(b.genkan("uninstall").returncode, 0)
        eq(os.path.lexists(b.manifest("chrome")), False)
        eq(digest(kept), before)


@test
def in_the_wrapper_directory_only_a_regular_file_is_replaced():
    with Box() as b:
        b.browser("chrome")
        os.makedirs(os.path.dirname(b.wrapper()), 0o755)
        write(b.wrapper("chrome"), "mine\n")
        eq(b.genkan("doctor", "--fix").returncode, 0)
        has(read(b.wrapper("chrome")), "exec ")
        eq(mode(os.path.dirname(b.wrapper())), 0o700)
        for kind in ("link", "directory"):
            os.unlink(b.manifest("chrome"))
            os.unlink(b.wrapper("chrome"))
            if kind == "link":
                target = os.path.join(b.root, "target")
                write(target, "target\n")
                os.symlink(target, b.wrapper("chrome"))
            else:
                os.mkdir(b.wrapper("chrome"))
            r = b.genkan("doctor", "--fix")
            eq(r.returncode, 1, kind)
            has(r.stdout, "chrome: refused")
            eq(os.path.exists(b.manifest("chrome")), False, kind)
            if kind == "link":
                eq(read(target), "target\n")
                os.unlink(b.wrapper("chrome"))
                write(b.wrapper("chrome"), "")
                write(b.manifest("chrome"), "")


# ------------------------------------------------------------ uninstalling

@test
def uninstall_removes_what_is_ours_and_nothing_else():
    with Box() as b:
        b.browser("chrome", "opera")
        eq(b.genkan("doctor", "--fix").returncode, 0)
        b.state("lang.json", '{"version":0,"value":"en","seq":0}')
        before = set(b.snapshot())
        r = b.genkan("uninstall")
        eq((r.returncode, r.stderr), (0, ""))
        eq(r.stdout.count("removed "), 5)
        gone = before - set(b.snapshot())
        eq(gone, {b.manifest("chrome"), b.manifest("opera"),
                  b.wrapper("chrome"), b.wrapper("opera"),
                  os.path.dirname(b.wrapper())})
        r = b.genkan("uninstall")
        eq((r.returncode, r.stdout, r.stderr),
           (0, "nothing was registered\n", ""))


@test
def uninstall_leaves_a_wrapper_that_somebody_changed():
    with Box() as b:
        b.browser("chrome", "edge")
        eq(b.genkan("doctor", "--fix").returncode, 0)
        with open(b.wrapper("chrome"), "a", encoding="ascii") as f:
            f.write("echo mine\n")
        extra = os.path.join(os.path.dirname(b.wrapper()), "notes")
        write(extra, "mine\n")
        r = b.genkan("uninstall")
        eq(r.returncode, 0)
        has(r.stdout, "run-host-chrome.sh: left alone")
        eq(sorted(os.listdir(os.path.dirname(extra))),
           ["notes", "run-host-chrome.sh"])


@test
def uninstall_takes_stale_registrations_too():
    with Box() as b:
        b.browser("chrome")
        eq(b.genkan("doctor", "--fix").returncode, 0)
        os.unlink(os.path.join(b.bin, "genkan-host"))
        eq(b.genkan("uninstall").returncode, 0)
        eq(os.path.exists(b.manifest("chrome")), False)


@test
def what_cannot_be_removed_is_a_failure():
    with Box() as b:
        if os.geteuid() == 0:
            # Root passes every mode bit; an immutable file it does not.
            b.browser("chrome")
            eq(b.genkan("doctor", "--fix").returncode, 0)
            if subprocess.run(["chattr", "+i", b.manifest("chrome")],
                              stderr=subprocess.DEVNULL,
                              check=False).returncode != 0:
                return "no chattr on this file system"
            try:
                r = b.genkan("uninstall")
            finally:
                subprocess.run(["chattr", "-i", b.manifest("chrome")],
                               check=True)
        else:
            b.browser("chrome")
            eq(b.genkan("doctor", "--fix").returncode, 0)
            os.chmod(os.path.dirname(b.manifest("chrome")), 0o500)
            r = b.genkan("uninstall")
        eq(r.returncode, 1)
        has(r.stderr, "cannot be removed")
        eq(os.path.exists(b.manifest("chrome")), True)
        eq(os.path.exists(b.wrapper("chrome")), False)
    return None


# ------------------------------------------------------------------ root

@test
def root_of_a_users_shell_is_refused():
    if os.geteuid() != 0:
        return "needs root"
    with Box() as b:
        b.browser("chrome")
        dirs = ["--manifest-dir", os.path.join(b.root, "d")]
        for more in ({"SUDO_UID": "1000"}, {"PKEXEC_UID": "1000"}):
            for command in (["doctor", "--fix"], ["uninstall"]):
                before = b.snapshot()
                r = b.genkan(*command, env=b.env(**more))
                eq(r.returncode, 1, command)
                has(r.stderr, "refused")
                eq(b.snapshot(), before)
                r = b.genkan(*command, *dirs, env=b.env(**more))
                eq(r.returncode, 0, r.stderr)
        os.chown(b.home, 12345, 12345)
        for command in (["doctor", "--fix"], ["uninstall"]):
            r = b.genkan(*command)
            eq(r.returncode, 1, command)
            has(r.stderr, "HOME")
        os.chown(b.home, 0, 0)
        eq(b.genkan("doctor", "--fix").returncode, 0)
        # Empty counts as unset.
        eq(b.genkan("doctor", "--fix", env=b.env(SUDO_UID="")).returncode, 0)
    return None


def as_user(uid, b, *args, env=None):
    """Runs genkan as a user who owns nothing."""
    return subprocess.run(
        ["setpriv", "--reuid=%d" % uid, "--regid=%d" % uid, "--clear-groups",
         os.path.join(b.bin, "genkan"), *args], env=env or b.env(), cwd="/",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
        stdin=subprocess.DEVNULL, check=False)


@test
def the_machine_wide_registration_needs_root():
    with Box() as b:
        os.chmod(b.root, 0o755)
        for command in (["doctor", "--fix", "--system", "--all"],
                        ["uninstall", "--system"]):
            r = as_user(65534, b, *command) if os.geteuid() == 0 else \
                b.genkan(*command)
            eq(r.returncode, 1, r.stderr)
            has(r.stderr, "root")


# A private /etc and /var/lib: nothing of this reaches the machine.
NAMESPACE = """
set -e
mount -t tmpfs none /mnt
cp -a /etc /mnt/etc
mount --bind /mnt/etc /etc
mount -t tmpfs none /var/lib
rm -rf /etc/opt/chrome /etc/opt/edge /etc/chromium /etc/vivaldi
mkdir -p /etc/opt/chrome /etc/vivaldi
exec "$@"
"""


@test
def the_machine_wide_registration():
    if os.geteuid() != 0 or subprocess.run(
            ["unshare", "-m", "true"], stderr=subprocess.DEVNULL,
            check=False).returncode != 0:
        return "no mount namespace here"
    r = subprocess.run(["unshare", "-m", "sh", "-c", NAMESPACE, "sh",
                        sys.executable, os.path.abspath(__file__),
                        "--machine-wide"], timeout=120, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True)
    eq(r.returncode, 0, r.stdout)
    return None


def machine_wide():
    """Runs inside NAMESPACE, where chrome's and vivaldi's directories are."""
    with Box() as b:
        r = b.genkan("doctor", "--fix", "--system", env=b.env(SUDO_UID="1"))
        eq(r.returncode, 0, r.stderr)
        eq(r.stdout.count("registered in"), 2)
        chrome = "/etc/opt/chrome/native-messaging-hosts"
        eq(json.loads(read(chrome + "/" + MANIFEST))["path"],
           "/var/lib/genkan/run-host.sh")
        for path in (chrome, "/var/lib/genkan"):
            eq(mode(path), 0o755)
        eq(mode(chrome + "/" + MANIFEST), 0o644)
        # Three browsers read the one, so it names none; one reads the other.
        eq("--label" in read("/var/lib/genkan/run-host.sh"), False)
        has(read("/var/lib/genkan/run-host-vivaldi.sh"), "--label 'vivaldi'")
        for key, want in (("chrome", "ok"), ("brave", "ok"), ("opera", "ok"),
                          ("vivaldi", "ok"), ("edge", "missing"),
                          ("chromium", "missing")):
            row = b.row(key, "system")
            eq(row["state"]["kind"], want, key)
            eq(row["detected"], want == "ok", key)
        eq(b.genkan("doctor", "--list").returncode, 0)
        eq(os.listdir(b.home), [])
        r = b.genkan("doctor", "--fix", "--system", "--browser",
                     "opera,chromium")
        eq(r.returncode, 0)
        eq(r.stdout.count("registered in"), 2)
        eq(sorted(os.listdir("/var/lib/genkan")),
           ["run-host-chromium.sh", "run-host-vivaldi.sh", "run-host.sh"])
        r = b.genkan("doctor", "--fix", "--system", "--all")
        eq(r.stdout.count("registered in"), 4)
        r = b.genkan("uninstall", "--system")
        eq((r.returncode, r.stderr), (0, ""))
        eq(os.listdir(chrome), [])
        eq(os.path.exists("/var/lib/genkan"), False)
        for d in ("/etc/opt/chrome", "/etc/opt/edge", "/etc/chromium",
                  "/etc/vivaldi"):
            shutil.rmtree(d)
        r = b.genkan("doctor", "--fix", "--system")
        eq(r.returncode, 3)


# ---------------------------------------------------------------- verdicts

TRUST = ('{"version":0,"epoch":3,"killed":%s,"kill_epoch":3,'
         '"host_key_epoch":0,"policy_epoch":0,"lang_epoch":0,'
         '"clients":null,"enrollments":[]}')
BASELINE = (
    "eyJ2IjoxLCJyZXZpc2lvbiI6MSwidG91Y2hlZCI6W10sImNkcE1vZGUiOmZhbHNlLCJmaWxl"
    "VXBsb2FkRW5hYmxlZCI6ZmFsc2UsImhhbmRsZURpYWxvZ0VuYWJsZWQiOmZhbHNlLCJwYWdl"
    "RXZhbEVuYWJsZWQiOmZhbHNlLCJjb25maXJtSGlnaFJpc2tDbGljayI6dHJ1ZSwiY29uZmly"
    "bVBhZ2VFdmFsIjp0cnVlLCJwcmVzZW5jZUNvbmZpcm0iOnRydWUsImNvbmZpcm1UYWJDbG9z"
    "ZSI6dHJ1ZSwid2FyblByZWNpc2VTbmFwc2hvdCI6dHJ1ZSwiZXZhbE1hc2siOnRydWUsImhv"
    "c3RSZXZlcmlmeU1zIjowLCJjb25maXJtR3JhY2VNcyI6NjAwMDAsImNsaWNrVG9hc3RUaW1l"
    "b3V0TXMiOjMwMDAwLCJldmFsVG9hc3RUaW1lb3V0TXMiOjQ1MDAwLCJkaXNhYmxlZFRvb2xz"
    "IjpbXX0=")
SIG = ("cM4XranHVkQxLqGIt0H7nzfXpMq/i7Pv+1Km1sp9ipb+sc8ecJyECzUa9OuRuqcPcuyV"
       "Y73t2w+A5G2WbDl6zg==")
KEY_ID = "4269889431e3131966fcaf6a457141943ed2c35b5b917ae62cb339546f523551"


@test
def the_kill_switch_is_shown_first():
    with Box() as b:
        b.browser("chrome")
        b.genkan("doctor", "--fix")
        b.server("--broker")
        d = b.report(0)
        eq(d["healthy"], True)
        b.state("trust.json", TRUST % "true")
        d = b.report(1)
        eq(d["kill"], {"state": "engaged"})
        has(d["summary"], "kill switch")
        has(b.genkan("doctor").stdout, "kill switch       engaged")
        b.state("trust.json", TRUST % "1")
        b.state("policy.json", "{")
        d = b.report(1)
        eq(d["kill"]["state"], "unreadable")
        for text in (d["kill"]["detail"], d["summary"],
                     b.genkan("doctor").stdout):
            has(text, b.home + "/.local/state/genkan/trust.json")
            has(text, "member killed")
            has(text, "delete it")
        has(b.genkan("doctor").stdout, "kill switch       UNREADABLE")
        os.unlink(b.home + "/.local/state/genkan/trust.json")
        d = b.report(1)
        eq(d["policy"]["state"], "unreadable")
        has(d["summary"], "policy.json")
        has(b.genkan("doctor").stdout, "policy baseline   UNREADABLE")


@test
def records_that_are_no_plain_files_of_ours_are_unreadable():
    with Box() as b:
        path = os.path.join(b.home, ".local/state/genkan/trust.json")
        b.state("trust.json", TRUST % "false")
        eq(b.report()["kill"], {"state": "off"})
        os.rename(path, path + ".real")
        os.symlink(path + ".real", path)
        eq(b.report()["kill"]["state"], "unreadable")
        os.unlink(path)
        os.mkdir(path)
        eq(b.report()["kill"]["state"], "unreadable")
        os.rmdir(path)
        b.state("trust.json", TRUST % "false" + " " * 262144)
        eq(b.report()["kill"]["state"], "unreadable")
        b.state("trust.json", (TRUST % "false").replace(
            '"version":0', '"version":1'))
        d = b.report()
        has(d["kill"]["detail"], "newer genkan")
        os.unlink(path)
        eq(b.report()["kill"], {"state": "off"})


@test
def the_policy_in_words():
    with Box() as b:
        b.state("policy.json", '{"version":0,"baseline_b64":"%s"}' % BASELINE)
        eq(b.report()["policy"], {"state": "present", "revision": 1,
                                  "signed": False, "overlay_active": False})
        b.state("policy.json", '{"version":0,"baseline_b64":"%s","sig_b64":'
                '"%s","key_id":"%s","overlay":{"disabledTools":["tab_open"]}}'
                % (BASELINE, SIG, KEY_ID))
        eq(b.report()["policy"], {"state": "present", "revision": 1,
                                  "signed": True, "overlay_active": True})
        has(b.genkan("doctor").stdout, "revision 1 signed + overlay active")
        b.state("policy.json", '{"version":0,"overlay":{"disabledTools":'
                '["tab_open","page_eval"]}}')
        d = b.report()
        eq(d["policy"]["state"], "none")
        has(d["policy"]["detail"], "tab_open, page_eval")
        has(b.genkan("doctor").stdout, "disabled tools kept: tab_open")
        has(d["summary"], "no server runs")


@test
def the_lock_is_read_and_its_secret_never_shown():
    with Box() as b:
        lock = os.path.join(b.run_dir, "genkan/run.lock")
        b.server("--broker")
        secret = json.loads(read(lock))["secret"]
        pid = json.loads(read(lock))["pid"]
        d = b.report()
        eq(d["lock"], {"state": "present",
                       "endpoint": b.run_dir + "/genkan/run.sock",
                       "pid": pid, "state_dir": d["state_dir"],
                       "mismatch": False, "secret_len": 32,
                       "reachable": True})
        text = b.genkan("doctor").stdout
        has(text, "<redacted, 32 chars>")
        has(text, "mcp server        reachable")
        for out in (text, json.dumps(d)):
            if secret in out:
                raise AssertionError("the secret was shown")
        # No detected browser is registered.
        has(d["summary"], "`genkan doctor --fix`")
        b.browser("chrome")
        has(b.report(1)["summary"], "`genkan doctor --fix`")
        b.genkan("doctor", "--fix")
        b.report(0)
        eq(b.genkan("doctor").returncode, 0)


@test
def a_bad_lock_is_unreadable_and_stays():
    with Box() as b:
        d = os.path.join(b.run_dir, "genkan")
        lock = os.path.join(d, "run.lock")
        os.mkdir(d, 0o700)
        real = os.path.join(b.root, "real")
        write(real, "{}", 0o600)
        for make in (lambda: write(lock, "{", 0o600),
                     lambda: write(lock, "{}", 0o600),
                     lambda: write(lock, " " * 65537, 0o600),
                     lambda: os.symlink(real, lock),
                     lambda: os.mkdir(lock)):
            make()
            r = b.report(1)
            eq(r["lock"]["state"], "unreadable")
            eq(bool(r["lock"]["detail"]), True)
            has(r["summary"], "lock file cannot be read")
            has(b.genkan("doctor").stdout, "unreadable: ")
            eq(os.path.lexists(lock), True)
            os.rmdir(lock) if os.path.isdir(lock) and not \
                os.path.islink(lock) else os.unlink(lock)


@test
def without_a_host_the_verdict_does_not_send_to_fix_alone():
    with Box() as b:
        b.browser("chrome")
        b.genkan("doctor", "--fix")
        host = os.path.join(b.bin, "genkan-host")
        os.chmod(host, 0o644)
        has(b.report(1)["summary"], "no usable genkan-host")
        has(b.report(1)["summary"], "install genkan again")
        eq(b.genkan("doctor", "--fix").returncode, 1)
        os.chmod(host, 0o755)
        eq("genkan-host" in b.report(1)["summary"], False)


@test
def an_option_that_takes_no_operand_or_is_unknown_is_named_as_such():
    with Box() as b:
        for args, says in (
                (["--version", "x"], "--version stands alone"),
                (["--help", "x"], "--help stands alone"),
                (["kill", "--now"], "--now: unknown flag"),
                (["kill", "now"], "now: unexpected argument")):
            r = b.genkan(*args)
            eq((r.returncode, r.stdout), (2, ""), args)
            has(r.stderr, "genkan: " + says + "\ntry: genkan ")


def fake_lock(b, endpoint, pid, state_dir=None):
    d = os.path.join(b.run_dir, "genkan")
    os.makedirs(d, 0o700, exist_ok=True)
    write(os.path.join(d, "run.lock"), json.dumps({
        "endpoint": endpoint, "secret": "0" * 32, "pid": pid,
        "state_dir": state_dir or b.home + "/.local/state/genkan"}), 0o600)


@test
def dead_and_foreign_processes_are_not_probed():
    with Box() as b:
        path = os.path.join(b.run_dir, "listener")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path)
            s.listen(8)
            s.setblocking(False)
            gone = subprocess.Popen(["true"])
            gone.wait()
            for pid in (gone.pid, 0, 4294967295, os.getpid(), 1):
                fake_lock(b, path, pid, "/elsewhere")
                d = b.report(1)
                eq(d["lock"]["reachable"], None, pid)
                eq(d["lock"]["mismatch"], False, pid)
                has(d["summary"], "not asked")
                try:
                    s.accept()
                    raise AssertionError("somebody connected")
                except BlockingIOError:
                    pass


@test
def a_server_that_does_not_answer_is_not_reachable():
    with Box() as b:
        b.browser("chrome")
        b.genkan("doctor", "--fix")
        p = b.server("--broker")
        p.send_signal(signal.SIGSTOP)
        start = time.monotonic()
        d = b.report(1)
        took = time.monotonic() - start
        p.send_signal(signal.SIGCONT)
        eq(d["lock"]["reachable"], False)
        has(d["summary"], "does not answer")
        if not 0.9 < took < 5 * SLOW:
            raise AssertionError("took %.2f s" % took)
        path = os.path.join(b.run_dir, "genkan/run.sock")
        os.unlink(path)
        eq(b.report(1)["lock"]["reachable"], False)
        # Somebody else's socket in its place, however talkative.
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path)
            s.listen(8)
            d = b.report(1)
            eq(d["lock"]["reachable"], False)
            has(d["summary"], "another process")
            s.accept()[0].close()


@test
def a_probe_leaves_no_trace_in_the_audit():
    with Box() as b:
        p = b.server("--broker")
        for _ in range(5):
            eq(b.report()["lock"]["reachable"], True)
        eq(p.poll(), None)
        path = os.path.join(b.home, ".local/state/genkan/audit.log")
        if os.path.exists(path) and "attach_refuse" in read(path):
            raise AssertionError(read(path))


@test
def a_server_with_another_home_is_a_directory_mismatch():
    with Box() as b:
        b.browser("chrome")
        b.genkan("doctor", "--fix")
        other = os.path.join(b.root, "home2")
        os.mkdir(other)
        b.server("--broker", env=b.env(HOME=other))
        # The mismatch comes before everything else.
        b.state("trust.json", TRUST % "true")
        d = b.report(1)
        eq(d["lock"]["mismatch"], True)
        eq(d["lock"]["state_dir"], other + "/.local/state/genkan")
        for text in (d["summary"], b.genkan("doctor").stdout):
            has(text, "state directory mismatch")
            has(text, other + "/.local/state/genkan")
        # One directory under two names is no mismatch.
        os.unlink(b.home + "/.local/state/genkan/trust.json")
        os.rmdir(b.home + "/.local/state/genkan")
        os.makedirs(other + "/.local/state/genkan", exist_ok=True)
        os.rmdir(b.home + "/.local/state")
        os.symlink(other + "/.local/state", b.home + "/.local/state")
        d = b.report(0)
        eq(d["lock"]["mismatch"], False)


@test
def home_is_taken_from_the_passwd_file_or_there_is_no_report():
    with Box() as b:
        has(b.genkan("doctor", "--paths", env=b.env(HOME=None)).stdout,
            "state dir: %s/.local/state/genkan\n"
            % pwd.getpwuid(os.geteuid()).pw_dir)
        if os.geteuid() != 0:
            return
        os.chmod(b.root, 0o755)
        for home in (None, "", "relative"):
            for args in (["doctor"], ["doctor", "--json"],
                         ["doctor", "--paths"], ["doctor", "--list"],
                         ["doctor", "--fix"], ["uninstall"]):
                r = as_user(54321, b, *args, env=b.env(HOME=home))
                eq((r.returncode, r.stdout), (1, ""), args)
                has(r.stderr, "home")


def main():
    failed = 0
    print("1..%d" % len(tests), flush=True)
    for n, f in enumerate(tests, 1):
        name = f.__name__.replace("_", " ")
        try:
            skip = f()
        except Exception as e:  # noqa: BLE001: every failure is a result
            failed += 1
            print("not ok %d - %s" % (n, name))
            for line in ("%s: %s" % (type(e).__name__, e)).splitlines():
                print("# " + line)
            tb = e.__traceback__
            while tb is not None:
                if tb.tb_frame.f_code.co_name == f.__name__:
                    print("# line %d" % tb.tb_lineno)
                tb = tb.tb_next
        else:
            print("ok %d - %s%s" % (n, name,
                                    " # SKIP " + skip if skip else ""))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--machine-wide"]:
        sys.exit(machine_wide())
    sys.exit(main())
