"""Who may drive the browser, and what was decided: clients, kill switch, audit.

Each function does what the command of ``genkan`` does and blocks as that does:
for a lock, or for a person at the terminal where one is asked.
"""
import json
from typing import Any, Dict, List, Optional

from . import _genkan
from .context import Context
from .report import Report, act


def clients(context: Optional[Context] = None) -> Report:
    """The allowlist, as text."""
    return act(context, _genkan.genkan_trust_list)


def audit(limit: int = 200,
          context: Optional[Context] = None) -> List[Dict[str, Any]]:
    """The last records of the audit trail, oldest first.

    A line that is no record comes as {"v": 1, "unrecognized": text}.
    """
    report = act(context, _genkan.genkan_audit_read, limit, 1)
    return [json.loads(line) for line in report.lines]


def pair(name: str, hash: Optional[str] = None, signer: Optional[str] = None,
         this_parent: bool = False,
         context: Optional[Context] = None) -> Report:
    """Admits a client, by exactly one of the three.  Asks a person."""
    return act(context, _genkan.gk_trust_pair, name, hash, signer,
               int(bool(this_parent)))


def revoke(name: str, context: Optional[Context] = None) -> Report:
    """Admits a client no longer.  Asks nobody."""
    return act(context, _genkan.genkan_trust_revoke, name)


def revoke_browser(label: str, context: Optional[Context] = None) -> Report:
    """Drops the credentials of a browser."""
    return act(context, _genkan.genkan_trust_revoke_browser, label)


def revoke_all(context: Optional[Context] = None) -> Report:
    """Drops all clients and credentials, and the host key."""
    return act(context, _genkan.genkan_trust_revoke_all)


def kill(context: Optional[Context] = None) -> Report:
    """Engages the kill switch: nobody drives the browser any more."""
    return act(context, _genkan.genkan_kill_engage)


def unkill(context: Optional[Context] = None) -> Report:
    """Releases the kill switch.  Asks a person."""
    return act(context, _genkan.genkan_kill_release)


def pair_host_key(reset: bool = False, file_store: bool = False,
                  context: Optional[Context] = None) -> Report:
    """Makes the host key.  Asks a person."""
    flags = ((_genkan.GENKAN_KEY_RESET if reset else 0) |
             (_genkan.GENKAN_KEY_FILE if file_store else 0))
    return act(context, _genkan.genkan_key_pair, flags)


def host_key(context: Optional[Context] = None) -> Report:
    """Is there a host key, and which."""
    return act(context, _genkan.genkan_key_status)
