"""The packages out of an installed tree, and as pip and npm build them against
it; the examples do what they promise, through the installed programs."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get(
    "GENKAN_SRCDIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tests/protocol"))
sys.path.insert(0, str(SOURCE / "tests/bindings"))
sys.dont_write_bytecode = True

import cli  # noqa: E402
import harness  # noqa: E402
import tree  # noqa: E402
from harness import BUILD, check, equal, until  # noqa: E402

ROOT = BUILD / "bindings/installed"
PYTHON = os.environ.get("PYTHON", "")
NODE = os.environ.get("NODE", "")
NPM = shutil.which("npm")
AT, ENV = tree.install(ROOT / "tree")
HAS_PIP = PYTHON and subprocess.run(
    [PYTHON, "-c", "import setuptools, pip, wheel"],
    capture_output=True).returncode == 0


def run(*args, env=None, fine=True, **kw):
    got = subprocess.run([str(a) for a in args], text=True, timeout=200,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT,
                         env={**tree.clean_env(), **ENV, **(env or {})}, **kw)
    check(not fine or got.returncode == 0, *args, got.stdout)
    return got


OUTLINE = 'url: x:\ntitle: "t"\nbutton "Go" [ref=e1]'
DENIED = "the user said no"
OPS = {
    "tab_list": lambda a, f: [{"id": 7, "active": True}],
    "page_snapshot": lambda a, f: {"text": OUTLINE, "refCount": 1,
                                   "truncated": False},
    "page_click": lambda a, f: {"clicked": a["ref"], "role": "button"}
    if a["ref"] == "e1" else {"ok": False, "error": DENIED,
                              "code": "USER_DENIED"},
}
SAID = f"chrome: 1 tabs\n{OUTLINE}\nclicked e1\n"


def chain(w):
    w.bin = pathlib.Path(AT["bin"])
    s = w.server("--broker")
    until(lambda: (w.lock() or {}).get("pid") == s.pid, what="its lock")
    w.host("chrome", ops=OPS, hello={"type": "hello", "protocol": 1,
           "capabilities": ["tab_control", "page_snapshot", "page_interact"]}
           ).attached()


def drive(w, program, example, **env):
    """Refused until it is paired, then the whole example."""
    chain(w)
    args = [program, example, AT["bin"]]
    here = {**w.env(), **ENV, **env}
    got = run(*args, env=here, fine=False)
    equal(got.returncode, 1, got.stdout)
    check("refused: " in got.stdout and "pair-client" in got.stdout,
          got.stdout)
    image = pathlib.Path(program).resolve().read_bytes()
    equal(cli.answer(w, "pair-client", "--name", "script", "--hash",
                     hashlib.sha256(image).hexdigest()).status, 0)
    equal(run(*args, env=here).stdout, SAID)


def shown(language):
    """The first program that the README shows in a language."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    return text.split(f"\n```{language}\n", 1)[1].split("\n```\n", 1)[0] + "\n"


def as_written(w, program, *args, **env):
    """Runs what the README shows, paired, on a page whose button is refused."""
    chain(w)
    image = pathlib.Path(program).resolve().read_bytes()
    equal(cli.answer(w, "pair-client", "--name", "script", "--hash",
                     hashlib.sha256(image).hexdigest()).status, 0)
    return run(program, *args, env={**w.env(), **ENV, **env}).stdout


def interpreter():
    """The image that runs, not a link to it or a wrapper of it."""
    return run(PYTHON, "-c", "import os; print(os.readlink('/proc/self/exe'))"
               ).stdout.strip()


if "python" in AT:
    def test_pythons_quick_start(w):
        drive(w, interpreter(), SOURCE / "examples/py_client.py")

    def test_what_the_readme_shows_of_python(w):
        # The tree does not lie where it was configured for.
        before = ("import functools, genkan\ngenkan.Client = functools.partial("
                  f"genkan.Client, program_dir={AT['bin']!r})\n")
        equal(as_written(w, interpreter(), "-c", before + shown("python")),
              f"{OUTLINE}\n{DENIED}\n")

    def test_the_installed_python_package_is_whole(w):
        got = run(PYTHON, "-c", "import genkan; print(genkan.__file__);"
                  "print(genkan.library_version())").stdout.split()
        equal(got[0], AT["python"] + "/__init__.py")
        equal(got[1], run("pkg-config", "--modversion", "genkan"
                          ).stdout.strip())
        check((pathlib.Path(AT["python"]) / "py.typed").exists(), "typed")

    if HAS_PIP:
        def test_pip_builds_a_wheel_without_the_network(w):
            # As an argument: make has a variable of that name, which is what
            # configure was given.
            run("make", "-s", "-C", BUILD, "wheel",
                f"PKG_CONFIG_PATH={AT['pc']}",
                env={"PIP_NO_INDEX": "1", "HOME": str(w.home)})
            made = list((BUILD / "bindings/python").glob("genkan-*.whl"))
            equal(len(made), 1)
            to = w.dir / "site"
            run(PYTHON, "-m", "pip", "install", "--no-index", "--no-deps",
                "--target", to, made[0], env={"HOME": str(w.home)})
            drive(w, interpreter(), SOURCE / "examples/py_client.py",
                  PYTHONPATH=str(to))
            check((to / "genkan/_genkan.pyi").exists(), "stubs in the wheel")

if "node" in AT:
    def test_nodes_quick_start(w):
        app = w.dir / "app"
        (app / "node_modules").mkdir(parents=True)
        (app / "node_modules/genkan").symlink_to(AT["node"])
        shutil.copy(SOURCE / "examples/node_client.mjs", app)
        drive(w, NODE, app / "node_client.mjs")

    def test_what_the_readme_shows_of_node(w):
        app = w.dir / "app"
        (app / "node_modules").mkdir(parents=True)
        (app / "node_modules/genkan").symlink_to(AT["node"])
        (app / "before.mjs").write_text(
            "import { Client } from 'genkan';\nconst real = Client.connect;\n"
            "Client.connect = (o) => real.call(Client, { programDir: "
            f"{json.dumps(AT['bin'])}, ...o }});\n")
        (app / "shown.mjs").write_text(shown("js"))
        equal(as_written(w, NODE, "--import", app / "before.mjs",
                         app / "shown.mjs"),
              f"{OUTLINE}\nUSER_DENIED {DENIED}\n")

    if NPM:
        def test_npm_builds_the_addon_against_the_installed_library(w):
            run("make", "-s", "-C", BUILD, "node-pack")
            home = {"HOME": str(w.home), "npm_config_offline": "true",
                    "npm_config_cache": str(w.dir / "cache"),
                    "npm_config_update_notifier": "false"}
            run(NPM, "pack", "--silent", BUILD / "bindings/node/pack",
                env=home, cwd=w.dir)
            app = w.dir / "app"
            app.mkdir()
            (app / "package.json").write_text("{}")
            # As it may come, more than one word; it may itself be that already.
            run(NPM, "install", "--silent", "--no-audit", "--no-fund",
                next(w.dir.glob("genkan-*.tgz")), cwd=app,
                env={**home, "CC": "env " + os.environ.get("CC", "cc")})
            check((app / "node_modules/genkan/genkan.node").exists(),
                  "the addon")
            shutil.copy(SOURCE / "examples/node_client.mjs", app)
            drive(w, NODE, app / "node_client.mjs")


if __name__ == "__main__":
    harness.main(globals(), timeout=240)
