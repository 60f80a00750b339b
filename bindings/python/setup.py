"""The part that pyproject.toml cannot say: the extension module, built against
the libgenkan that pkg-config finds (PKG_CONFIG_PATH for one elsewhere)."""
import shlex
import subprocess

from setuptools import Extension, setup


def flags(option):
    return shlex.split(subprocess.check_output(
        ["pkg-config", option, "genkan"], text=True))


setup(ext_modules=[Extension(
    "genkan._genkan", ["genkan_wrap.c"],
    extra_compile_args=["-w", "-fvisibility=hidden", *flags("--cflags")],
    extra_link_args=flags("--libs"))])
