"""Files that are written whole or not at all, whatever ends the program meanwhile."""

from pathlib import Path

from instruments.files.own_folder import OwnFolder


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or replace it, in a folder that is there.

    It is written in a folder of ours beside it, which is swept after a kill.

    Raises:
        OSError: It cannot be written; what was there before is as it was.
    """
    with OwnFolder(".new-", path.parent) as folder:
        fresh = folder / path.name
        fresh.write_bytes(content)
        fresh.replace(path)
