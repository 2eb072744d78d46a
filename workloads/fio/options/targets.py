r"""What a fio job would open: its targets, found the way fio finds them.

Tried against fio 3.33, whose `--debug=file` says which files it adds:

* every `filename` adds to the list, one of [global] as well; `:` divides names and
  `\:` is a colon;
* `directory` stands before every name, also before an absolute one, and its own list
  is dealt out to the clones of numjobs;
* without a name the job is its own target where its name is that of something that
  exists and is no regular file, such as a disk; otherwise names are made by
  `filename_format`, which may spell out a disk, too;
* everything below `opendir` is a target.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workloads.fio.options.sections import Section
from workloads.fio_access import Kind, engine_trouble, ruling, value_trouble

MOST = 4096
"""Files of one job that are followed; a job with more is not taken."""

_DEFAULT_FORMAT = "$jobname.$jobnum.$filenum"
_READS = ("", "read", "randread")
_HANDLED = frozenset(
    ("filename", "directory", "filename_format", "opendir", "name", "description")
)


@dataclass(frozen=True, slots=True)
class JobTargets:
    """What one job would open, and what else it would do.

    Attributes:
        job: Its name.
        paths: Each path it would open, without doubles, as fio would pass it to
            the system; relative ones are relative to fio's folder.
        destroys: Whether it writes, trims or resets zones.
        closed: Options that are closed, with the reason.
    """

    job: str
    paths: tuple[str, ...]
    destroys: bool
    closed: tuple[str, ...] = ()


_WRITTEN = ("output", "write_bw_log", "write_lat_log", "write_iops_log")


def job_targets(section: Section, folder: Path) -> JobTargets:
    """Find the targets of a job that fio would run in a folder.

    Args:
        section: The job.
        folder: The folder fio runs in, from which it sees relative paths.
    """
    closed = list(dict.fromkeys(_closed(section)))
    paths: list[str] = []
    for path in _paths(section, folder):
        if path not in paths:
            paths.append(path)
        if len(paths) > MOST:
            closed.append(f"it opens more than {MOST} files")
            break
    destroys = section.last("rw", "readwrite").split(":")[0].strip() not in _READS
    erases = any(ruling(name).kind is Kind.ARMED for name, _ in section.pairs)
    return JobTargets(section.name, tuple(paths), destroys or erases, tuple(closed))


def _closed(section: Section) -> Iterator[str]:
    for name, value in section.pairs:
        found = ruling(name)
        if found.kind is Kind.CLOSED:
            yield f"{name}: {found.reason}"
        elif name not in _HANDLED and (trouble := value_trouble(name, value)):
            yield trouble
        elif name in _WRITTEN and "/" in value:
            yield f'{name}: it writes to "{value}"'
    engine = section.last("ioengine")
    if engine and (trouble := engine_trouble(engine)):
        yield f"ioengine={engine}: {trouble}"


def _paths(section: Section, folder: Path) -> Iterator[str]:
    folders = [one for text in section.each("directory")[-1:] for one in split(text)]
    folders = folders or [""]
    named = [one for text in section.each("filename") for one in split(text)]
    opened = [p for text in section.each("opendir") for p in _below(folder, text)]
    yield from opened
    for name in named:
        yield from (_join(one, name) for one in folders)
    if not named and not opened:
        yield from _own(section, folder, folders)


def _own(section: Section, folder: Path, folders: list[str]) -> Iterator[str]:
    """Find the targets of a job that names none."""
    names = [section.name]
    itself = [name for name in names if _is_special(folder / name)]
    if itself:
        for name in itself:
            yield from (_join(one, name) for one in folders)
        return
    pattern = section.last("filename_format") or _DEFAULT_FORMAT
    jobs = _count(section.last("numjobs"))
    files = _count(section.last("nrfiles"))
    # The name of the job, and what it is called: versions differ in which counts.
    names += [name for name in section.each("name") if name != section.name]
    for name in names:
        for job in range(jobs):
            place = folders[job % len(folders)]
            for file in range(files):
                yield _join(place, _made(pattern, name, job, file))


def _made(pattern: str, name: str, job: int, file: int) -> str:
    keys = {"$jobname": name, "$jobnum": str(job), "$filenum": str(file)}
    keys["$clientuid"] = ""
    found = re.compile("|".join(re.escape(key) for key in keys))
    return found.sub(lambda match: keys[match[0]], pattern)


def _count(text: str) -> int:
    """Read a number of jobs or files; what is none counts as more than are followed."""
    if not text:
        return 1
    try:
        return max(1, min(int(text, 0), MOST + 1))
    except ValueError:
        return MOST + 1


def split(text: str) -> list[str]:
    r"""Divide a list of names at its colons; "\:" is a colon that stays.

    Any other backslash stays as it is, so Windows' names come through.
    """
    parts = re.split(r"(?<!\\):", text.strip())
    return [part.replace("\\:", ":") for part in parts if part]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_special(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _below(folder: Path, text: str) -> Iterator[str]:
    """Go through every file below a folder, as opendir does."""
    for place, _, files in os.walk(folder / text):
        relative = os.path.relpath(place, folder)
        start = place if text.startswith("/") else relative
        yield from (os.path.join(start, name) for name in sorted(files))  # noqa: PTH118
