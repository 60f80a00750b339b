"""The machines: legs, events, jobs, and the server, broker and host of them.

For programs that run genkan-server's or genkan-host's work in a loop of their
own (genkan.ClientMachine is the one that calls tools); who only wants to call
tools takes genkan.Client.
"""
import socket
import threading
from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple

from . import _genkan, errors
from ._base import GenkanError
from ._core import Handle, _Core, core_of, monotonic_ms, wrong
from .context import Context
from .peer import Peer
from .store import Calls, Store, calls

WANT_READ: int = _genkan.GENKAN_WANT_READ
WANT_WRITE: int = _genkan.GENKAN_WANT_WRITE
WANT_CLOSE: int = _genkan.GENKAN_WANT_CLOSE

_KINDS = {_genkan.GENKAN_EV_JOB: "job", _genkan.GENKAN_EV_LISTEN: "listen",
          _genkan.GENKAN_EV_UNLISTEN: "unlisten",
          _genkan.GENKAN_EV_SERVE: "serve", _genkan.GENKAN_EV_EXIT: "exit",
          _genkan.GENKAN_EV_STATE: "state",
          _genkan.GENKAN_EV_RESULT: "result",
          _genkan.GENKAN_EV_PROGRESS: "progress"}


class Leg(Handle):
    """One byte stream between the library and something outside."""

    _free = staticmethod(_genkan.genkan_leg_free)

    def feed(self, data: "bytes | bytearray | memoryview") -> int:
        """Hands over what arrived; returns how many bytes it took."""
        _, used = self._ask(_genkan.genkan_leg_feed, data)
        n: int = used
        return n

    def eof(self) -> None:
        """The input has ended."""
        self._call(_genkan.genkan_leg_eof)

    def broken(self) -> None:
        """The output has failed, or its reader is gone."""
        self._call(_genkan.genkan_leg_broken)

    def output(self, most: int = 1 << 18) -> bytes:
        """What to send next, at most so many bytes; b"" if there is none."""
        data: Optional[bytes] = self._call(_genkan.gk_leg_output, most)
        return data or b""

    def gather(self, most: int = 1 << 13) -> bytes:
        """Messages that wait, whole and together, at most so many bytes: for
        one write in the place of many.  b"" if fewer than two wait or fit."""
        data: Optional[bytes] = self._call(_genkan.gk_leg_gather, most)
        return data or b""

    def _send(self, sock: socket.socket, most: int = 1 << 18) -> int:
        """Sends what output() has and tells wrote(), while nobody else gets
        into the context: how many bytes, 0 if there is nothing or no room, -1
        if the socket said no, as broken() was told then."""
        with self._core:
            leg = self._held()
            data: Optional[bytes] = _genkan.gk_leg_output(leg, most)
            if not data:
                return 0
            try:
                n = sock.send(data)
            except BlockingIOError:
                return 0
            except OSError:
                _genkan.genkan_leg_broken(leg)
                return -1
            _genkan.genkan_leg_wrote(leg, n)
            return n

    def wrote(self, n: int) -> None:
        """So many bytes of the output went out."""
        self._call(_genkan.genkan_leg_wrote, n)

    @property
    def wants(self) -> int:
        """WANT_* bits."""
        bits: int = self._call(_genkan.genkan_leg_wants)
        return bits

    @property
    def deadline(self) -> Optional[int]:
        """When tick() is due, in monotonic milliseconds; None: never."""
        return _deadline(self, _genkan.genkan_leg_deadline)

    def tick(self, now_ms: Optional[int] = None) -> None:
        """Tells what time it is."""
        self._call(_genkan.genkan_leg_tick,
                   monotonic_ms() if now_ms is None else now_ms)


class Job(Handle):
    """Slow work: run() on any thread, then done() on the context's.

    While it runs, everything else that is asked of it on another thread gets
    genkan.errors.WrongState: run(), done() and close().
    """

    _free = staticmethod(_genkan.genkan_job_done)

    def __init__(self, core: _Core, ptr: Any) -> None:
        self._running = threading.Lock()
        super().__init__(core, ptr)

    def _enter(self) -> None:
        if not self._running.acquire(False):
            raise errors.WrongState("this Job is in use by another thread")

    def run(self) -> None:
        """Does it; may block.  Touches nothing but the job."""
        self._enter()
        try:
            _genkan.genkan_job_run(self._held())
        finally:
            self._running.release()

    def done(self) -> None:
        """Hands it back; without run() before, it has failed."""
        # Its callbacks may ask to close it, so the pointer is gone by then.
        ptr = self._take()
        if ptr is None:
            raise errors.Closed("this Job is closed")
        try:
            # Straight away, whoever waits for the result: never put aside.
            with self._core:
                self._core.free(type(self)._free, ptr)
        except errors.WrongState:
            self._ptr = ptr
            raise

    def _take(self) -> Any:
        self._enter()
        try:
            return super()._take()
        finally:
            self._running.release()

    def __del__(self) -> None:
        try:
            self.close()
        except errors.WrongState:
            pass		# who runs it holds it, and drops it later


class Event(NamedTuple):
    """What a machine asks its program to do: <genkan/event.h>."""

    kind: str
    fd: int
    status: int
    code: int
    leg: Optional[Leg]
    job: Optional[Job]
    id: int
    data: Optional[bytes]
    text: Optional[str]


