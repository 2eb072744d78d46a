"""What a user typed into a field, read as a size or a path; no Qt."""

from pathlib import Path

from app.bench.model import round_size
from instruments.errors import BadInput
from instruments.files.foreign_text import home_path
from instruments.sizes import parse_size


def read_size(text: str) -> int:
    """Read the size of the scratch file in bytes, by the rule of bench.toml.

    Raises:
        BadInput: It is not a size as fio writes them, or too small for a load.
    """
    shown = text.strip()
    try:
        size = parse_size(shown)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f'"{shown}" is not a size', way_out='Enter one such as "512m".'
        ) from error
    try:
        return round_size(size)
    except BadInput as error:
        raise BadInput(f'the size is "{shown}"', way_out=error.way_out) from error


def read_path(text: str, what: str) -> Path:
    """Read a path; "~" is the home folder.

    Raises:
        BadInput: It is missing, or begins with "~" and a user nobody knows.
    """
    shown = text.strip()
    if not shown:
        raise BadInput(f"{what} is missing", way_out="Enter or choose a path.")
    return home_path(shown)
