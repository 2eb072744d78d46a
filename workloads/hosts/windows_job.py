r"""A fio job for a Windows load host, as text.

Its engine is windowsaio. fio's job file takes `\\.\PhysicalDrive3` as it stands; in a
path the colon of the drive is written `\:`, because a bare one divides names (fio's
HOWTO, "filename"). Untried on a real Windows: only the text is tested, and that fio
finds those names in it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from instruments.errors import BadInput, OptionError
from workloads.fio_job import FioJob
from workloads.hosts.place import escaped

ENGINES = ("windowsaio", "sync", "null")
"""I/O engines that fio is told to use on Windows; the first one is taken by itself."""

_LINUX_ENGINES = ("libaio", "io_uring", "posixaio")
_FILE = re.compile(r"[A-Za-z]:\\(?:[A-Za-z0-9_. -]+\\)*bayscope[A-Za-z0-9_.-]*")
_DISK = re.compile(r"\\\\\.\\PhysicalDrive\d{1,3}", re.IGNORECASE)
_PATH = re.compile(r"[A-Za-z]:\\[^<>:\"/|?*#;$`\x00-\x1f]+")


def text_there(job: FioJob, targets: Sequence[str]) -> str:
    r"""Write the job file for Windows: its engine and the names of its targets.

    Args:
        job: The job; its own targets are not used, nor is an engine of Linux alone.
        targets: As many names there, such as `\\.\PhysicalDrive1` or `D:\scratch.dat`.

    Raises:
        OptionError: An engine that Windows does not have, or a name that fio would
            read otherwise than it stands.
        ValueError: There are more or fewer names than targets of the job.
    """
    if len(targets) != len(job.targets):
        raise ValueError(f"{len(targets)} names for {len(job.targets)} targets")
    options = dict(job.options)
    if options.get("ioengine") in _LINUX_ENGINES:
        del options["ioengine"]
    engine = options.get("ioengine", ENGINES[0])
    if engine not in ENGINES:
        raise OptionError(
            "ioengine",
            f'the I/O engine "{engine}" is not on Windows',
            f"Expected one of {', '.join(ENGINES)}.",
        )
    names = [_spelled(name) for name in targets]
    return replace(job, options=options).text(names, engine=engine)


def _spelled(name: str) -> str:
    if _DISK.fullmatch(name):
        return name
    if not _PATH.fullmatch(name) or name != name.strip():
        raise OptionError(
            "filename",
            f'"{name}" is not a disk or file name that fio accepts on Windows',
            r"Expected one such as \\.\PhysicalDrive1 or D:\scratch.dat.",
        )
    return name.replace(":", "\\:")


def fill_text(target: str, size: int) -> str:
    """Write the job that fills a scratch file once, so that reads find real data."""
    return (
        "[fill]\nioengine=windowsaio\nthread=1\nrw=write\nbs=1m\n"
        f"size={size}\nfilename={escaped(target)}\n"
    )


def check_windows_target(target: str, *, destroys: bool) -> None:
    r"""Check a target on Windows by its name, since nothing there can be looked at.

    Disks are only read, because the guard cannot judge them; a file that is written
    has to have a name that begins with "bayscope".

    Raises:
        BadInput: It must not be used.
    """
    if _DISK.fullmatch(target):
        if destroys:
            raise BadInput(
                "disks of a Windows host cannot be judged from here, so they are not "
                "overwritten",
                where=f"target {target}",
                way_out="Only read it, or name a file such as C:\\bayscope.bin.",
            )
        return
    if not _FILE.fullmatch(target):
        raise BadInput(
            "it is not a target for a Windows host",
            where=f"target {target}",
            way_out="Expected a file with a name that begins with bayscope, such as "
            "D:\\bayscope.bin, or a disk such as \\\\.\\PhysicalDrive3.",
        )
