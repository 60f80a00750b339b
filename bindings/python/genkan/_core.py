"""Handles of the C library: who owns them, and when they are freed.

A context and everything made from it share one _Core.  It counts what lives,
and the C context is freed with the last of them: closing a Context closes that
name, and what was made from it works on.  The collector may finalise a handle
on any thread and in any order, also while the context is in use; then the
handle is put aside and freed by the next call.

Whoever wants something of the C library enters the core first and reads the
pointer then: one that was read before may be freed by another thread, or by a
callback of what was put aside.  A call that takes handles of two contexts
enters both cores: see Handle._lent().
"""
import contextlib
import threading
import time
from typing import Any, Callable, ContextManager, List, Optional, Tuple

from . import _genkan, errors
from ._base import GenkanError


class InUse(errors.WrongState):
    """Somebody else is inside the context: nothing was done, and all is as it
    was before."""


class _Core:
    """One C context."""

    __slots__ = ("ptr", "live", "_busy", "_dead")

    def __init__(self, ptr: Any) -> None:
        self.ptr = ptr
        self.live = 0
        self._busy = threading.Lock()
        self._dead: List[Tuple[Callable[[Any], Any], Any]] = []

    def __enter__(self) -> "_Core":
        """From here to the end of the block nobody else uses the context."""
        if not self._busy.acquire(False):
            raise InUse(
                "the context is in use: by another thread, or by the call"
                " that this callback belongs to")
        if self._dead:
            try:
                self._reap()
            except BaseException:
                self._busy.release()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self._busy.release()

    def held(self) -> Any:
        """The context; for who has entered."""
        if self.ptr is None:
            raise errors.Closed("this Context is closed")
        return self.ptr

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        """Calls a C function on this context; raises what its code says."""
        with self:
            return self.judge(fn(self.held(), *args))

    def make(self, handle: "Handle", fn: Callable[..., Any],
             *args: Any) -> int:
        """As call(), and the handle holds what was made; gives the code."""
        with self:
            r, ptr = self.judge(fn(self.held(), *args))
            if ptr is not None:
                Handle.__init__(handle, self, ptr)
            code: int = r
            return code

    def bury(self, free: Callable[[Any], Any], ptr: Any) -> None:
        """Frees a handle now, or with the next call if somebody is busy."""
        self._dead.append((free, ptr))
        if self._busy.acquire(False):
            try:
                self._reap()
            finally:
                self._busy.release()

    def free(self, free: Callable[[Any], Any], ptr: Any) -> None:
        """Frees a handle now; for who has entered."""
        self._dead.append((free, ptr))
        self._reap()

    def _reap(self) -> None:
        while self._dead:
            free, ptr = self._dead.pop()
            free(ptr)
            self.live -= 1
        if self.live == 0 and self.ptr is not None:
            ptr, self.ptr = self.ptr, None
            _genkan.genkan_ctx_free(ptr)

    def judge(self, out: Any) -> Any:
        """Raises what a negative code stands for, which is alone or comes
        first; for who has entered."""
        r = out[0] if isinstance(out, (tuple, list)) else out
        if r < 0:
            text: str = _genkan.genkan_ctx_last_error(self.ptr)
            raise error(r, text)
        return out

    def __del__(self) -> None:
        # Reached with live handles only where the collector takes all at
        # once: the last of those handles frees the context then.
        if self._dead or (self.live == 0 and self.ptr is not None):
            self._reap()


def error(number: int, detail: str = "") -> GenkanError:
    """The exception for a number of the C library."""
    kind = errors.BY_NUMBER.get(number)
    if kind is not None:
        return kind(detail)
    # Of a library that is newer than this package.
    family = {_genkan.GENKAN_CLASS_CALLER: errors.CallerError,
              _genkan.GENKAN_CLASS_TRANSIENT: errors.TransientError,
              _genkan.GENKAN_CLASS_CONN: errors.ConnectionOver,
              _genkan.GENKAN_CLASS_FATAL: errors.FatalError}.get(
                  _genkan.genkan_error_class(number), GenkanError)
    one: GenkanError = family(detail or _genkan.genkan_error_text(number))
    one.number, one.code = number, _genkan.genkan_error_name(number)
    return one


class Handle:
    """Something of the C library that has to be closed.

    A context manager; closing twice is harmless, and using it afterwards
    raises genkan.errors.Closed.
    """

    _free: Callable[[Any], Any]
    _core: _Core

    def __init__(self, core: _Core, ptr: Any) -> None:
        """For who has entered the core: it is counted there."""
        self._core = core
        self._ptr = ptr
        core.live += 1

    @property
    def closed(self) -> bool:
        return getattr(self, "_ptr", None) is None

    def close(self) -> None:
        """Frees it.  The context goes on."""
        ptr = self._take()
        if ptr is not None:
            self._core.bury(type(self)._free, ptr)

    def _take(self) -> Any:
        """The pointer for one alone, however many ask; None afterwards."""
        return self.__dict__.pop("_ptr", None)

    def _held(self) -> Any:
        """The pointer; for who has entered the core."""
        ptr = getattr(self, "_ptr", None)
        if ptr is None:
            raise errors.Closed(f"this {type(self).__name__} is closed")
        return ptr

    def _lent(self, core: _Core) -> ContextManager[Any]:
        """Round a call on another core that takes this handle too: nobody
        frees it meanwhile, although it may be of a context of its own."""
        if self.closed:
            raise errors.Closed(f"this {type(self).__name__} is closed")
        if self._core is core:
            return contextlib.nullcontext()
        return self._core

    def _call(self, fn: Callable[..., Any], *args: Any) -> Any:
        """Calls a C function on it that returns no code."""
        with self._core:
            return fn(self._held(), *args)

    def _ask(self, fn: Callable[..., Any], *args: Any) -> Any:
        """Calls one that does; raises what the code stands for."""
        with self._core:
            return self._core.judge(fn(self._held(), *args))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<genkan.{type(self).__name__}{state}>"


def core_of(context: "Optional[Handle]") -> _Core:
    """The core of a context that is open; one of its own for None."""
    if context is None:
        return new_core(None, _genkan.GENKAN_LOG_INFO, None, None)
    if not getattr(context, "_is_context", False):
        raise wrong("context", "genkan.Context", context)
    if context.closed:
        raise errors.Closed("this Context is closed")
    return context._core


def wrong(name: str, what: str, given: object) -> TypeError:
    """Of an argument of another type; the C half says the same."""
    return TypeError(f"{name}: expected {what}, not {type(given).__name__}")


def new_core(log: Any, log_level: int, random: Any,
             program_dir: "Optional[str]") -> _Core:
    """Makes a C context, and tells it the time."""
    r, ptr = _genkan.gk_ctx_new(log, log_level, random, program_dir)
    if r < 0:
        raise error(r)
    core = _Core(ptr)
    core.call(_genkan.genkan_ctx_set_time, monotonic_ms())
    return core


def monotonic_ms() -> int:
    """The time as this package tells it to the library."""
    return time.monotonic_ns() // 1000000
