"""The text files that a bench leans on: descriptions of meters, profiles, layouts."""

from contextlib import suppress
from pathlib import Path

import platformdirs

import resources
from app.bench.model import Bench
from instruments.errors import BadInput
from instruments.files.foreign_text import read_text

_FOLDERS = {"described": ("meter", "meters"), "snmp": ("profile", "snmp")}
"""By driver: the key that names a file, and the folder of settings that it lies in."""


def texts_used(bench: Bench) -> dict[str, str]:
    """Get the text of every file that decides what a bench's readings mean.

    Returns:
        Text by a name such as "meters/pa1000.toml". What is no file, such as a layout
        that is written as "4x15" and ships nowhere, is left out.
    """
    found: dict[str, str] = {}
    for source in bench.sources:
        key, folder = _FOLDERS.get(source.driver.name, ("", ""))
        if key and (name := str(source.keys.get(key, ""))):
            _add(found, folder, f"{name}.toml")
    if layout := bench.dut.layout:
        path = Path(layout).expanduser()
        if path.suffix and path.is_file():
            with suppress(BadInput):
                found[f"layouts/{path.name}"] = read_text(path)
        else:
            _add(found, "layouts", f"{layout}.toml")
    return found


def _add(found: dict[str, str], folder: str, name: str) -> None:
    own = platformdirs.user_config_path("bayscope", appauthor=False) / folder / name
    with suppress(OSError, BadInput):
        if own.is_file():
            found[f"{folder}/{name}"] = read_text(own)
        else:
            found[f"{folder}/{name}"] = resources.read_text(folder, name)
