"""Many small files of another machine in one go, by GNU grep."""

from collections.abc import Iterable

from instruments.ssh.script import LARGEST
from instruments.tools.command import Completed


def parts(paths: Iterable[str]) -> Iterable[list[str]]:
    """Split paths so that each part fits into a command line."""
    part: list[str] = []
    size = 0
    for path in paths:
        size += len(path.encode()) + 3
        if size > LARGEST:
            yield part
            part, size = [], len(path.encode()) + 3
        part.append(path)
    if part:
        yield part


def command(paths: list[str]) -> list[str]:
    """Make the command that prints all of some files, each line as "path NUL line"."""
    return ["grep", "-aZH", "", "--", *paths]


def texts(paths: list[str], done: Completed) -> dict[str, str | None]:
    """Take apart what it printed.

    A file without a line is empty, or is named in the complaints and was not read.
    """
    lines: dict[str, list[str]] = {path: [] for path in paths}
    for line in done.stdout.split("\n")[:-1]:
        path, nul, rest = line.partition("\0")
        if nul and path in lines:
            lines[path].append(f"{rest}\n")
    found: dict[str, str | None] = {}
    for path, text in lines.items():
        is_bad = not text and f"grep: {path}: " in done.stderr
        found[path] = None if is_bad else "".join(text)
    return found
