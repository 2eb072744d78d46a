"""The documents of one kind that were opened or saved last."""

from pathlib import Path

from app.ui.kit.settings import Settings

_MOST = 6


class RecentFiles:
    """Keeps their paths in the settings.

    Args:
        settings: Where they are kept.
        key: Under which name.
    """

    def __init__(self, settings: Settings, key: str) -> None:
        self._settings = settings
        self._key = key

    @property
    def paths(self) -> list[Path]:
        """The files, the newest first."""
        return [Path(one) for one in self._settings.get_list(self._key) if one]

    def put(self, path: Path) -> None:
        """Put a file in front of the others."""
        kept = [path, *(one for one in self.paths if one != path)][:_MOST]
        self._settings.put(self._key, [*map(str, kept)])
