"""Data that ships with Bayscope: icons, fonts, campaigns, benches, templates."""

from pathlib import Path

_HERE = Path(__file__).parent


def read_text(*parts: str) -> str:
    """Read a text file that ships with Bayscope, such as ("benches", "x.toml")."""
    return _HERE.joinpath(*parts).read_text(encoding="utf-8")


def names_in(*parts: str) -> list[str]:
    """Name the files of a folder that ships with Bayscope."""
    return sorted(one.name for one in _HERE.joinpath(*parts).iterdir())


def read_bytes(*parts: str) -> bytes:
    """Read a file that ships with Bayscope as bytes."""
    return _HERE.joinpath(*parts).read_bytes()
