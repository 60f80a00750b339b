"""What the agents of this machine may do, and the language of the pages.

Blocking, as genkan.trust.
"""
from typing import Dict, List, Optional, Tuple

from . import _genkan, errors
from .context import Context
from .report import Report, act


def fields() -> Dict[str, str]:
    """The fields of the policy, each with its name on the command line."""
    out: Dict[str, str] = {}
    while True:
        name: Optional[str] = _genkan.genkan_policy_field(len(out))
        if name is None:
            return out
        out[name] = _genkan.genkan_policy_flag(len(out))


def show(context: Optional[Context] = None) -> Report:
    """The policy in force."""
    return act(context, _genkan.genkan_policy_show)


def history(context: Optional[Context] = None) -> Report:
    """Earlier policies, oldest first."""
    return act(context, _genkan.genkan_policy_history)


def _values(values: Dict[str, str]) -> Tuple[Optional[str], ...]:
    names: List[str] = list(fields())
    for name in values:
        if name not in names:
            raise errors.InvalidArgument(f"no field of the policy: {name}")
    return tuple(values.get(name) for name in names)


def set(context: Optional[Context] = None, **values: str) -> Report:
    """Sets fields of the baseline: ``policy.set(cdpMode="on")``.

    Asks a person, and signs with the host key.
    """
    return act(context, _genkan.gk_policy_set, _values(values))


def restrict(context: Optional[Context] = None, **values: str) -> Report:
    """Tightens what is in force.  Asks nobody."""
    return act(context, _genkan.gk_policy_restrict, _values(values))


def rollback(revision: int, entry: Optional[str] = None,
             context: Optional[Context] = None) -> Report:
    """Back to an earlier policy.  Asks a person where that loosens."""
    return act(context, _genkan.genkan_policy_rollback, revision, entry)


def language(context: Optional[Context] = None) -> Report:
    """The language of the user interface."""
    return act(context, _genkan.genkan_lang_show)


def set_language(value: str, context: Optional[Context] = None) -> Report:
    """auto, en, zh_CN or zh_TW.  Asks nobody."""
    return act(context, _genkan.genkan_lang_set, value)
