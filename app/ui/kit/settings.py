"""What the user chose last time, kept as a small TOML file."""

import logging
from pathlib import Path

import platformdirs
import tomlkit

from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_toml, read_text
from instruments.files.whole_file import write_whole

_log = logging.getLogger("bayscope")


class Settings:
    """Named texts that outlive the program.

    A damaged file is treated as empty, and where the folder cannot be written
    they last as long as the program does: settings are a convenience, and losing
    them must never keep somebody from measuring.

    Args:
        path: Where they are kept; by default the user's configuration folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        folder = platformdirs.user_config_path("bayscope", appauthor=False)
        self._path = path or folder / "settings.toml"
        self._values = _read(self._path)
        self._was_said = False

    @property
    def path(self) -> Path:
        """The file they are kept in."""
        return self._path

    def get(self, name: str, default: str = "") -> str:
        """Get the text stored under a name."""
        return self._values.get(name, default)

    def put(self, name: str, value: str) -> None:
        """Store a text at once; nothing is written when it is what it was.

        That a text could not be kept is said in the log, once.
        """
        if self._values.get(name) == value:
            return
        self._values[name] = value
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Names of files may be any bytes, which no TOML may have.
            kept = {k: v.encode("unicode_escape") for k, v in self._values.items()}
            text = tomlkit.dumps({k: v.decode() for k, v in kept.items()})
            write_whole(self._path, text.encode())
        except OSError as error:
            if not self._was_said:
                self._was_said = True
                _log.warning("settings are not kept: %s", error)


def _read(path: Path) -> dict[str, str]:
    try:
        values = parsed_toml(read_text(path), str(path))
        kept = {k: v for k, v in values.items() if isinstance(v, str)}
        plain = {k: v.encode("latin-1", "backslashreplace") for k, v in kept.items()}
        return {k: v.decode("unicode_escape") for k, v in plain.items()}
    except (BadInput, UnicodeError):
        return {}
