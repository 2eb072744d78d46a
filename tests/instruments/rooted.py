"""A host whose system folders lie elsewhere, so that a test can make them up."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from instruments.tools.command import Completed
from instruments.tools.hosts import Host, LocalHost
from instruments.tools.started import Started

FOLDERS = re.compile(r"(?<![\w.-])/(?:sys|proc|dev)/")


class RootedHost:
    """Another host, real, with /sys, /proc and /dev below a folder.

    Args:
        root: The folder.
        inner: Where things really run.
    """

    def __init__(self, root: Path, inner: Host | None = None) -> None:
        self.name = "rooted"
        self._root = str(root)
        self._inner: Host = inner or LocalHost()

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        done = self._inner.run([self._there(part) for part in argv], timeout_s, env=env)
        return Completed(
            done.stdout.replace(self._root, ""),
            done.stderr.replace(self._root, ""),
            done.code,
        )

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:
        return self._inner.read_text(self._there(path), timeout_s)

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> dict[str, str | None]:
        there = {path: self._there(path) for path in paths}
        found = self._inner.read_many(there.values(), timeout_s)
        return {path: found[real] for path, real in there.items()}

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Started:
        return self._inner.start(argv, cwd=cwd, env=env)

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:
        return self._inner.list_folder(self._there(path), timeout_s)

    def close(self) -> None:
        self._inner.close()

    def _there(self, text: str) -> str:
        return FOLDERS.sub(lambda found: f"{self._root}{found[0]}", text)


def write_tree(root: Path, files: Mapping[str, str]) -> None:
    """Write files by their path below the root; "-> path" makes a link below it."""
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.symlink_to(root / text.removeprefix("-> ").lstrip("/"))
        else:
            path.write_text(text)
