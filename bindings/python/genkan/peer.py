"""Facts about the process at the other end of a unix socket."""
import socket
from typing import Optional, Union

from . import _genkan
from ._core import Handle, core_of, wrong
from .context import Context

ROLE_SERVER: int = _genkan.GENKAN_ROLE_SERVER
ROLE_HOST: int = _genkan.GENKAN_ROLE_HOST
ROLE_CLI: int = _genkan.GENKAN_ROLE_CLI


class Peer(Handle):
    """Who is at the other end of a connected unix socket, as the system says.

    ``dir`` is the folder of the programs whose images count as genkan's.
    """

    _free = staticmethod(_genkan.genkan_peer_free)

    def __init__(self, sock: Union[socket.socket, int], dir: str,
                 context: Optional[Context] = None) -> None:
        core = core_of(context)
        if not isinstance(sock, int) and not hasattr(sock, "fileno"):
            raise wrong("sock", "a socket or its descriptor", sock)
        fd = sock if isinstance(sock, int) else sock.fileno()
        core.make(self, _genkan.genkan_peer_query, fd, dir)

    @classmethod
    def of(cls, hash: Optional[str], *, same_user: bool, roles: int = 0,
           pid: int = 0, path: Optional[str] = None,
           context: Optional[Context] = None) -> "Peer":
        """Facts that were learnt elsewhere, for machines.Broker.accept().

        Say what was measured and nothing else: ``same_user`` and ``roles``
        are believed.
        """
        if not isinstance(same_user, bool):
            raise TypeError("same_user: True or False")
        peer = cls.__new__(cls)
        core_of(context).make(peer, _genkan.gk_peer_new, int(same_user), roles,
                              pid, hash, path)
        return peer

    @property
    def same_user(self) -> bool:
        return bool(self._call(_genkan.genkan_peer_same_user))

    @property
    def pid(self) -> int:
        """Its process number when it connected, 0 if unknown."""
        pid: int = self._call(_genkan.genkan_peer_pid)
        return pid

    @property
    def hash(self) -> Optional[str]:
        """SHA-256 of its image in hexadecimal; None if unmeasurable."""
        text: Optional[str] = self._call(_genkan.genkan_peer_hash)
        return text

    @property
    def path(self) -> Optional[str]:
        """Where its image lay, for messages."""
        text: Optional[str] = self._call(_genkan.genkan_peer_path)
        return text

    @property
    def roles(self) -> int:
        """ROLE_* bits; 0 for a foreign or unmeasured image."""
        roles: int = self._call(_genkan.genkan_peer_roles)
        return roles

    @property
    def why(self) -> str:
        """Why it could not be measured, for people."""
        text: str = self._call(_genkan.genkan_peer_why)
        return text
