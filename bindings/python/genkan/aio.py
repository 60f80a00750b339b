"""The client for asyncio.

::

    async with genkan.aio.Client() as client:
        tabs = await client.call("tab_list")

A task that is cancelled while it awaits a call cancels the call.
"""
import asyncio
from typing import Any, Callable, Dict, List, Optional

from ._client import ClientBase, Pending, Result, milliseconds
from ._core import monotonic_ms
from .context import Context
from .machines import WANT_READ, WANT_WRITE, Job


class Client(ClientBase):
    """As genkan.Client, in the event loop that is running.

    No thread is started but those of the loop's own executor, which look the
    broker up.
    """

    def __init__(self, program_dir: Optional[str] = None,
                 context: Optional[Context] = None) -> None:
        super().__init__(program_dir, context)
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self._attaching: "Optional[asyncio.Future[None]]" = None
        self._tasks: "set[asyncio.Future[None]]" = set()
        self._watched = (False, False)
        self._turning = False

    async def attach(self) -> None:
        """Finds the broker and attaches to it."""
        self._loop = asyncio.get_running_loop()
        self._machine.tick()
        self._machine.attach()
        self._attaching = self._loop.create_future()
        self._turn()
        try:
            await self._attaching
        except asyncio.CancelledError:
            self.close()
            raise
        finally:
            self._attaching = None

    async def call(self, tool: str, args: Optional[Dict[str, Any]] = None,
                   timeout: Optional[float] = None, **more: Any) -> Any:
        """Calls a tool; the value of its result.

        Raises one of genkan.codes where the tool did not succeed.
        """
        return (await self.request(tool, args, timeout, **more)).value

    async def request(self, tool: str, args: Optional[Dict[str, Any]] = None,
                      timeout: Optional[float] = None,
                      on_progress: Optional[Callable[[str], Any]] = None,
                      **more: Any) -> Result:
        """Calls a tool; the whole result."""
        return await self._start(tool, on_progress, lambda: self._machine.call(
            tool, {**(args or {}), **more}, milliseconds(timeout)))

    async def tools(self) -> List[Dict[str, Any]]:
        """The tools that the broker offers, as the protocol lists them."""
        raw = (await self._start("tools", None, self._machine.tools)).raw
        found: List[Dict[str, Any]] = (raw or {})["tools"]
        return found

    def close(self) -> None:
        """Detaches.  What is outstanding ends with genkan.errors.Closed."""
        if self._machine.closed:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._close()
        if self._attaching is not None and not self._attaching.done():
            self._attaching.cancel()

    async def __aenter__(self) -> "Client":
        try:
            await self.attach()
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ inside

    async def _start(self, tool: str,
                     progress: Optional[Callable[[str], Any]],
                     start: Callable[[], int]) -> Result:
        loop = self._loop = asyncio.get_running_loop()
        future: "asyncio.Future[Result]" = loop.create_future()

        def done(result: Result) -> None:
            if not future.done():
                future.set_result(result)

        def failed(e: BaseException) -> None:
            if not future.done():
                future.set_exception(e)

        self._machine.tick()
        id = self._begin(start(), Pending(tool, done, failed, progress))
        self._turn()
        try:
            return await future
        except asyncio.CancelledError:
            if self._calls.pop(id, None) is not None and not self.closed:
                self._machine.cancel(id)
                self._turn()
            raise

    def _job(self, job: Job) -> None:
        assert self._loop is not None
        task = asyncio.ensure_future(self._work(job), loop=self._loop)
        self._tasks.add(task)		# the loop holds tasks weakly
        task.add_done_callback(self._tasks.discard)

    async def _work(self, job: Job) -> None:
        assert self._loop is not None
        await self._loop.run_in_executor(None, job.run)
        job.done()
        self._turn()

    def _changed(self) -> None:
        if self._attaching is None or self._attaching.done():
            return
        if self.reason is not None:
            self._attaching.set_exception(self.reason)
        else:
            self._attaching.set_result(None)

    def _closing(self) -> None:
        self._watch(False, False)

    def _forked(self) -> None:
        self._loop = self._timer = self._attaching = None
        self._calls.clear()		# whoever awaits them is in the parent
        super()._forked()

    def _readable(self) -> None:
        self._read()
        self._turn()

    def _turn(self) -> None:
        if self._turning or self._machine.closed:
            return
        self._turning = True
        try:
            self._pump()
        finally:
            self._turning = False
        if not self._machine.closed:
            self._sleep()

    def _sleep(self) -> None:
        if self._leg is not None:
            wants = self._leg.wants
            self._watch(bool(wants & WANT_READ) and not self._held,
                        bool(wants & WANT_WRITE))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._machine.deadline
        if due is not None and self._loop is not None:
            self._timer = self._loop.call_later(
                max(0, due - monotonic_ms()) / 1000, self._turn)

    def _watch(self, read: bool, write: bool) -> None:
        """Asks the loop for what changed alone."""
        if self._sock is None or self._loop is None:
            return
        was = self._watched
        self._watched = (read, write)
        fd = self._sock.fileno()
        if read != was[0]:
            if read:
                self._loop.add_reader(fd, self._readable)
            else:
                self._loop.remove_reader(fd)
        if write != was[1]:
            if write:
                self._loop.add_writer(fd, self._turn)
            else:
                self._loop.remove_writer(fd)
