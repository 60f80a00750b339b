"""The C functions, as SWIG wraps them: private to this package, whose modules
give each of them its type.  A name is that of the C function; one that begins
with gk_ is a helper of bindings/swig/.
"""
from typing import Any

def __getattr__(name: str) -> Any: ...
