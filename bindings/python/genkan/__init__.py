"""genkan: the front door between programs and a person's own browser.

>>> import genkan
>>> with genkan.Client() as client:                    # doctest: +SKIP
...     print(client.call("list_browsers"))

``genkan.aio.Client`` is the same for asyncio.  ``genkan.native`` has the frames
of native-messaging hosts, ``genkan.webauthn`` a relying party, ``genkan.trust``
and ``genkan.policy`` what was decided on this machine, ``genkan.machines`` the
server and the host for loops of your own, ``genkan.store`` records that lie
where you keep them.  A function that could not do its
work raises one of ``genkan.errors``, a tool that did not succeed one of
``genkan.codes``.
"""
from . import (_genkan, aio, codes, errors, local, machines, native, peer,
               policy, store, trust, webauthn)
from ._base import GenkanError, ToolError
from ._client import ClientMachine, Result
from .client import Call, Client
from .context import Context
from .report import Report

__version__: str = _genkan.GENKAN_VERSION
__all__ = ["Call", "Client", "ClientMachine", "Context", "GenkanError", "Report", "Result",
           "ToolError", "aio", "codes", "errors", "library_version", "local",
           "machines", "native", "peer", "policy", "store", "trust", "webauthn"]


def library_version() -> str:
    """The version of the library that is running; compare ``__version__``."""
    text: str = _genkan.genkan_version()
    return text
