"""A home and a runtime directory for every test."""
import gc
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] /
                       "protocol"))
import harness  # noqa: E402


@pytest.fixture(autouse=True)
def nobodys(monkeypatch, tmp_path):
    """No test writes to what the person has who runs it."""
    for name in ("HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.fixture
def world(monkeypatch):
    """Directories of its own, which this process sees as well."""
    w = harness.World()
    monkeypatch.setenv("HOME", str(w.home))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(w.run))
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    yield w
    w.close()
    gc.collect()


@pytest.fixture
def descriptors():
    """How many descriptors are open."""
    return lambda: len(os.listdir("/proc/self/fd"))
