"""Where a session is kept: its folder, and a name that no other has."""

import os
import re
import shutil
from datetime import datetime
from pathlib import Path

import app.record.store  # noqa: F401 - first: its parts take its lock
from app.record.store.lock import lock_path
from instruments.errors import BadInput, BenchError, plain_words
from instruments.sizes import describe_size

LEAST_ROOM = 8 * 2**20
"""Bytes that a new session finds free: its reserve of 4 MiB and some minutes."""


def make_folder(out: Path) -> None:
    """Make a folder for sessions.

    Raises:
        BadInput: It cannot be made or written to.
        BenchError: Its disk is as good as full.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        writable = os.access(out, os.W_OK | os.X_OK)
        free = shutil.disk_usage(out).free
    except (FileExistsError, NotADirectoryError) as error:
        raise BadInput(
            "this is a file, or lies below one, and no folder",
            where=str(out),
            way_out="Choose another folder.",
        ) from error
    except OSError as error:
        raise BadInput(
            f"the folder cannot be made, {plain_words(error)}",
            where=str(out),
            way_out="Choose another folder.",
        ) from error
    if not writable:
        raise BadInput(
            "the folder cannot be written to",
            where=str(out),
            way_out="Choose another folder.",
        )
    if free < LEAST_ROOM:
        raise BenchError(
            f"the disk is full, {describe_size(free)} are free and a session wants "
            f"{describe_size(LEAST_ROOM)} at least",
            where=str(out),
            way_out="Make room, or choose another folder.",
        )


def session_path(out: Path, name: str, at: datetime | None = None) -> Path:
    """Make the path of a new session from its time, now by default, and its name.

    Two runs that begin in one second get their own names.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "session"
    stem = f"{at or datetime.now().astimezone():%Y-%m-%d_%H-%M-%S}_{slug[:60]}"
    path, number = out / f"{stem}.bayscope", 2
    # A lock without a session is that of one which is being made.
    while path.exists() or lock_path(path).exists():
        path = out / f"{stem}-{number}.bayscope"
        number += 1
    return path
