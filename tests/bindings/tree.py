"""An installed tree of its own, below the build folder: what a person has after
`make install`, with nothing of the build folder in reach.

    tree.py FOLDER    installs there, and says in JSON how it is used
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("GENKAN_BUILDDIR", ".")).resolve()


def clean_env():
    """Without what the make above this one has put there."""
    return {k: v for k, v in os.environ.items()
            if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}


def install(root):
    """Installs below root; returns folders and the environment to use."""
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["make", "-s", "-C", BUILD, "install", f"DESTDIR={root}"],
                   env=clean_env(), check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   timeout=300)
    one = {name: str(next(root.rglob(pattern)).parent) for name, pattern in {
        "bin": "genkan-server", "lib": "libgenkan.so.0", "pc": "genkan.pc",
        "python": "genkan/__init__.py", "node": "genkan/index.mjs"}.items()
        if next(root.rglob(pattern), None) is not None}
    env = {"LD_LIBRARY_PATH": one["lib"], "PKG_CONFIG_PATH": one["pc"],
           "PKG_CONFIG_SYSROOT_DIR": str(root), "PYTHONDONTWRITEBYTECODE": "1",
           "CFLAGS": "-O0"}
    if "python" in one:
        env["PYTHONPATH"] = str(pathlib.Path(one["python"]).parent)
    return one, env


if __name__ == "__main__":
    folders, more = install(pathlib.Path(sys.argv[1]).resolve())
    print(json.dumps({**folders, "env": more}))
