"""Where a comparison is written to, and in which form."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.operations.sessions.compare_file import SUFFIXES

_FORMS = tuple(zip(("Text", "JSON for programs"), SUFFIXES, strict=True))


def ask_for_file(first: Path, second: Path, folder: Path, parent: QWidget) -> Path:
    """Ask where to write what two sessions come to; an empty path for nowhere.

    Args:
        first: The file of A.
        second: The file of B.
        folder: The folder to begin with.
        parent: The window that waits.
    """
    filters = {f"{name} (*{suffix})": suffix for name, suffix in _FORMS}
    name, chosen = QFileDialog.getSaveFileName(
        parent,
        "Export the comparison",
        str(folder / f"{first.stem}-against-{second.stem}{SUFFIXES[0]}"),
        ";;".join(filters),
    )
    path = Path(name)
    if name and not path.suffix:
        path = path.with_name(f"{path.name}{filters.get(chosen, SUFFIXES[0])}")
    return path
