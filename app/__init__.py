"""Bayscope, the desktop controller for a storage lab's test bench."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _installed_version


def version() -> str:
    """Get the version of Bayscope that runs."""
    try:
        return _installed_version("bayscope")
    except PackageNotFoundError:
        return "0.0.0+source"
