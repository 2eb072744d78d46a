"""Bayscope, the desktop controller for a storage lab's test bench."""

from pathlib import Path


def version() -> str:
    """Get the version of Bayscope that runs."""
    from importlib import metadata  # noqa: PLC0415  (takes the parser of e-mails)

    try:
        return metadata.version("bayscope")
    except metadata.PackageNotFoundError:
        return "0.0.0+source"


def default_folder() -> Path:
    """Get the folder where sessions are kept unless a user names another."""
    return Path.home() / "Bayscope"
