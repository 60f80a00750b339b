"""This machine: health, registration, and where the files lie.

Blocking, as genkan.trust.  ``program_dir`` is the folder of genkan's programs, in
the place of a context that has one; by default the one that the library was
built for, and never that of the interpreter.
"""
import builtins
from typing import Dict, Optional, Sequence

from . import _genkan, errors
from ._core import wrong
from .context import Context
from .report import Report, act


def _where(context: Optional[Context],
           program_dir: Optional[str]) -> Optional[Context]:
    if program_dir is None:
        return context
    if context is not None:
        raise errors.InvalidArgument("a context has a program_dir of its own")
    return Context(program_dir=program_dir)


def doctor(context: Optional[Context] = None,
           program_dir: Optional[str] = None) -> Report:
    """Is this installation healthy?  Changes nothing."""
    return act(_where(context, program_dir), _genkan.genkan_doctor_check)


def browsers(context: Optional[Context] = None,
             program_dir: Optional[str] = None) -> Report:
    """One line per browser and scope."""
    return act(_where(context, program_dir), _genkan.genkan_doctor_list)


def paths(context: Optional[Context] = None) -> Dict[str, str]:
    """Where the files of this user lie, by what they are."""
    report = act(context, _genkan.genkan_doctor_paths)
    return dict(line.split(": ", 1) for line in report.lines)


def register(browsers: Optional[Sequence[str]] = None,
             dir: Optional[str] = None, all: bool = False,
             system: bool = False,
             context: Optional[Context] = None,
             program_dir: Optional[str] = None) -> Report:
    """Lets browsers start genkan-host; by default those that are found."""
    if browsers is not None and (
            isinstance(browsers, str) or not isinstance(browsers, Sequence) or
            not builtins.all(isinstance(b, str) for b in browsers)):
        raise wrong("browsers", "a list of str", browsers)
    return act(_where(context, program_dir), _genkan.gk_register_write,
               None if browsers is None else ",".join(browsers), dir,
               int(bool(all)), int(bool(system)))


def unregister(dir: Optional[str] = None, system: bool = False,
               context: Optional[Context] = None) -> Report:
    """Removes what register() wrote."""
    return act(context, _genkan.gk_register_remove, dir, int(bool(system)))
