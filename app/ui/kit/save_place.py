"""Where a file of the user's is saved, asked with a name made of its own."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

_SUFFIX = ".toml"


def file_name(name: str, otherwise: str) -> str:
    """Make the name of a file of what something is called: "my-bench.toml"."""
    letters = "".join(c if c.isalnum() else " " for c in name.lower())
    return f"{'-'.join(letters.split()) or otherwise}{_SUFFIX}"


def ask_where(window: QWidget, title: str, path: Path, filters: str) -> Path | None:
    """Ask where to save; None where the user thinks better of it.

    Args:
        window: What waits.
        title: Of the dialog.
        path: What is proposed.
        filters: Which files are listed.
    """
    chosen, _ = QFileDialog.getSaveFileName(window, title, str(path), filters)
    if not chosen:
        return None
    wanted = Path(chosen)
    return wanted if wanted.suffix else wanted.with_suffix(_SUFFIX)
