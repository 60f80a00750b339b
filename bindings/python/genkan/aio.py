"""The client for asyncio.

::

    async with genkan.aio.Client() as client:
        tabs = await client.call("tab_list")

A task that is cancelled while it awaits a call cancels the call.
"""
import asyncio
import contextlib
from typing import Any, Callable, Dict, List, Optional

from . import errors
from ._client import ClientBase, Pending, Result, milliseconds
from ._core import InUse, monotonic_ms
from .context import Context
from .machines import WANT_READ, WANT_WRITE, Job

# Seconds until the context is tried again while another thread is inside.
_SOON, _SELDOM = 0.001, 0.1


class Client(ClientBase):
    """As genkan.Client, in the event loop that is running.

    No thread is started but those of the loop's own executor, which look the
    broker up.

    What goes wrong between the calls is told to the loop's exception handler.
    Another thread that is found inside the context is waited for then, without
    harm to the connection; anything else costs it: see reason and attach().
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
        self._failed = False		# the last turn did
        self._delay = 0.0		# until the next try, while in use

    async def attach(self) -> None:
        """Finds the broker and attaches to it."""
        self._loop = asyncio.get_running_loop()
        self._machine.tick()
        self._machine.attach()
        self._attaching = self._loop.create_future()
        try:
            self._turn()
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
        try:
            self._turn()
            return await future
        except BaseException as e:		# CancelledError above all
            # Whoever collects a coroutine may be another thread.
            if self._give_up(id) and not isinstance(e, GeneratorExit):
                self._turn()
            raise

    def _job(self, job: Job) -> None:
        assert self._loop is not None
        task = asyncio.ensure_future(self._work(job), loop=self._loop)
        self._tasks.add(task)		# the loop holds tasks weakly
        task.add_done_callback(self._tasks.discard)

    async def _work(self, job: Job) -> None:
        assert self._loop is not None
        try:
            await self._loop.run_in_executor(None, job.run)
        finally:
            # done(), or soon if another thread is in the context; not at all
            # if it still runs, whose thread lets go of it then.
            with contextlib.suppress(errors.WrongState):
                job.close()
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
        self._turn(self._read)

    def _turn(self, first: Optional[Callable[[], None]] = None) -> None:
        """Moves everything, and sees to it that there is another turn while
        anybody waits.  What goes wrong is not the caller's: the loop is told,
        and those who wait hear what came of it."""
        if self._turning or self._machine.closed:
            return
        self._turning = True
        try:
            if first is not None:
                first()
            self._pump()
            if not self._machine.closed:
                self._sleep()
            self._failed, self._delay = False, 0.0
        except InUse as e:
            self._later(e)
        except Exception as e:
            self._hurt(e)
            self._report(e)
        except BaseException as e:
            self._hurt(e)
            raise
        finally:
            self._turning = False

    def _later(self, e: InUse) -> None:
        """Nothing is lost: tried again, soon at first.  The descriptor would
        be ready all the time meanwhile."""
        assert self._loop is not None
        first, self._delay = self._delay == 0, min(
            max(self._delay * 2, _SOON), _SELDOM)
        self._watch(False, False)
        self._wake(self._delay)
        if first:
            self._report(e)

    def _hurt(self, e: BaseException) -> None:
        """The connection is given up.  One more turn tells those who wait; if
        that fails as well they are told here, and it is left at that."""
        if self._machine.closed:
            return
        self._torn()
        if not self._failed and self._loop is not None and \
                not self._loop.is_closed():
            self._failed = True
            self._loop.call_soon(self._turn)
            return
        self._failed = False
        reason = errors.Closed("the connection was given up: " + repr(e))
        reason.__cause__ = e
        self._lost(reason)

    def _report(self, e: Exception) -> None:
        if self._loop is not None:
            self._loop.call_exception_handler({
                "message": f"in genkan.aio.Client: {e}", "exception": e})

    def _sleep(self) -> None:
        if self._leg is not None:
            wants = self._leg.wants
            self._watch(bool(wants & WANT_READ) and not self._held,
                        bool(wants & WANT_WRITE))
        due = self._machine.deadline
        self._wake(None if due is None else
                   max(0, due - monotonic_ms()) / 1000)

    def _wake(self, after: Optional[float]) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if after is not None and self._loop is not None and \
                not self._loop.is_closed():
            self._timer = self._loop.call_later(after, self._turn)

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
