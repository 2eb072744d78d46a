"""The window: the only folder that knows Qt; importing it costs nothing."""

import sys

from instruments.errors import BenchError


def check_qt() -> None:
    """Refuse the one Qt binding that aborts on this Python (PYSIDE-3474)."""
    try:
        # Only now: where it is imported at once, nothing could be said of it.
        from PySide6 import __version__ as found  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise BenchError(
            "Qt is not installed", way_out="Set up again with: ./run setup"
        ) from error
    if sys.version_info < (3, 12) and found.startswith("6.12."):
        raise BenchError(
            "PySide6 6.12 aborts on this Python",
            way_out="Set up again with ./run setup, which installs 6.11.",
        )
