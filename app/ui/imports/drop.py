"""Files that are dropped on the window."""

from pathlib import Path

from PySide6.QtCore import QMimeData

SUFFIX = ".bayscope"
"""Of a session file, which is opened and not imported."""


def dropped_files(data: QMimeData) -> list[Path]:
    """Get the local files in what is dropped, those of dropped folders, too."""
    places = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            found += sorted(path for path in place.iterdir() if path.is_file())
        else:
            found.append(place)
    return found
