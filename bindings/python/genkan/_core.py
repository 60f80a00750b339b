"""Handles of the C library: who owns them, and when they are freed.

A context and everything made from it share one _Core.  It counts what lives,
and the C context is freed with the last of them: closing a Context closes that
name, and what was made from it works on.  The collector may finalise a handle
on any thread and in any order, also while the context is in use; then the
handle is put aside and freed by the next call.
"""
import threading
import time
from typing import Any, Callable, List, Optional, Tuple

from . import _genkan, errors
from ._base import GenkanError


class _Core:
    """One C context."""

    __slots__ = ("ptr", "live", "_busy", "_dead")

    def __init__(self, ptr: Any) -> None:
        self.ptr = ptr
        self.live = 0
        self._busy = threading.Lock()
        self._dead: List[Tuple[Callable[[Any], Any], Any]] = []

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        """Calls a C function on this context, which nobody else uses now."""
        if not self._busy.acquire(False):
            raise errors.WrongState(
                "the context is in use: by another thread, or by the call"
                " that this callback belongs to")
        try:
            if self._dead:
                self._reap()
            return fn(*args)
        finally:
            self._busy.release()

    def bury(self, free: Callable[[Any], Any], ptr: Any) -> None:
        """Frees a handle now, or with the next call if somebody is busy."""
        self._dead.append((free, ptr))
        if self._busy.acquire(False):
            try:
                self._reap()
            finally:
                self._busy.release()

    def _reap(self) -> None:
        while self._dead:
            free, ptr = self._dead.pop()
            free(ptr)
            self.live -= 1
        if self.live == 0 and self.ptr is not None:
            ptr, self.ptr = self.ptr, None
            _genkan.genkan_ctx_free(ptr)

    def check(self, r: int) -> int:
        """Raises what a negative code stands for."""
        if r < 0:
            raise error(r, self.detail())
        return r

    def __del__(self) -> None:
        # Reached with live handles only where the collector takes all at
        # once: the last of those handles frees the context then.
        if self._dead or (self.live == 0 and self.ptr is not None):
            self._reap()

    def detail(self) -> str:
        text: str = _genkan.genkan_ctx_last_error(self.ptr)
        return text


def error(number: int, detail: str = "") -> GenkanError:
    """The exception for a number of the C library."""
    kind = errors.BY_NUMBER.get(number)
    if kind is None:
        kind = GenkanError
        detail = detail or str(_genkan.genkan_error_text(number))
    return kind(detail)


class Handle:
    """Something of the C library that has to be closed.

    A context manager; closing twice is harmless, and using it afterwards
    raises genkan.errors.Closed.
    """

    _free: Callable[[Any], Any]

    def __init__(self, core: _Core, ptr: Any) -> None:
        self._core = core
        self._ptr = ptr
        core.live += 1

    @property
    def closed(self) -> bool:
        return getattr(self, "_ptr", None) is None

    def close(self) -> None:
        """Frees it.  The context goes on."""
        ptr, self._ptr = getattr(self, "_ptr", None), None
        if ptr is not None:
            self._core.bury(type(self)._free, ptr)

    def _call(self, fn: Callable[..., Any], *args: Any) -> Any:
        if self._ptr is None:
            raise errors.Closed(f"this {type(self).__name__} is closed")
        return self._core.call(fn, self._ptr, *args)

    def _check(self, r: int) -> int:
        return self._core.check(r)

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
        return new_core(None, _genkan.GENKAN_LOG_INFO, None)
    if context.closed:
        raise errors.Closed("this Context is closed")
    return context._core


def new_core(log: Any, log_level: int, random: Any) -> _Core:
    """Makes a C context, and tells it the time."""
    r, ptr = _genkan.gk_ctx_new(log, log_level, random)
    if r < 0:
        raise error(r)
    core = _Core(ptr)
    core.check(core.call(_genkan.genkan_ctx_set_time, ptr, monotonic_ms()))
    return core


def monotonic_ms() -> int:
    """The time as this package tells it to the library."""
    return time.monotonic_ns() // 1000000
