"""Native messaging: the frames between a browser and its host.

A host of your own in five lines::

    with genkan.native.NativeHost() as host:
        for message in host:
            host.send({"echo": message})
"""
import json
import os
import sys
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Union

from . import _genkan, errors
from ._core import Handle, core_of, error, wrong
from .context import Context

#: Bytes of JSON that a browser accepts from a host, and a host from a browser.
OUT_MAX: int = _genkan.GENKAN_NATIVE_OUT_MAX
IN_MAX: int = _genkan.GENKAN_NATIVE_IN_MAX

Buffer = Union[bytes, bytearray, memoryview]


def octets(data: Buffer) -> memoryview:
    """The bytes of any object that has some, whatever its items are."""
    try:
        return memoryview(data).cast("B")
    except TypeError:
        raise wrong("data", "bytes", data) from None


def header(length: int, max: int = OUT_MAX) -> bytes:
    """The four bytes before a frame of so many bytes."""
    r, head = _genkan.gk_native_header(length, max)
    if r < 0:
        raise error(r)
    out: bytes = head
    return out


def encode(data: Buffer, max: int = OUT_MAX) -> bytes:
    """Prefix and JSON in one piece; the JSON is not looked at."""
    r, frame = _genkan.gk_native_encode(data, max)
    if r < 0:
        raise error(r)
    out: bytes = frame
    return out


class Decoder(Handle):
    """Takes frames of one direction out of a stream of bytes.

    >>> decoder = Decoder()
    >>> decoder.feed(b"\\x02\\0\\0\\0{}")
    [b'{}']
    """

    _free = staticmethod(_genkan.genkan_native_free)

    def __init__(self, max: int = IN_MAX,
                 context: Optional[Context] = None) -> None:
        core = core_of(context)
        core.make(self, _genkan.genkan_native_new, max)

    def feed(self, data: Buffer) -> List[bytes]:
        """The frames that these bytes complete.  An error is final."""
        frames: List[bytes] = []
        view = octets(data)
        while len(view) > 0:
            with self._core:
                r, used = self._core.judge(
                    _genkan.genkan_native_feed(self._held(), view))
                if r == 1:
                    frames.append(_genkan.gk_native_frame(self._held()))
            view = view[used:]
        return frames

    def eof(self) -> str:
        """What the end of the input means here: clean, prefix or body."""
        r: int = self._ask(_genkan.genkan_native_eof)
        return ("clean", "prefix", "body")[r]


class NativeHost:
    """The two pipes of a native-messaging host of your own.

    Reads JSON values from the browser and writes JSON values to it.  Without
    arguments it takes descriptors 0 and 1 and points 1 at standard error, so
    that a stray print() damages nothing.
    """

    def __init__(self, source: Optional[BinaryIO] = None,
                 sink: Optional[BinaryIO] = None,
                 context: Optional[Context] = None) -> None:
        for name, end, verb in (("source", source, "read"),
                                ("sink", sink, "write")):
            if end is not None and not hasattr(end, verb):
                raise wrong(name, "a binary file", end)
        self._decoder = Decoder(IN_MAX, context)
        self._ready: List[bytes] = []
        self._source = source or os.fdopen(os.dup(0), "rb", buffering=0)
        if sink is None:
            sys.stdout.flush()
            sink = os.fdopen(os.dup(1), "wb", buffering=0)
            os.dup2(2, 1)
        self._sink = sink

    def receive(self) -> Optional[Any]:
        """The next message; None at the end.

        A browser sends objects, so None is never one.  Raises
        genkan.errors.FrameCutShort where the input ends inside a frame.
        """
        while not self._ready:
            data = self._read()
            if not data:
                if self._decoder.eof() == "body":
                    raise errors.FrameCutShort()
                return None
            self._ready = self._decoder.feed(data)
        try:
            return json.loads(self._ready.pop(0))
        except ValueError as e:
            raise errors.BadJson(str(e)) from None

    def send(self, message: Any) -> None:
        """Writes one message."""
        frame = encode(json.dumps(message, ensure_ascii=False, allow_nan=False,
                                  separators=(",", ":")).encode())
        view = memoryview(frame)
        while len(view) > 0:
            n = self._sink.write(view)
            view = view[len(view) if n is None else n:]
        self._sink.flush()

    def _read(self) -> bytes:
        one: Any = getattr(self._source, "read1", self._source.read)
        data: bytes = one(1 << 16)
        return data

    def __iter__(self) -> Iterator[Any]:
        while True:
            message = self.receive()
            if message is None:
                return
            yield message

    def close(self) -> None:
        """Frees the decoder and closes both ends."""
        self._decoder.close()
        self._source.close()
        self._sink.close()

    def __enter__(self) -> "NativeHost":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
