"""Files that are written whole or not at all, whatever ends the program meanwhile."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from instruments.errors import BadInput, plain_words
from instruments.files.own_folder import OwnFolder


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or replace it, in a folder that is there.

    It is written in a temporary folder beside it, which is swept after a kill. A link
    of this user's stays one. The file keeps its permissions and, where we may set it,
    its owner.

    Raises:
        OSError: It cannot be written; what was there before is as it was.
    """
    # A link that somebody else left would have root write wherever it leads.
    if path.is_symlink() and path.lstat().st_uid == os.geteuid():
        path = Path(os.path.realpath(path))
    with OwnFolder(".new-", path.parent) as folder:
        fresh = folder / path.name
        with fresh.open("wb") as file:
            if path.is_file() and not path.is_symlink():
                before, is_root = path.stat(), os.geteuid() == 0
                with suppress(PermissionError):
                    owner = before.st_uid if is_root else -1
                    os.fchown(file.fileno(), owner, before.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # An empty one after a power cut would stay so.
        fresh.replace(path)


def save_file(path: Path, content: bytes | str) -> None:
    """Write a file that a user named, whole; its folder is made where it is missing.

    Raises:
        BadInput: It cannot be written.
    """
    try:
        with suppress(FileExistsError):  # no folder: what is below it cannot be
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise BadInput(
            f"it cannot be written ({plain_words(error)})",
            where=str(path),
            way_out="Choose another place.",
        ) from error


def check_folder(folder: Path) -> None:
    """Refuse a folder that files cannot be written to, before they are made for it.

    It is tried where it would begin, and nothing stays there: a right to write does
    not tell of every file system whether it takes a file.

    Raises:
        BadInput: It cannot be made, or takes no files.
    """
    whole = folder.absolute()
    try:
        there = next(one for one in (whole, *whole.parents) if one.exists())
        with OwnFolder(".new-", there):
            pass
    except OSError as error:
        raise BadInput(
            f"files cannot be written there ({plain_words(error)})",
            where=str(folder),
            way_out="Choose another folder.",
        ) from error


@contextmanager
def whole_files(folder: Path) -> Iterator[Path]:
    """Give a place for new files, which are put into a folder once all are written.

    Each keeps its place below it, and replaces what was there. Where the block raises
    none of them is; the place is swept after a kill.

    Args:
        folder: Where they belong; made where it is not there.

    Yields:
        Where to write them.

    Raises:
        OSError: They cannot be put there.
    """
    with suppress(FileExistsError):
        folder.mkdir(parents=True, exist_ok=True)
    with OwnFolder(".new-", folder) as fresh:
        yield fresh
        written = sorted(path for path in fresh.rglob("*") if path.is_file())
        # All of them before the first is put there: then a full disk has shown itself.
        for path in written:
            with path.open("rb") as file:
                os.fsync(file.fileno())
        for path in written:
            target = folder / path.relative_to(fresh)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
