"""What is generated, against the tables and the library itself."""
import json
import os
import pathlib
import socket
import sys

import genkan
import pytest
from genkan import _client, _core, _genkan, codes, errors, peer

TABLES = json.loads((pathlib.Path(os.environ["GENKAN_BUILDDIR"]) /
                     "contract.json").read_text())


def test_every_error_has_an_exception():
    for row in TABLES["errors"]:
        kind = errors.BY_NUMBER[row["number"]]
        assert kind.code == row["wire"] == _genkan.genkan_error_name(
            row["number"])
        assert str(_core.error(row["number"])).rstrip(".").lower() == \
            row["text"].lower().replace('"', "'")
        parent = {1: errors.CallerError, 2: errors.TransientError,
                  3: errors.ConnectionOver, 4: errors.FatalError}
        assert issubclass(kind, parent[_genkan.genkan_error_class(
            row["number"])])
    assert len(errors.BY_NUMBER) == len(TABLES["errors"])


def test_pythons_own_idioms_hold():
    assert issubclass(errors.InvalidArgument, ValueError)
    assert issubclass(errors.Timeout, TimeoutError)
    assert issubclass(errors.NoMemory, MemoryError)
    assert str(errors.Timeout("after a while")) == "after a while"


def test_an_error_that_this_package_does_not_know():
    e = _core.error(-9999)
    assert type(e) is genkan.GenkanError and str(e)
    assert (e.number, e.code) == (-9999, "unknown")
    e = _client.tool_error(9999, "")
    assert type(e) is genkan.ToolError and e.number == 9999
    assert (e.code, e.retryable) == ("unknown", False)


def test_what_the_library_knows_better_it_is_asked_for(monkeypatch):
    """It may be newer than the package."""
    for row in TABLES["errors"]:
        kind = type(_core.error(row["number"]))
        monkeypatch.delitem(errors.BY_NUMBER, row["number"])
        e = _core.error(row["number"])
        assert (e.code, str(e)) == (row["wire"], row["text"])
        assert type(e) in kind.__mro__ and type(e) is not genkan.GenkanError
    for row in TABLES["codes"]:
        monkeypatch.delitem(codes.BY_NUMBER, row["number"])
        e = _client.tool_error(row["number"], "")
        assert (e.code, e.retryable, str(e)) == (
            row["code"], row["retryable"], row["text"])


def test_every_code_of_a_tool_has_an_exception():
    for row in TABLES["codes"]:
        kind = codes.BY_NUMBER[row["number"]]
        assert (kind.code, kind.retryable, kind.category) == (
            row["code"], row["retryable"], row["category"].lower())
        assert issubclass(kind, genkan.ToolError)
    assert len(codes.BY_NUMBER) == len(TABLES["codes"])


def test_every_public_function_is_wrapped():
    """The names of the map, less those that have a helper instead, and those
    that tests/lint/bindings.except has a reason for."""
    root = pathlib.Path(os.environ["GENKAN_SRCDIR"])
    rows = [line.split("\t") for line in
            (root / "tests/lint/bindings.except").read_text().splitlines()
            if not line.startswith("#")]
    left = {row[0] for row in rows if row[1] in ("python", "both")}
    names = [line.strip(" \t;\n") for line in
             (root / "libgenkan/genkan.map").read_text().splitlines()
             if line.strip().startswith("genkan_")]
    names = [n for n in names if n not in left]
    missing = [n for n in names if not hasattr(_genkan, n) and
               not hasattr(_genkan, n.replace("genkan_", "gk_", 1))]
    assert missing == []


def test_the_versions_agree():
    assert genkan.__version__ == genkan.library_version()


def test_the_other_end_of_a_socket_is_this_program():
    a, b = socket.socketpair()
    with a, b, peer.Peer(a, "/nonexistent") as p:
        assert p.same_user and p.pid == os.getpid() and p.roles == 0
        assert p.path == os.path.realpath(sys.executable)
        assert len(p.hash) == 64 and p.why == ""
    with pytest.raises(errors.InvalidArgument):
        peer.Peer(-1, "/nonexistent")
