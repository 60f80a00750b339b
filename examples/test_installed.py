"""The examples as a stranger would build them: from an installed tree, with
what pkg-config says and nothing else, shared and static; then each of them
does what it promises, against the installed programs."""
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get(
    "GENKAN_SRCDIR", pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(SOURCE / "tests/protocol"))

import cli  # noqa: E402
import harness  # noqa: E402
from harness import BUILD, check, equal, until  # noqa: E402

ROOT = BUILD / "examples/installed"
INSTALL = ["install-libLTLIBRARIES", "install-binPROGRAMS",
           "install-genkanincludeHEADERS",
           "install-nodist_genkanincludeHEADERS", "install-pkgconfigDATA"]
# Example, and what it needs besides genkan.
EXAMPLES = {"native_echo": [], "webauthn_rp": [], "embed_client": [],
            "callbacks": [], "loop_poll": [], "loop_server": [],
            "loop_glib": ["glib-2.0"], "loop_uv": ["libuv"]}


def run(*args, **kw):
    got = subprocess.run([str(a) for a in args], text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=120, **kw)
    check(got.returncode == 0, " ".join(map(str, args)), got.stdout)
    return got.stdout


class Tree:
    """One installation below ROOT, seen by pkg-config through its sysroot."""

    def __init__(self, name):
        self.root = ROOT / name
        self.made = ROOT / f"{name}-programs"
        self.made.mkdir(parents=True, exist_ok=True)

    def path(self, variable):
        value = run("pkg-config", f"--variable={variable}", "genkan",
                    env=self.env(sysroot=False)).strip()
        return self.root / value.lstrip("/")

    def env(self, sysroot=True):
        pc = next(self.root.rglob("genkan.pc"), None)
        check(pc, f"no genkan.pc in {self.root}")
        return {**os.environ, "PKG_CONFIG_PATH": str(pc.parent),
                **({"PKG_CONFIG_SYSROOT_DIR": str(self.root)}
                   if sysroot else {})}

    def build(self, example, *flags):
        """pkg-config is asked for genkan alone: nobody else has a sysroot."""
        want = run("pkg-config", *flags, "--cflags", "--libs", "genkan",
                   env=self.env())
        for more in EXAMPLES[example]:
            want += run("pkg-config", "--cflags", "--libs", more)
        program = self.made / example
        run(*shlex.split(os.environ.get("CC", "cc")), "-Wall", "-Wextra",
            "-Werror", "-O1", "-o", program, SOURCE / f"examples/{example}.c",
            *shlex.split(want))
        return program


def installed():
    """Both trees, made once: what is shared has no static library to fall back
    to, and the other way round."""
    if ROOT.exists():
        shutil.rmtree(ROOT)
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    run("make", "-s", "-C", BUILD, *INSTALL, f"DESTDIR={ROOT / 'shared'}",
        env=env)
    shutil.copytree(ROOT / "shared", ROOT / "static", symlinks=True)
    for lib in (ROOT / "static").rglob("libgenkan.so*"):
        lib.unlink()
    for lib in (ROOT / "shared").rglob("libgenkan.a"):
        lib.unlink()
    return Tree("shared"), Tree("static")


SHARED, STATIC = installed()
HAS_STATIC = next(STATIC.root.rglob("libgenkan.a"), None) is not None


def wanted(example):
    return all(subprocess.run(["pkg-config", "--exists", m]).returncode == 0
               for m in EXAMPLES[example])


def each():
    """(program, environment) of every example that this machine can build."""
    for example in EXAMPLES:
        if not wanted(example):
            print(f"# {example}: no {EXAMPLES[example]} here")
            continue
        yield example, SHARED.build(example), {
            "LD_LIBRARY_PATH": str(SHARED.path("libdir"))}
        if HAS_STATIC:
            yield example, STATIC.build(example, "--static"), {}


BUILT = list(each())


def test_all_of_them_compile_from_an_installed_tree(w):
    equal({e for e, _, _ in BUILT} >= {"native_echo", "embed_client",
                                       "loop_poll", "loop_server"}, True)
    for example, program, _ in BUILT:
        needs = run("readelf", "-d", program)
        equal("[libgenkan.so.0]" in needs, SHARED.made in program.parents,
              f"{program} is linked as it should be")
    print(f"# {len(BUILT)} programs; static: {HAS_STATIC}")


def test_native_echo_sends_messages_back(w):
    for example, program, env in BUILT:
        if example == "native_echo":
            got = subprocess.run([program], input=b"\2\0\0\0{}", env=env,
                                 capture_output=True, timeout=10)
            equal(got.stdout, b"\2\0\0\0{}")