def _deadline(handle: Handle, fn: Callable[..., Any]) -> Optional[int]:
    r, ms = handle._call(fn)
    n: int = ms
    return n if r == 1 else None


def _event(core: _Core, raw: Tuple[Any, ...]) -> Optional[Event]:
    """For who has entered the core, as leg and job are new."""
    if core.judge(raw)[0] == 0:
        return None
    _, kind, fd, status, code, leg, job, id, data, text = raw
    return Event(_KINDS.get(kind, "none"), fd, status, code,
                 None if leg is None else Leg(core, leg),
                 None if job is None else Job(core, job), id, data, text)


class _Machine(Handle):
    _verbs: Tuple[Any, ...]
    _calls: Optional[Calls] = None

    def _made(self, context: Optional[Context], store: Optional[Store],
              fn: Callable[..., Any], *args: Any) -> None:
        """Made with records of the program's own, or None."""
        core = core_of(context)
        self._calls = calls(store)
        try:
            core.make(self, fn, *args, self._calls)
        except GenkanError as e:
            raised = None if self._calls is None else self._calls.take()
            if raised is None:
                raise
            raise raised from e

    def _rest(self) -> None:
        if self._calls is not None:
            self._calls.rest()

    def close(self) -> None:
        super().close()
        raised = None if self._calls is None else self._calls.take()
        if raised is not None:		# nobody is left to raise it
            _genkan.gk_unraisable(raised, self)

    def stdio(self) -> Optional[Leg]:
        """The leg of standard input and output; None at later calls."""
        with self._core:
            ptr = self._verbs[0](self._held())
            return None if ptr is None else Leg(self._core, ptr)

    def next(self) -> Optional[Event]:
        """One event, None when there is none."""
        self._rest()		# before it, so that no event is lost
        with self._core:
            return _event(self._core, self._verbs[1](self._held()))

    def stop(self) -> None:
        """Leave now: an exit is the next event."""
        self._call(self._verbs[2])

    @property
    def deadline(self) -> Optional[int]:
        """When tick() is due, in monotonic milliseconds; None: never."""
        return _deadline(self, self._verbs[3])

    def tick(self, now_ms: Optional[int] = None) -> None:
        """Tells what time it is; before anything is fed."""
        self._call(self._verbs[4],
                   monotonic_ms() if now_ms is None else now_ms)
        self._rest()


class Server(_Machine):
    """An MCP server, as broker or as relay: <genkan/server.h>."""

    _free = staticmethod(_genkan.genkan_server_free)
    _verbs = (_genkan.genkan_server_stdio, _genkan.gk_server_next,
              _genkan.genkan_server_stop, _genkan.genkan_server_deadline,
              _genkan.genkan_server_tick)

    def __init__(self, context: Optional[Context] = None,
                 client_name: Optional[str] = None,
                 broker_only: bool = False,
                 store: Optional[Store] = None) -> None:
        self._made(context, store, _genkan.gk_server_new, client_name,
                   int(bool(broker_only)))

    def accept(self) -> bool:
        """Takes one connection from the listener; False if there is none."""
        return bool(self._ask(_genkan.genkan_server_accept) == 1)

    @property
    def role(self) -> str:
        """electing, attached, broker or outdated."""
        text: str = self._call(_genkan.genkan_server_role)
        return text


class Broker(_Machine):
    """The broker alone, over connections of your own: <genkan/broker.h>.

    Over the records of this user, or those of a store.  It has no stdio() and nothing to stop().
    """

    _free = staticmethod(_genkan.genkan_broker_free)
    _verbs = (lambda _: None, _genkan.gk_broker_next, lambda _: None,
              _genkan.genkan_broker_deadline, _genkan.genkan_broker_tick)

    def __init__(self, secret: str, stay: bool = False,
                 context: Optional[Context] = None,
                 store: Optional[Store] = None) -> None:
        self._made(context, store, _genkan.gk_broker_new, secret, int(bool(stay)))

    def accept(self, peer: Peer) -> Leg:
        """The leg of a connection whose other end is known."""
        if not isinstance(peer, Peer):
            raise wrong("peer", "genkan.peer.Peer", peer)
        leg = Leg.__new__(Leg)
        with peer._lent(self._core):
            self._core.make(leg, lambda _: _genkan.genkan_broker_accept(
                self._held(), peer._held()))
        return leg

    @property
    def clients(self) -> int:
        n: int = self._call(_genkan.genkan_broker_clients)
        return n

    @property
    def browsers(self) -> int:
        n: int = self._call(_genkan.genkan_broker_browsers)
        return n


class Host(_Machine):
    """The native-messaging host of one browser: <genkan/host.h>."""

    _free = staticmethod(_genkan.genkan_host_free)
    _verbs = (_genkan.genkan_host_stdio, _genkan.gk_host_next,
              _genkan.genkan_host_stop, _genkan.genkan_host_deadline,
              _genkan.genkan_host_tick)

    def __init__(self, argv: Sequence[str] = (),
                 context: Optional[Context] = None) -> None:
        if isinstance(argv, str) or not isinstance(argv, Sequence):
            raise wrong("argv", "a list of str", argv)
        core = core_of(context)
        core.make(self, _genkan.gk_host_new, list(argv))

    @property
    def state(self) -> str:
        """What it is doing, for people."""
        text: str = self._call(_genkan.genkan_host_state)
        return text
