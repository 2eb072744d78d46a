"""Bayscope, the desktop controller for a storage lab's test bench."""

from pathlib import Path

__version__ = "0.2.0"
"""As the package says: asking for its metadata takes longer than many a command."""


def version() -> str:
    """Get the version of Bayscope that runs."""
    return __version__


def default_folder() -> Path:
    """Get the folder where sessions are kept unless a user names another."""
    return Path.home() / "Bayscope"
