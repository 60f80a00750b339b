"""The synchronous client.

>>> with genkan.Client() as client:                     # doctest: +SKIP
...     tabs = client.call("tab_list")
...     print(client.call("page_snapshot", tabId=tabs[0]["tabId"]))
"""
import select
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from . import errors
from ._client import (ClientBase, Pending, Result, arguments, function,
                      milliseconds, seconds)
from ._core import InUse, monotonic_ms
from .context import Context
from .machines import WANT_READ, WANT_WRITE, Job

_LONGEST_WAIT = 3600 * 1000.0	# poll() takes 24 days; then the loop goes round


class _One:
    """One thread at a time, which may come in again from a callback."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(False):
            raise errors.WrongState("this Client is in use by another thread")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Call:
    """A call that was made: wait for it, or give it up."""

    def __init__(self, client: "Client", tool: str) -> None:
        self._client = client
        self.tool = tool
        self.id = 0
        self._result: Optional[Result] = None
        self._error: Optional[BaseException] = None

    @property
    def done(self) -> bool:
        """Has it ended?  Nothing is read for the answer: see poll()."""
        return self._result is not None or self._error is not None

    def result(self, timeout: Optional[float] = None) -> Result:
        """Waits for the end.  Raises what it ended with, and
        genkan.errors.Timeout, with the call still going on, if that takes
        more seconds than these."""
        self._client._until(lambda: self.done, timeout)
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def value(self, timeout: Optional[float] = None) -> Any:
        """The value of its result."""
        return self.result(timeout).value

    def cancel(self) -> bool:
        """Gives it up; False if it has ended already."""
        return self._client._cancel(self)

    def _done(self, result: Result) -> None:
        self._result = result

    def _failed(self, e: BaseException) -> None:
        self._error = e


class Client(ClientBase):
    """Attaches to the broker of this user and calls tools.

    The program that runs this, the interpreter, has to be paired by a person:
    ``genkan pair-client --hash``.  ``program_dir`` is the folder of
    genkan-server, by default that of this installation.  For one thread at a
    time: another one gets genkan.errors.WrongState while a call waits.  In the
    child of a fork it is closed.  A KeyboardInterrupt in the wrong moment costs
    the connection: see reason and attach().
    """

    def __init__(self, program_dir: Optional[str] = None,
                 context: Optional[Context] = None,
                 timeout: Optional[float] = 15.0) -> None:
        self._one = _One()
        super().__init__(program_dir, context)
        try:
            self.attach(timeout)
        except BaseException:
            self.close()
            raise

    def attach(self, timeout: Optional[float] = 15.0) -> None:
        """Attaches anew, once the connection was lost."""
        with self._one:
            self.reason = None
            self._machine.tick()
            self._machine.attach()
        self._until(lambda: self.attached or self.reason is not None, timeout)
        if self.reason is not None:
            raise self.reason

    def call(self, tool: str, args: Optional[Dict[str, Any]] = None,
             timeout: Optional[float] = None, **more: Any) -> Any:
        """Calls a tool and waits; the value of its result.

        Raises one of genkan.codes where the tool did not succeed.
        """
        return self._whole(self.submit(tool, args, timeout, **more)).value

    def submit(self, tool: str, args: Optional[Dict[str, Any]] = None,
               timeout: Optional[float] = None,
               on_progress: Optional[Callable[[str], Any]] = None,
               **more: Any) -> Call:
        """Makes a call and does not wait.  Any number may be outstanding."""
        function("on_progress", on_progress)
        return self._start(tool, on_progress, lambda: self._machine.call(
            tool, arguments(args, more), milliseconds(timeout)))

    def tools(self) -> List[Dict[str, Any]]:
        """The tools that the broker offers, as the protocol lists them."""
        raw = self._whole(self._start("tools", None, self._machine.tools)).raw
        found: List[Dict[str, Any]] = (raw or {})["tools"]
        return found

    def poll(self, timeout: float = 0.0) -> None:
        """Moves what can be moved, after at most so many seconds."""
        self._step(seconds(timeout))

    def close(self) -> None:
        """Detaches.  What is outstanding ends with genkan.errors.Closed."""
        with self._one:
            if not self._machine.closed:
                self._close()

    @property
    def attached(self) -> bool:
        with self._one:
            return super().attached

    @property
    def outstanding(self) -> int:
        """Calls that have not ended.  At most 127 of them are with the broker,
        the others wait in order."""
        with self._one:
            return super().outstanding

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_machine"):
            self.close()

    # ------------------------------------------------------------------ inside

    def _start(self, tool: str, progress: Optional[Callable[[str], Any]],
               start: Callable[[], int]) -> Call:
        with self._one:
            self._machine.tick()
            call = Call(self, tool)
            call.id = self._begin(start(), Pending(
                tool, call._done, call._failed, progress))
            self._try_pump()
        return call

    def _whole(self, call: Call) -> Result:
        """Waits for a call that nobody else knows of."""
        try:
            return call.result()
        except InUse:
            call.cancel()	# whoever hears that it failed may make another
            raise

    def _cancel(self, call: Call) -> bool:
        with self._one:
            if self._machine.closed or call.done or \
                    not self._give_up(call.id, errors.Canceled()):
                return False
            self._try_pump()
            return True

    def _try_pump(self) -> None:
        """Of what has begun: if another thread is in the context it goes on
        with the next poll() or result()."""
        try:
            self._pump()
        except InUse:
            pass

    def _forked(self) -> None:
        self._one = _One()	# another thread, of the parent, may be in
        super()._forked()

    def _job(self, job: Job) -> None:
        job.run()
        job.close()	# done(), or soon if another thread is in the context

    def _until(self, ready: Callable[[], bool],
               timeout: Optional[float]) -> None:
        timeout = seconds(timeout)
        end = None if timeout is None else time.monotonic() + timeout
        while not ready():
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise errors.Timeout()
            self._step(left, ready)

    def _step(self, timeout: Optional[float],
              ready: Callable[[], bool] = lambda: False) -> None:
        """One turn, which waits at most so long, and for nothing that is there
        already: an earlier turn may have been cut short."""
        with self._one:
            self._pump()
            if self._machine.closed or ready():
                return
            due = self._machine.deadline
            wait = None if timeout is None else \
                min(max(timeout, 0.0) * 1000, _LONGEST_WAIT)
            if due is not None:
                left = max(0, due - monotonic_ms())
                wait = left if wait is None else min(wait, left)
            self._wait(wait)
            self._pump()

    def _wait(self, ms: Optional[float]) -> None:
        poller = select.poll()
        if self._sock is not None and self._leg is not None:
            wants, bits = self._leg.wants, 0
            if wants & WANT_READ and not self._held:
                bits |= select.POLLIN
            if wants & WANT_WRITE:
                bits |= select.POLLOUT
            poller.register(self._sock, bits)
        for _, bits in poller.poll(ms):
            if bits & (select.POLLIN | select.POLLHUP | select.POLLERR):
                self._read()
