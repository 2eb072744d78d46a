"""Where a page of a template runs: it is somebody's text, and often somebody else's."""

from typing import Any

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

_OPEN = ("builtins", "jinja2", "markupsafe")
"""Packages whose values a page may look into beside those of a report."""


class Sandbox(SandboxedEnvironment):
    """Lets a page look into plain values and into what a report is made of.

    Jinja's own guards Python's inner parts only. What else a report holds, such as
    arrays and their numbers, has methods that write files.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            undefined=StrictUndefined,
            trim_blocks=True,
            keep_trailing_newline=True,
            **settings,
        )

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Tell whether a page may have an attribute of a value."""
        module = type(obj).__module__
        known = module.partition(".")[0] in _OPEN or module.startswith("app.report.")
        return known and super().is_safe_attribute(obj, attr, value)
