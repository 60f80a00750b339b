"""Frames of native messaging."""
import io
import json
import os
import struct
import subprocess
import sys

import pytest
from genkan import errors, native


def frame(value):
    body = json.dumps(value).encode()
    return struct.pack("<I", len(body)) + body


@pytest.mark.parametrize("cut", range(18))
def test_wherever_a_read_ends_the_same_frames_come(cut):
    wire = frame({"hello": "x"})[:18]
    d = native.Decoder()
    assert d.feed(wire[:cut]) + d.feed(wire[cut:]) == [wire[4:]]
    assert d.eof() == "clean"


def test_the_cap_is_inclusive():
    assert native.Decoder(max=3).feed(b"\3\0\0\0abc") == [b"abc"]
    with pytest.raises(errors.FrameTooLarge):
        native.Decoder(max=2).feed(b"\3\0\0\0abc")


def test_an_error_is_final():
    d = native.Decoder()
    for data in (b"\0\0\0\0", b"\2\0\0\0{}"):
        with pytest.raises(errors.EmptyFrame) as e:
            d.feed(data)
    assert isinstance(e.value, errors.ConnectionOver)
    assert (e.value.code, e.value.number) == ("empty-frame", -27)


def test_any_buffer_will_do():
    wire = bytearray(frame([1]))
    assert native.Decoder().feed(memoryview(wire)) == [b"[1]"]
    assert native.encode(memoryview(b"{}")) == b"\2\0\0\0{}"
    with pytest.raises(TypeError):
        native.encode("{}")
    with pytest.raises(TypeError):
        native.Decoder().feed("text")


def test_headers_have_bounds():
    assert native.header(1) == b"\1\0\0\0"
    assert native.header(native.OUT_MAX) == struct.pack("<I", 1 << 20)
    for n, kind in ((0, errors.EmptyFrame), (-1, errors.InvalidArgument),
                    (native.OUT_MAX + 1, errors.FrameTooLarge)):
        with pytest.raises(kind):
            native.header(n)


def test_a_host_reads_and_writes_messages():
    sink = io.BytesIO()
    host = native.NativeHost(io.BytesIO(frame({"n": 1}) + frame({"n": 2})),
                             sink)
    for message in host:
        host.send({"echo": message["n"], "text": "ü"})
    assert native.Decoder().feed(sink.getvalue()) == [
        '{"echo":1,"text":"ü"}'.encode(), '{"echo":2,"text":"ü"}'.encode()]
    host.close()


def test_a_host_that_is_cut_short():
    host = native.NativeHost(io.BytesIO(frame({"n": 1})[:-1]), io.BytesIO())
    with pytest.raises(errors.FrameCutShort):
        host.receive()
    host = native.NativeHost(io.BytesIO(b"\3\0\0\0{]}"), io.BytesIO())
    with pytest.raises(errors.BadJson):
        host.receive()


def test_a_stray_print_damages_nothing():
    code = ("from genkan import native\n"
            "with native.NativeHost() as host:\n"
            "    for m in host:\n"
            "        print('stray', flush=True)\n"
            "        host.send({'got': m})\n")
    done = subprocess.run(
        [sys.executable, "-c", code], input=frame({"a": 1}), timeout=60,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        capture_output=True)
    assert done.stdout == native.encode(b'{"got":{"a":1}}')
    assert done.stderr == b"stray\n"
