"""What a file copy has to do, and what of it is done."""

import errno
import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class CopyCounts(NamedTuple):
    """What was done so far.

    Attributes:
        read_bytes: Bytes read.
        written_bytes: Bytes written.
        reads: Calls that read.
        writes: Calls that wrote.
        files: Files that are copied as a whole.
        read_s: Seconds within calls that read.
        write_s: Seconds within calls that wrote.
        sync_s: Seconds within fsync.
    """

    read_bytes: int = 0
    written_bytes: int = 0
    reads: int = 0
    writes: int = 0
    files: int = 0
    read_s: float = 0.0
    write_s: float = 0.0
    sync_s: float = 0.0

    def since(self, before: "CopyCounts") -> "CopyCounts":
        """Get what was done after an earlier count."""
        return CopyCounts(*map(operator.sub, self, before))


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """What is copied.

    Attributes:
        files: Pairs of a file and its name below the target.
        target: A folder of Bayscope's own, empty at first.
        block: Bytes of one read and write.
        direct: Whether the page cache is bypassed on both sides.
        fsync: Whether each copy is made durable.
        sha256: Whether a checksum of what was read is kept.
        drop_cache: Whether files are read from the disk and not from memory.
    """

    files: Sequence[tuple[Path, Path]]
    target: Path
    block: int
    direct: bool
    fsync: bool
    sha256: bool
    drop_cache: bool


def list_files(source: Path) -> list[tuple[Path, Path]]:
    """List a file, or the files of a folder with their names below it, sorted.

    Links and everything that is no plain file are left out.

    Raises:
        OSError: It is not there or cannot be listed.
    """
    if not source.is_dir():
        if not source.is_file():
            raise FileNotFoundError(
                errno.ENOENT, "there is no such file or folder", str(source)
            )
        return [(source, Path(source.name))]

    def complain(error: OSError) -> None:
        raise error

    found = [
        Path(folder) / name
        for folder, _, names in os.walk(source, onerror=complain)
        for name in names
    ]
    plain = [path for path in sorted(found) if not path.is_symlink() and path.is_file()]
    return [(path, path.relative_to(source)) for path in plain]
