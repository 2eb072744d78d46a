r"""A fio job as a load host with Windows takes it: engine, and names as fio reads them.

fio's job file takes `\\.\PhysicalDrive1` as it stands; in a path the colon of the drive
is written `\:`, because a bare one divides names (fio's HOWTO, "filename"). It was not
tried on Windows: only the text is tested, and that fio finds those names in it.
"""

import re
from collections.abc import Sequence

from instruments.errors import OptionError
from workloads.fio_job import FioJob

ENGINES = ("windowsaio", "sync", "null")
"""I/O engines that fio is told to use on Windows; the first one is taken by itself."""

_DISK = re.compile(r"\\\\\.\\PhysicalDrive\d{1,3}", re.IGNORECASE)
_PATH = re.compile(r"[A-Za-z]:\\[^<>:\"/|?*#;$`\x00-\x1f]+")


def is_windows_disk(name: str) -> bool:
    r"""Tell whether a name is that of a whole disk, such as \\.\PhysicalDrive1."""
    return _DISK.fullmatch(name) is not None


def windows_text(job: FioJob, targets: Sequence[str]) -> str:
    r"""Write the job file of a job for a Windows host.

    Args:
        job: The job; its own targets are not used.
        targets: As many names there, such as `\\.\PhysicalDrive1` or `D:\scratch.dat`.

    Raises:
        OptionError: An engine that Windows does not have, or a name that fio would
            read otherwise than it stands.
        ValueError: There are more or fewer names than targets of the job.
    """
    if len(targets) != len(job.targets):
        raise ValueError(f"{len(targets)} names for {len(job.targets)} targets")
    engine = job.options.get("ioengine", ENGINES[0])
    if engine not in ENGINES:
        raise OptionError(
            "ioengine",
            f'the I/O engine "{engine}" is not on Windows',
            f"Expected one of {', '.join(ENGINES)}.",
        )
    return job.text([_spelled(name) for name in targets], engine=engine)


def _spelled(name: str) -> str:
    if is_windows_disk(name):
        return name
    if not _PATH.fullmatch(name) or name != name.strip():
        raise OptionError(
            "filename",
            f'"{name}" is no name of a disk or file on Windows that fio takes',
            r"Expected one such as \\.\PhysicalDrive1 or D:\scratch.dat.",
        )
    return name.replace(":", "\\:")
