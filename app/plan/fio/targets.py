r"""The targets that stand in fio jobs: named, and never taken for the bench's own."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workloads.fio.paste.parsed import Pair, ParsedJob


@dataclass(frozen=True, slots=True)
class NamedTarget:
    r"""One file or disk that a text names.

    Attributes:
        path: As it stands there, such as "/dev/dm-2" or "\\.\PhysicalDrive1".
        lines: Where it stands.
        is_disk: Whether it is the name of a disk.
        size: What the text says of its size, "" where nothing.
        writes: Whether a job there writes or erases.
    """

    path: str
    lines: tuple[int, ...]
    is_disk: bool
    size: str = ""
    writes: bool = False


LETTER = re.compile(r"(?:(?<=:)|^)([A-Za-z]):\\")
r"""A drive of Windows, as in "C:\test"; fio wants "C\:\test"."""


def is_disk(path: str) -> bool:
    r"""Tell whether a name is that of a disk, on Linux or on Windows."""
    return path.startswith("/dev/") or path.lower().startswith("\\\\.\\")


def own_targets(job: ParsedJob) -> tuple[tuple[str, int], ...]:
    """Get the files and disks of a job as fio finds them: (name, line).

    A job without a filename runs on the disk that has its name.
    """
    options = job.options()
    named = [
        (name, pair.line)
        for pair in job.pairs
        if pair.name == "filename"
        for name in _names(pair)
    ]
    folder = options.get("directory")
    if folder is not None:
        named = [(f"{folder.value}/{name}", line) for name, line in named]
        named = named or [(f"{folder.value}/", folder.line)]
    if not named and is_disk(job.name):
        named = [(job.name, job.line)]
    if "opendir" in options:
        named.append((options["opendir"].value, options["opendir"].line))
    return tuple(named)


def _names(pair: Pair) -> list[str]:
    r"""Divide a list of names at its colons, but not at "\:"."""
    parts = re.split(r"(?<!\\):", LETTER.sub(r"\1\\:\\", pair.value).strip())
    return [part.replace("\\:", ":") for part in parts if part]


def named_targets(jobs: Iterable[ParsedJob]) -> tuple[NamedTarget, ...]:
    """List all files and disks of some jobs, each once."""
    targets: dict[str, NamedTarget] = {}
    for job in jobs:
        kind = job.last("rw").split(":")[0]
        writes = kind not in ("", "read", "randread")
        size = job.last("size") or job.last("filesize")
        for path, line in own_targets(job):
            earlier = targets.get(path)
            lines = {line, *(earlier.lines if earlier else ())}
            targets[path] = NamedTarget(
                path,
                tuple(sorted(lines)),
                is_disk(path),
                size or (earlier.size if earlier else ""),
                writes or (earlier.writes if earlier else False),
            )
    return tuple(targets.values())