def pair(w, program, name):
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    equal(cli.answer(w, "pair-client", "--name", name, "--hash",
                     digest).status, 0)


def broker(w):
    s = w.server("--broker")
    until(lambda: (w.lock() or {}).get("pid") == s.pid, what="its lock")
    w.host("chrome", ops={"tab_list": lambda a, f: [{"id": 7}]}).attached()
    return s


CALLS = ["list_browsers", "{}", "tab_list", "{}"]
FOUND = ['{"count":1,"browsers":[{"label":"chrome","tabCount":1}]}',
         '[{"id":7}]']


def test_the_loops_call_tools_once_they_are_paired(w):
    w.bin = SHARED.path("programdir")
    for i, (example, program, env) in enumerate(BUILT):
        if not example.startswith("loop_") or example == "loop_server":
            continue
        if w.lock() is None:
            broker(w)
        args = [program, w.bin] + (CALLS if example != "loop_poll" else [])
        told = "".join(f"{t} {a}\n" for t, a in zip(CALLS[::2], CALLS[1::2]))
        if example != "loop_poll":
            got = subprocess.run(args, env=w.env(**env), text=True,
                                 capture_output=True, timeout=20)
            equal(got.returncode, 1, got)
            check("refused: " in got.stderr and "pair-client" in got.stderr,
                  got)
        pair(w, program, f"p{i}")
        got = subprocess.run(args, env=w.env(**env), text=True, input=told,
                             capture_output=True, timeout=20)
        equal(got.returncode, 0, got)
        equal(sorted(got.stdout.splitlines()),
              sorted(f"{n} OK {text}" for n, text in enumerate(FOUND, 1)))
        check("ok: attached to genkan-server" in got.stderr, got)
        until(lambda: w.lock() is None, what="the end of the broker")


def test_a_server_in_another_loop_is_the_whole_server(w):
    """loop_server in the place of genkan-server, with the shipped genkan-host:
    broker with a client of its own, broker alone, and relay."""
    for i, (example, program, env) in enumerate(BUILT):
        if example != "loop_server":
            continue
        # A peer of genkan's may map root's files and its own directory's.
        if SHARED.made in program.parents and (HAS_STATIC or os.geteuid()):
            print("# not with the shared library, which lies elsewhere")
            continue
        w.bin = w.dir / f"bin{i}"
        shutil.copytree(SHARED.path("programdir"), w.bin)
        shutil.copy(program, w.bin / "genkan-server")
        s = w.server(env=env)
        until(lambda: (w.lock() or {}).get("pid") == s.pid, what="its lock")
        h = w.host("chrome", ops={"tab_list": lambda a, f: [{"id": 7}],
                                  "tab_focus": None}).attached()
        s.initialize()
        equal(s.tool_text("list_browsers"), FOUND[0])
        equal(s.tool_text("tab_list"), FOUND[1])
        two = w.server(env=env)
        two.initialize()
        equal(two.tool_text("tab_list"), FOUND[1])
        two.p.stdin.close()
        equal(two.wait(), 0)
        n = s.ask_tool("tab_focus", tabId=1)
        id = h.request("tab_focus")["id"]
        s.notify("notifications/cancelled", {"requestId": n})
        h.cancelled(id)
        s.p.stdin.close()
        equal(s.wait(), 0)
        until(lambda: w.lock() is None, what="the end of the broker")
        h.wait_end()
        b = w.server("--broker", env=env)
        until(lambda: (w.lock() or {}).get("pid") == b.pid, what="its lock")
        w.host("chrome").attached()
        b.p.terminate()
        equal(b.wait(), 0)
        equal(w.lock(), None)


def test_the_readmes_program_calls_tools(w):
    """Without a directory it looks where the configured one is; the tree was
    installed elsewhere, so it is told."""
    w.bin = SHARED.path("programdir")
    real = pathlib.Path("/") / w.bin.relative_to(SHARED.root)
    for i, (example, program, env) in enumerate(BUILT):
        if example != "embed_client":
            continue
        broker(w)
        pair(w, program, f"p{i}")
        got = subprocess.run([program, *CALLS], env=w.env(**env), text=True,
                             capture_output=True, timeout=20)
        equal(got.returncode, 1, got)
        check(f"to be trusted in {real}" in got.stdout or
              "identity mismatch" in got.stdout, got)
        got = subprocess.run([program, *CALLS], text=True, timeout=20,
                             env=w.env(GENKAN_PROGRAM_DIR=str(w.bin), **env),
                             capture_output=True)
        equal((got.returncode, got.stdout.splitlines()[1:]), (0, FOUND))
        until(lambda: w.lock() is None, what="the end of the broker")


if __name__ == "__main__":
    harness.main(globals())
