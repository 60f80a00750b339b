"""One thread, one selector: timers and the pipes of children."""
import contextlib
import heapq
import itertools
import os
import selectors
import time


class Timer:
    __slots__ = ("fn",)

    def __init__(self, fn):
        self.fn = fn

    def cancel(self):
        self.fn = None


class Loop:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.timers = []
        self.order = itertools.count()

    def at(self, delay, fn):
        timer = Timer(fn)
        heapq.heappush(self.timers, (time.monotonic() + delay,
                                     next(self.order), timer))
        return timer

    def watch(self, fd, events, fn):
        """Calls fn(events) when fd is ready; events 0 ends that."""
        known = fd in self.selector.get_map()
        if not events:
            if known:
                self.selector.unregister(fd)
        elif known:
            self.selector.modify(fd, events, fn)
        else:
            self.selector.register(fd, events, fn)

    def step(self, longest=0.1):
        if self.timers:
            longest = max(0.0, min(longest,
                                   self.timers[0][0] - time.monotonic()))
        for key, events in self.selector.select(longest):
            # An earlier one of this round may have closed it.
            if self.selector.get_map().get(key.fd) is key:
                key.data(events)
        now = time.monotonic()
        while self.timers and self.timers[0][0] <= now:
            fn = heapq.heappop(self.timers)[2].fn
            if fn:
                fn()

    def until(self, look, seconds):
        """Runs until look() is true, and says whether it became so."""
        end = time.monotonic() + seconds
        while not look():
            if time.monotonic() > end:
                return False
            self.step(0.05)
        return True

    def rest(self, seconds):
        self.until(lambda: False, seconds)


class Pipes:
    """The two ends of a child's stdio: whole reads in, a queue out."""

    def __init__(self, loop, out, into, on_data, on_end):
        self.loop, self.out, self.into = loop, out, into
        self.on_data, self.on_end = on_data, on_end
        self.queue = bytearray()
        self.closing = False
        for fd in (out, into):
            os.set_blocking(fd, False)
        self.resume()

    def pause(self):
        if self.into is not None:
            self.loop.watch(self.into, 0, None)

    def resume(self):
        if self.into is not None:
            self.loop.watch(self.into, selectors.EVENT_READ, self._read)

    def _read(self, _):
        try:
            data = os.read(self.into, 1 << 18)
        except BlockingIOError:
            return
        if data:
            self.on_data(data)
            return
        self.pause()
        os.close(self.into)
        self.into = None
        self.on_end()

    def write(self, data):
        if self.out is None or self.closing:
            return
        idle = not self.queue
        self.queue += data
        if idle:
            self._write(0)
            if self.queue:
                self.loop.watch(self.out, selectors.EVENT_WRITE, self._write)

    def _write(self, _):
        try:
            while self.queue:
                n = os.write(self.out, memoryview(self.queue)[:1 << 18])
                del self.queue[:n]
        except BlockingIOError:
            return
        except OSError:		# the child is gone: its output ends as well
            self.queue.clear()
        if self.out is not None:
            self.loop.watch(self.out, 0, None)
        if self.closing:
            self._close_out()

    def _close_out(self):
        if self.out is not None:
            self.loop.watch(self.out, 0, None)
            with contextlib.suppress(OSError):
                os.close(self.out)
            self.out = None

    def end_input(self):
        """Closes the child's input behind what is queued."""
        self.closing = True
        if not self.queue:
            self._close_out()

    def close(self):
        self.queue.clear()
        self._close_out()
        if self.into is not None:
            self.pause()
            os.close(self.into)
            self.into = None
