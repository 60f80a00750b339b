"""The exceptions that all others come from."""
from typing import Optional


class GenkanError(Exception):
    """Something that genkan could not do.

    ``code`` is the name that the protocol has for it and decides for programs;
    the text is for people.  ``number`` is the number of the C library.
    """

    code: str = "unknown"
    number: int = 0

    def __init__(self, detail: Optional[str] = None) -> None:
        self.detail = detail or ""
        text = self.detail or (type(self).__doc__ or "").strip()
        super().__init__(text or self.code)


class ToolError(GenkanError):
    """A tool was called and said no, or failed: a browser, a page, a policy
    or a person.  ``retryable`` tells whether the same call may succeed later.
    """

    category: str = "internal"
    retryable: bool = False
