"""What the user chose last time, kept as a small TOML file."""

import contextlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

import platformdirs
import tomlkit

from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_toml, read_text
from instruments.files.whole_file import write_whole

_log = logging.getLogger("bayscope")

_AS_JSON = "json:"
"""Begins a text that TOML may not have as it is: names of files may be any bytes."""


class Settings:
    """Named texts, and lists of them, that outlive the program.

    A damaged file is treated as empty, and where the folder cannot be written
    they last as long as the program does: settings are a convenience, and losing
    them must never keep somebody from measuring.

    Args:
        path: Where they are kept; by default the user's configuration folder.

    Attributes:
        trouble: Why its file could not be read, None where it could or is none.
    """

    def __init__(self, path: Path | None = None) -> None:
        folder = platformdirs.user_config_path("bayscope", appauthor=False)
        self._path = path or folder / "settings.toml"
        self.trouble: BadInput | None = None
        self._values: dict[str, str | list[str]] = {}
        try:
            self._values = _read(self._path)
        except BadInput as error:
            damaged = self._path.with_suffix(".damaged")
            told = ""
            with contextlib.suppress(OSError):
                self._path.replace(damaged)
                told = f"The file is kept as {damaged.name} beside it."
            self.trouble = BadInput(
                f"{error.what}, so what was chosen last time is forgotten",
                where=error.place or error.where,
                way_out=told,
            )
        self._was_said = False

    @property
    def path(self) -> Path:
        """The file they are kept in."""
        return self._path

    def get(self, name: str, default: str = "") -> str:
        """Get the text stored under a name."""
        value = self._values.get(name, default)
        return value if isinstance(value, str) else default

    def get_list(self, name: str) -> list[str]:
        """Get the texts stored under a name."""
        value = self._values.get(name, [])
        # Earlier versions kept a list as one text, a line each.
        return value.split("\n") if isinstance(value, str) else [*value]

    def put(self, name: str, value: str | Sequence[str]) -> None:
        """Store a text or several at once; nothing is written when it is what it was.

        Where it cannot be saved the log has one warning.
        """
        new = value if isinstance(value, str) else [*value]
        if self._values.get(name) == new:
            return
        self._values[name] = new
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            kept = {
                key: _kept(one) if isinstance(one, str) else [*map(_kept, one)]
                for key, one in self._values.items()
            }
            write_whole(self._path, tomlkit.dumps(kept).encode())
        except OSError as error:
            if not self._was_said:
                self._was_said = True
                _log.warning("settings cannot be saved: %s", error)


def _kept(text: str) -> str:
    """Write a text as TOML can have it."""
    is_plain = text.isprintable() and not text.startswith(_AS_JSON)
    return text if is_plain else _AS_JSON + json.dumps(text)


def _meant(text: str) -> str:
    try:
        found = (
            json.loads(text.removeprefix(_AS_JSON))
            if text.startswith(_AS_JSON)
            else text
        )
    except ValueError:
        return text
    return found if isinstance(found, str) else text


def _read(path: Path) -> dict[str, str | list[str]]:
    if not path.exists():
        return {}
    values = parsed_toml(read_text(path), str(path))
    found: dict[str, str | list[str]] = {}
    for key, value in values.items():
        if isinstance(value, str):
            found[key] = _meant(value)
        elif isinstance(value, list):
            found[key] = [_meant(one) for one in value if isinstance(one, str)]
    return found
