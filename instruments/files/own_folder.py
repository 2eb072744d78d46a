"""Folders that are ours for a while, and are swept where a kill left them."""

import contextlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

from instruments.files.notes import FOLDER, Note, new_token, put_right


class OwnFolder:
    """A new folder, which goes with everything in it when this is closed.

    Args:
        prefix: What its name begins with; the rest is random.
        beside: The folder to make it in; None for that of temporary files.

    Attributes:
        path: Where it is.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, prefix: str = "bayscope-", beside: Path | None = None) -> None:
        token = new_token()
        parent = Path(tempfile.gettempdir()) if beside is None else beside
        self.path = parent.absolute() / f"{prefix}{token}"
        # Before the folder: a kill between the two leaves a note of nothing, and not a
        # folder of which nobody knows.
        self._note = Note(FOLDER, self.path, token)
        try:
            self.path.mkdir(mode=0o700)
        except BaseException:
            self._note.drop()
            raise

    def close(self) -> None:
        """Remove it; may be called twice. What cannot be removed is swept later."""
        shutil.rmtree(self.path, ignore_errors=True)
        if not self.path.exists():
            self._note.drop()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def sweep() -> list[Path]:
    """Remove the folders of this user's programs that were killed; return them."""
    swept: list[Path] = []

    def remove(path: Path, token: str) -> None:
        """Remove one that is ours; never through a link, nor what is mounted in it."""
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
            if is_own and path.name.endswith(token) and not _has_mount(path):
                shutil.rmtree(path)
                swept.append(path)

    put_right(FOLDER, remove)
    return swept


def _has_mount(path: Path) -> bool:
    begin = f"{path.resolve()}/"
    for line in Path("/proc/self/mountinfo").read_text("utf-8").splitlines():
        place = re.sub(
            r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split()[4]
        )
        if f"{place}/".startswith(begin):
            return True
    return False
