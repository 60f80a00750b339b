"""What the synchronous and the asyncio client have in common: the machine, the
calls that are outstanding, and the events that end them.
"""
import base64
import json
import os
import socket
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from . import _genkan, codes, errors
from ._base import GenkanError, ToolError
from ._core import InUse, core_of, error, wrong
from ._tools import RENDER
from .context import Context
from .machines import WANT_CLOSE, Event, Job, Leg, _Machine

ATTACHED: int = _genkan.GENKAN_CLIENT_ATTACHED
ATTACHING: int = _genkan.GENKAN_CLIENT_ATTACHING
DETACHED: int = _genkan.GENKAN_CLIENT_DETACHED
_CHUNK = 1 << 18


class Image(NamedTuple):
    """A picture that a tool took."""

    mime_type: str
    data: bytes


class Result(NamedTuple):
    """What a call gave: its text as it is, and the result of the protocol."""

    tool: str
    text: Optional[str]
    raw: Optional[Dict[str, Any]]

    @property
    def value(self) -> Any:
        """A parsed document, text, or an Image."""
        render = RENDER.get(self.tool, "text" if self.text is not None
                            else "image")
        if render == "image":
            for item in (self.raw or {}).get("content", []):
                if item.get("type") == "image":
                    return Image(item["mimeType"],
                                 base64.b64decode(item["data"]))
            return None
        if render == "json" and self.text is not None:
            return json.loads(self.text)
        return self.text


class ClientMachine(_Machine):
    """The machine itself: <genkan/client.h>, without a descriptor."""

    _free = staticmethod(_genkan.genkan_client_free)
    _verbs = (lambda _: None, _genkan.gk_client_next, lambda _: None,
              _genkan.genkan_client_deadline, _genkan.genkan_client_tick)

    def __init__(self, program_dir: Optional[str] = None,
                 context: Optional[Context] = None) -> None:
        core = core_of(context)
        core.make(self, _genkan.gk_client_new, program_dir)

    def attach(self) -> None:
        self._ask(_genkan.genkan_client_attach)

    def join(self, secret: str) -> Leg:
        """Attaches over a connection that is there: the leg for it."""
        leg = Leg.__new__(Leg)
        self._core.make(leg, lambda _: _genkan.genkan_client_join(
            self._held(), secret))
        return leg

    def call(self, tool: str, args: Dict[str, Any], timeout_ms: int) -> int:
        if not isinstance(args, dict):
            raise wrong("args", "dict", args)
        try:
            data = json.dumps(args, ensure_ascii=False, allow_nan=False,
                              separators=(",", ":")).encode("utf-8", "strict")
        except TypeError as e:
            raise TypeError(f"args: {e}") from e
        except (ValueError, RecursionError) as e:
            raise errors.InvalidArgument(f"args: {e}") from e
        _, id = self._ask(_genkan.genkan_client_call, tool, data, timeout_ms)
        n: int = id
        return n

    def tools(self) -> int:
        _, id = self._ask(_genkan.genkan_client_tools)
        n: int = id
        return n

    def cancel(self, id: int) -> bool:
        """Gives a call up; False if it has ended already."""
        try:
            self._ask(_genkan.genkan_client_cancel, id)
        except errors.NotFound:
            return False
        return True

    @property
    def state(self) -> int:
        n: int = self._call(_genkan.genkan_client_state)
        return n

    @property
    def outstanding(self) -> int:
        n: int = self._call(_genkan.genkan_client_outstanding)
        return n


class Pending(NamedTuple):
    """A call that has not ended: what to do when it does."""

    tool: str
    done: Callable[[Result], None]
    failed: Callable[[BaseException], None]
    progress: Optional[Callable[[str], Any]]


