"""Records that lie where the program keeps them: <genkan/store.h>.

::

    class Memory(genkan.store.Store):
        def load(self, record):
            return self.records.get(record)     # as trust.json and policy.json

    broker = genkan.machines.Broker(secret, store=Memory())

What `genkan` or the extension kills, revokes or permits does not reach a broker
that has such a store: that is up to the program then.
"""
import time
from typing import Any, Callable, Dict, Optional, Tuple, Union

from . import _genkan, errors

Buffer = Union[bytes, bytearray, memoryview]

_NAMES: Dict[int, str] = {_genkan.GENKAN_RECORD_TRUST: "trust",
                          _genkan.GENKAN_RECORD_POLICY: "policy"}
_IO: int = errors.Io.number
_NOENT: int = errors.NotFound.number


class Store:
    """To be subclassed.  load() is needed, the others may be left as they are.

    They are called in the middle of a decision and must not use the context:
    that raises genkan.errors.WrongState.  They are asked for every decision, so
    one that waits holds up all connections.

    Where one raises, or gives something of another type, the record cannot be
    read, and then nobody is admitted and no tool runs; what was raised is raised
    again by next() or tick() of the machine, whichever comes first, or by the
    machine's own making where that fails.  A machine whose store refers to it is
    freed by close() alone.
    """

    def load(self, record: str) -> Optional[Buffer]:
        """The bytes of "trust" or "policy"; None where there is no such record,
        as on a machine that was never set up."""
        raise NotImplementedError

    def version(self, record: str) -> Optional[int]:
        """A number that is another one whenever the bytes are, 0 to 2**64 - 1;
        None where there is no such record.  Without this function a record is
        loaded and parsed at every decision."""
        raise NotImplementedError

    def audit(self, line: str) -> None:
        """One line of the audit trail, a JSON object.  By default there is no
        trail."""

    def unix_ms(self) -> int:
        """Milliseconds since 1970, for the trail; by default the system's."""
        return time.time_ns() // 1000000


class Calls:
    """A Store as the C half calls it: codes and values of the right types, and
    what was raised is kept until the library is at rest."""

    def __init__(self, store: Store) -> None:
        if not isinstance(store, Store):
            raise TypeError("store: a genkan.store.Store")
        self._store = store
        self._raised: Optional[BaseException] = None
        kind = type(store)
        #: Which of the optional functions there are: version, audit.
        self.has = (kind.version is not Store.version,
                    kind.audit is not Store.audit)

    def _guarded(self, fn: Callable[[], Any], failed: Any) -> Any:
        try:
            return fn()
        except BaseException as e:		# KeyboardInterrupt as well
            if self._raised is None:
                self._raised = e
            return failed

    def load(self, record: int) -> Tuple[int, Optional[bytes], int]:
        def asked() -> Tuple[int, Optional[bytes], int]:
            # The version first: one that is too old has it loaded once more.
            version = self._version(_NAMES[record]) if self.has[0] else 0
            data = self._store.load(_NAMES[record])
            if data is None:
                return _NOENT, None, 0
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise TypeError("load: expected bytes or None, not "
                                + type(data).__name__)
            return 0, bytes(data), version or 0
        if record not in _NAMES:
            return _NOENT, None, 0
        out: Tuple[int, Optional[bytes], int] = self._guarded(
            asked, (_IO, None, 0))
        return out

    def version(self, record: int) -> Tuple[int, int]:
        def asked() -> Tuple[int, int]:
            number = self._version(_NAMES[record])
            return (_NOENT, 0) if number is None else (0, number)
        if record not in _NAMES:
            return _NOENT, 0
        out: Tuple[int, int] = self._guarded(asked, (_IO, 0))
        return out

    def _version(self, name: str) -> Optional[int]:
        number = self._store.version(name)
        return None if number is None else _number(number, "version")

    def audit(self, line: str) -> None:
        self._guarded(lambda: self._store.audit(line), None)

    def unix_ms(self) -> int:
        now: Optional[int] = self._guarded(
            lambda: _number(self._store.unix_ms(), "unix_ms"), None)
        return Store.unix_ms(self._store) if now is None else now

    def take(self) -> Optional[BaseException]:
        """What was raised first since it was last asked."""
        raised, self._raised = self._raised, None
        return raised

    def rest(self) -> None:
        """The library is at rest: raises it."""
        raised = self.take()
        if raised is not None:
            raise raised


def _number(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what}: expected int, not {type(value).__name__}")
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{what}: out of range")
    return value


def calls(store: Optional[Store]) -> Optional[Calls]:
    return None if store is None else Calls(store)
