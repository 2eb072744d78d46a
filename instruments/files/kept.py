"""Small facts that are made once and kept beside the settings of this user."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import platformdirs

from instruments.files.own_folder import OwnFolder


def read_or_make(name: str, make: Callable[[], bytes]) -> bytes:
    """Read a fact; where there is none yet, make it and keep it.

    Args:
        name: Name of its file.
        make: Makes the content. Of two programs that make one at once, both get the
            content of the same one.

    Raises:
        OSError: It can neither be read nor be made.
    """
    path = kept_path(name)
    with suppress(FileNotFoundError):
        return path.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with OwnFolder(".new-", path.parent) as folder:
        fresh = folder / name
        with os.fdopen(os.open(fresh, flags, 0o600), "wb") as file:
            file.write(make())
            file.flush()
            os.fsync(file.fileno())  # An empty one after a power cut would stay so.
        # Unlike a rename it overwrites nothing, and the file is whole when it is there.
        with suppress(FileExistsError):
            os.link(fresh, path)
    return path.read_bytes()


def kept_path(name: str) -> Path:
    """Say in which file something is kept."""
    return platformdirs.user_config_path("bayscope", appauthor=False) / name