def tool_error(number: int, text: str) -> ToolError:
    """The exception for a result code."""
    kind = codes.BY_NUMBER.get(number)
    if kind is not None:
        return kind(text)
    # Of a library that is newer than this package.
    one = ToolError(text or _genkan.genkan_code_text(number))
    one.number = number
    one.code = _genkan.genkan_code_name(number) or one.code
    one.retryable = bool(_genkan.genkan_code_retryable(number))
    return one


#: A timeout that is longer is a mistake: thirty years, in seconds.
_LONGEST = 1e9


def seconds(timeout: Optional[float]) -> Optional[float]:
    """A timeout as it was given, if it is one: None for none."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise wrong("timeout", "seconds or None", timeout)
    if not timeout <= _LONGEST:		# nor NaN
        raise errors.InvalidArgument(
            "timeout: expected at most 1e9 seconds, or None for no limit")
    return timeout


def milliseconds(timeout: Optional[float]) -> int:
    """Of a timeout in seconds; 0 for none, at least 1 otherwise."""
    given = seconds(timeout)
    return 0 if given is None else max(1, int(max(given, 0.0) * 1000))


def arguments(args: Optional[Dict[str, Any]],
              more: Dict[str, Any]) -> Dict[str, Any]:
    """Those of a call: as a dict, as keywords, or both."""
    if args is None:
        return more
    if not isinstance(args, dict):
        raise wrong("args", "dict", args)
    return {**args, **more}


def function(name: str, fn: Any) -> Any:
    if fn is not None and not callable(fn):
        raise wrong(name, "a function", fn)
    return fn


#: Those that a fork has to tell.
_clients: "weakref.WeakSet[ClientBase]" = weakref.WeakSet()


def _forked() -> None:
    for client in list(_clients):
        client._forked()


os.register_at_fork(after_in_child=_forked)


class ClientBase:
    """Events, bytes and calls; subclasses own the loop.

    In the child of a fork it is closed: the connection is the parent's, which
    notices nothing.
    """

    def __init__(self, program_dir: Optional[str],
                 context: Optional[Context]) -> None:
        self._machine = ClientMachine(program_dir, context)
        self._calls: Dict[int, Pending] = {}
        self._sock: Optional[socket.socket] = None
        self._leg: Optional[Leg] = None
        self._held = b""		# read, but not taken by the leg yet
        self._given_up: List[int] = []	# calls, the machine is to be told
        self._unsure = False		# torn: an event may be lost
        #: Why it is not attached any more; None while it is.
        self.reason: Optional[GenkanError] = None
        _clients.add(self)

    # ------------------------------------------------------------- the outside

    @property
    def attached(self) -> bool:
        return not self._machine.closed and self._machine.state == ATTACHED

    @property
    def closed(self) -> bool:
        return self._machine.closed

    @property
    def outstanding(self) -> int:
        """Calls that have not ended.  At most 127 of them are with the broker,
        the others wait in order."""
        return 0 if self._machine.closed else self._machine.outstanding

    # --------------------------------------------------- what a subclass does

    def _job(self, job: Job) -> None:
        raise NotImplementedError

    def _opened(self) -> None:
        """There is a socket now."""

    def _closing(self) -> None:
        """There will be none, in a moment."""

    def _changed(self) -> None:
        """Attached, or not any more."""

    # ---------------------------------------------------------------- events

    def _begin(self, id: int, pending: Pending) -> int:
        self._calls[id] = pending
        return id

    def _pump(self) -> None:
        """Takes every event, and moves what can be moved.

        Where another thread is in the context it raises InUse, loses nothing,
        and goes on the next time.
        """
        try:
            self._pump_all()
        except InUse:
            raise
        except BaseException:
            self._torn()
            raise

    def _torn(self) -> None:
        """KeyboardInterrupt, or want of memory, in the middle: nobody knows
        what was sent or taken, so the connection is given up.  What waits ends
        as if it had been lost, and attach() makes another."""
        self._unsure = True
        self._drop()

    def _pump_all(self) -> None:
        self._machine.tick()
        moved = True
        while moved and not self._machine.closed:
            while not self._machine.closed:
                self._tell()
                event = self._machine.next()
                if event is None:
                    break
                self._event(event)
            moved = not self._machine.closed and self._move()
        if self._unsure and not self._machine.closed:
            if self._machine.state == DETACHED:
                self._lost(self.reason or errors.Closed(
                    "the connection was given up in the middle"))
            self._unsure = False

    def _tell(self) -> None:
        """Tells the machine which calls nobody waits for any more."""
        while self._given_up:
            try:
                self._machine.cancel(self._given_up[0])
            except InUse:
                raise
            except GenkanError:
                pass		# no memory: it runs to its end
            self._given_up.pop(0)

    def _event(self, event: Event) -> None:
        if event.job is not None:
            self._job(event.job)
        elif event.leg is not None:
            self._leg = event.leg
            self._sock = socket.socket(fileno=event.fd)
            self._sock.setblocking(False)
            self._opened()
        elif event.kind == "state":
            self._state(event)
        elif event.kind == "result":
            pending = self._calls.pop(event.id, None)
            if pending is None:
                return
            if event.code != 0:
                pending.failed(tool_error(event.code, event.text or ""))
            else:
                pending.done(Result(
                    pending.tool, event.text,
                    None if event.data is None else json.loads(event.data)))
        elif event.kind == "progress":
            pending = self._calls.get(event.id)
            if pending is not None and pending.progress is not None:
                try:
                    pending.progress(event.text or "")
                except Exception as e:
                    # Whoever moves the events waits for another call, maybe.
                    _genkan.gk_unraisable(e, pending.progress)

    def _state(self, event: Event) -> None:
        if event.status == ATTACHED:
            self.reason = None
        else:
            self._lost(error(event.code, event.text or ""))
            return
        self._changed()

    def _lost(self, reason: GenkanError) -> None:
        """Not attached any more.  What waits would wait for another attach()
        that nobody promised."""
        self.reason = reason
        for id in list(self._calls):
            self._give_up(id, reason)
        self._changed()

    def _give_up(self, id: int, e: Optional[BaseException] = None) -> bool:
        """Ends a call from here; False if it has ended already."""
        pending = self._calls.pop(id, None)
        if pending is None:
            return False
        self._given_up.append(id)
        if e is not None:
            pending.failed(e)
        return True

    # ------------------------------------------------------------------ bytes

    def _read(self) -> None:
        """The socket is readable."""
        if self._sock is None or self._leg is None or self._held:
            return
        try:
            try:
                self._held = self._sock.recv(_CHUNK)
            except BlockingIOError:
                return
            except OSError:
                self._leg.broken()
            if not self._held:
                self._leg.eof()
        except InUse:
            raise		# the socket says so again
        except BaseException:
            self._torn()
            raise

    def _move(self) -> bool:
        """True where the machine may have something to say now."""
        leg, moved = self._leg, False
        if leg is None or self._sock is None:
            return False
        if self._held:
            try:
                used = leg.feed(self._held)
            except InUse:
                raise
            except GenkanError:
                used = len(self._held)		# it wants to close now
            self._held = self._held[used:]
            moved = used > 0
        sent = 1
        while sent > 0:
            sent = leg._send(self._sock, _CHUNK)
        moved = moved or sent < 0
        if leg.wants & WANT_CLOSE and not leg.output(1):
            self._drop()
            return True
        return moved

    def _drop(self) -> None:
        if self._sock is not None:
            self._closing()
            self._sock.close()
        if self._leg is not None:
            self._leg.close()
        self._sock = self._leg = None
        self._held = b""

    def _forked(self) -> None:
        """Nothing is asked of the loop, whose descriptors are the parent's
        too."""
        if not self._machine.closed:
            self._close()

    def _close(self) -> None:
        self._drop()
        self._machine.close()
        self._given_up.clear()
        calls, self._calls = self._calls, {}
        for pending in calls.values():
            pending.failed(errors.Closed("the client was closed"))
