"""The client for asyncio.

::

    async with genkan.aio.Client() as client:
        tabs = await client.call("tab_list")

A task that is cancelled while it awaits a call cancels the call.
"""
import asyncio
import contextlib
from typing import (TYPE_CHECKING, Any, Callable, Coroutine, Dict, List,
                    Optional)

from . import errors
from ._client import (ATTACHING, ClientBase, Pending, Result, arguments,
                      function, milliseconds)
from ._core import InUse, monotonic_ms
from .context import Context
from .machines import WANT_READ, WANT_WRITE, Job

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

# Seconds until the context is tried again while another thread is inside.
_SOON, _SELDOM = 0.001, 0.1


def _waits(future: "Optional[asyncio.Future[Any]]"
           ) -> "TypeGuard[asyncio.Future[Any]]":
    """Can somebody still hear of it?"""
    return future is not None and not future.done() and \
        not future.get_loop().is_closed()


def _let_go(job: Job) -> None:
    """done(), or soon if another thread is in the context; not at all if it
    still runs, whose thread lets go of it then."""
    with contextlib.suppress(errors.WrongState):
        job.close()


class Client(ClientBase):
    """As genkan.Client, in the event loop that is running.

    It is made detached: ``async with`` or attach() attaches it.  A call that is
    made before waits until then.

    It goes from loop to loop: used in another one, as that of a second
    asyncio.run(), it takes the connection along, and what still waited in the
    first ends with genkan.errors.Closed.  While the first one runs, in another
    thread, it is refused there with genkan.errors.WrongState.

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
        self._tasks: "Dict[asyncio.Future[None], Job]" = {}
        self._watched = (False, False)
        self._turning = False
        self._failed = False		# the last turn did
        self._delay = 0.0		# until the next try, while in use

    async def attach(self) -> None:
        """Finds the broker and attaches to it."""
        loop = self._here()
        self._machine.tick()
        if self._attaching is not None or self._machine.state != ATTACHING:
            self._machine.attach()	# else another loop has left it half done
        attaching = self._attaching = loop.create_future()
        try:
            self._turn()
            await attaching
        except asyncio.CancelledError:
            if self._attaching is attaching:
                self.close()
            raise
        finally:
            if self._attaching is attaching:
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
        function("on_progress", on_progress)
        return await self._start(tool, on_progress, lambda: self._machine.call(
            tool, arguments(args, more), milliseconds(timeout)))

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
        if _waits(self._attaching):
            self._attaching.cancel()

    async def __aenter__(self) -> "Client":
        self._here()		# or it is another's, and not to be closed
        try:
            await self.attach()
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ inside

    def _here(self) -> asyncio.AbstractEventLoop:
        """The loop that runs, which is the client's from now on."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            left = [] if self._loop is None else self._leave(self._loop)
            self._loop = loop
            for job in left:
                self._follow(job, self._outlast(job))
            self._turn()	# it watches the connection now
        return loop

    def _leave(self, loop: asyncio.AbstractEventLoop) -> List[Job]:
        """Takes along what can be, jobs too.  Who waits in a loop that is
        closed hears nothing any more; in one that was only stopped, when it
        runs again."""
        if loop.is_running():
            raise errors.WrongState(
                "this client is in use by the event loop of another thread")
        self._watch(False, False)
        self._watched = (False, False)
        self._wake(None)
        reason = errors.Closed("the client went to another event loop")
        if _waits(self._attaching):
            self._attaching.set_exception(reason)
        self._attaching = None
        for id in list(self._calls):
            self._give_up(id, reason)
        tasks, self._tasks = self._tasks, {}
        return list(tasks.values())

    async def _start(self, tool: str,
                     progress: Optional[Callable[[str], Any]],
                     start: Callable[[], int]) -> Result:
        future: "asyncio.Future[Result]" = self._here().create_future()

        def done(result: Result) -> None:
            if _waits(future):
                future.set_result(result)

        def failed(e: BaseException) -> None:
            if _waits(future):
                future.set_exception(e)

        self._machine.tick()
        id = self._begin(start(), Pending(tool, done, failed, progress))
        try:
            self._turn()
            return await future
        except BaseException:		# CancelledError above all
            if self._give_up(id):
                self._turn()
            raise

    def _job(self, job: Job) -> None:
        self._follow(job, self._work(job))

    def _follow(self, job: Job, how: Coroutine[Any, Any, None]) -> None:
        assert self._loop is not None
        task = asyncio.ensure_future(how, loop=self._loop)
        self._tasks[task] = job		# the loop holds tasks weakly
        task.add_done_callback(lambda task: self._tasks.pop(task, None))

    async def _work(self, job: Job) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(None, job.run)
        finally:
            _let_go(job)
            self._turn()

    async def _outlast(self, job: Job) -> None:
        """A thread of another loop may be at it still."""
        delay = _SOON
        _let_go(job)
        while not job.closed:
            await asyncio.sleep(delay)
            delay = min(delay * 2, _SELDOM)
            _let_go(job)
        self._turn()

    def _changed(self) -> None:
        if not _waits(self._attaching):
            return
        if self.reason is not None:
            self._attaching.set_exception(self.reason)
        else:
            self._attaching.set_result(None)

    def _closing(self) -> None:
        self._watch(False, False)

    def _forked(self) -> None:
        self._loop = self._timer = self._attaching = None
        self._tasks = {}
        self._calls.clear()		# whoever awaits them is in the parent
        super()._forked()

    def _readable(self) -> None:
        self._turn(self._read)

    def _turn(self, first: Optional[Callable[[], None]] = None) -> None:
        """Moves everything, and sees to it that there is another turn while
        anybody waits.  What goes wrong is not the caller's: the loop is told,
        and those who wait hear what came of it.

        In its own loop only: whoever collects a coroutine may be elsewhere."""
        if self._turning or self._machine.closed or \
                asyncio._get_running_loop() is not self._loop:
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
        if self._sock is None or self._loop is None or self._loop.is_closed():
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
