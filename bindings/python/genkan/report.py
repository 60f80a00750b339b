"""Reports: what an act on this machine has to say."""
import json
from typing import Any, Callable, List, NamedTuple, Optional

from . import _genkan
from ._core import core_of
from .context import Context


class Report(NamedTuple):
    """Outcome of an act that the command ``genkan`` has too.

    ``status`` is its exit status, ``text`` and ``warnings`` what it prints,
    ``data`` its JSON, None for an act without such a form.
    """

    status: int
    text: str
    warnings: str
    data: Any

    @property
    def ok(self) -> bool:
        return bool(self.status == _genkan.GENKAN_STATUS_OK)

    @property
    def lines(self) -> List[str]:
        return self.text.splitlines()


def act(context: Optional[Context], fn: Callable[..., Any],
        *args: Any) -> Report:
    """Calls a function that makes a report, and takes the report apart."""
    core = core_of(context)
    with core:
        _, ptr = core.judge(fn(core.held(), *args))
        try:
            data: str = _genkan.genkan_report_json(ptr)
            return Report(_genkan.genkan_report_status(ptr),
                          _genkan.genkan_report_text(ptr),
                          _genkan.genkan_report_warnings(ptr),
                          json.loads(data) if data else None)
        finally:
            _genkan.genkan_report_free(ptr)
