"""Contexts: what the library must not take from the process it lives in."""
from typing import Any, Callable, Optional

from . import _genkan
from ._core import Handle, monotonic_ms, new_core

LogFunction = Callable[[int, str, str, str], Any]
RandomFunction = Callable[[int], bytes]


def _keep(_: Any) -> None:
    """A context's own name frees nothing: the last of its handles does."""


class Context(Handle):
    """Memory, randomness, time and log; everything else is made from one.

    >>> with Context(log=lambda level, tag, id, text: print(text)) as ctx:
    ...     ...

    ``log(level, tag, id, text)`` and ``random(n)``, which returns n bytes fit
    for keys, are called in the middle of a call and may not use the context.
    An exception that they raise is reported as unraisable; randomness that
    could not be had makes the call fail.

    ``program_dir`` is where genkan's programs lie, by default where the library
    was built for: which genkan-host is registered and looked at, and which
    genkan-server a client trusts.

    A context and what was made from it belong to one thread at a time; used by
    two at once, the second gets genkan.errors.WrongState, and nothing else comes
    of it: ask again.
    """

    _free = staticmethod(_keep)
    _is_context = True

    def __init__(self, log: Optional[LogFunction] = None,
                 log_level: int = _genkan.GENKAN_LOG_INFO,
                 random: Optional[RandomFunction] = None,
                 program_dir: Optional[str] = None) -> None:
        core = new_core(log, log_level, random, program_dir)
        super().__init__(core, core.ptr)

    def set_time(self, now_ms: Optional[int] = None) -> None:
        """Tells what time it is: monotonic milliseconds, by default now."""
        self._ask(_genkan.genkan_ctx_set_time,
                  monotonic_ms() if now_ms is None else now_ms)

    @property
    def last_error(self) -> str:
        """Detail of the last error, for people."""
        text: str = self._call(_genkan.genkan_ctx_last_error)
        return text

