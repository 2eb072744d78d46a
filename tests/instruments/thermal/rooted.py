"""A machine of its own for tests: real programs, with /sys and /dev below a folder."""

import os
from collections.abc import Iterable
from pathlib import Path

from instruments.tools.hosts import LocalHost


class RootedHost(LocalHost):
    """This machine, but files are looked for below a folder.

    Args:
        root: The folder that stands for "/".
    """

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:
        return super().read_text(f"{self.root}{path}", timeout_s)

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> dict[str, str | None]:
        asked = list(paths)
        found = super().read_many((f"{self.root}{path}" for path in asked), timeout_s)
        return {path: found[f"{self.root}{path}"] for path in asked}

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:
        return super().list_folder(f"{self.root}{path}", timeout_s)

    def write(self, path: str, text: str) -> None:
        """Make a file below the folder."""
        place = Path(f"{self.root}{path}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def tool(folder: Path, name: str, script: str) -> Path:
    """Write a program into a folder that is on the PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return path


def path_with(folder: Path) -> str:
    """Get the PATH with a folder in front."""
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
