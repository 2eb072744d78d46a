"""The text files that a bench leans on: descriptions of meters, profiles, layouts."""

from contextlib import suppress
from pathlib import Path

import platformdirs

from app.bench import Bench
from resources import read_text

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
            with suppress(OSError):
                text = path.read_text(encoding="utf-8", errors="replace")
                found[f"layouts/{path.name}"] = text
        else:
            _add(found, "layouts", f"{layout}.toml")
    return found


def _add(found: dict[str, str], folder: str, name: str) -> None:
    own = platformdirs.user_config_path("bayscope", appauthor=False) / folder / name
    with suppress(OSError):
        if own.is_file():
            found[f"{folder}/{name}"] = own.read_text("utf-8", errors="replace")
        else:
            found[f"{folder}/{name}"] = read_text(folder, name)
