r"""A fio job for a Windows load host, as text.

Its engine is windowsaio, a file is named "C\:\\scratch\\bayscope.bin" and a disk
"\\\\.\\PhysicalDrive3", as fio's HOWTO says. Untried on a real Windows.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from instruments.errors import BadInput
from workloads.fio.windows import windows_text
from workloads.fio_job import FioJob
from workloads.hosts.paths import escaped

_FILE = re.compile(r"[A-Za-z]:\\(?:[A-Za-z0-9_. -]+\\)*bayscope[A-Za-z0-9_.-]*")
_DISK = re.compile(r"\\\\\.\\PhysicalDrive\d+")
_LINUX_ENGINES = ("libaio", "io_uring", "posixaio")


def text_there(job: FioJob, targets: Sequence[str]) -> str:
    """Write the job file for Windows: its engine and the names of its targets.

    Raises:
        OptionError: The engine is not on Windows.
    """
    options = dict(job.options)
    if options.get("ioengine") in _LINUX_ENGINES:
        del options["ioengine"]
    return windows_text(replace(job, options=options), targets)


def fill_text(target: str, size: int) -> str:
    """Write the job that fills a scratch file once, so that reads find real data."""
    lines = [
        "[fill]",
        "ioengine=windowsaio",
        "thread=1",
        "rw=write",
        "bs=1m",
        f"size={size}",
        f"filename={escaped(target)}",
    ]
    return "\n".join(lines) + "\n"


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
            "it is no target for a Windows host",
            where=f"target {target}",
            way_out="Expected a file with a name that begins with bayscope, such as "
            "D:\\bayscope.bin, or a disk such as \\\\.\\PhysicalDrive3.",
        )
