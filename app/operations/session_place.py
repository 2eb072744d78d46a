"""Where a session is kept: its folder, and a name that no other has."""

import os
import re
from datetime import datetime
from pathlib import Path

from instruments.errors import BadInput


def make_folder(out: Path) -> None:
    """Make a folder for sessions; raises BadInput where that cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        writable = os.access(out, os.W_OK | os.X_OK)
    except OSError as error:
        raise BadInput(
            f"the folder cannot be made, {(error.strerror or str(error)).lower()}",
            where=str(out),
            way_out="Name another folder with --out.",
        ) from error
    if not writable:
        raise BadInput(
            "the folder cannot be written to",
            where=str(out),
            way_out="Name another folder with --out.",
        )


def session_path(out: Path, name: str) -> Path:
    """Make the path of a new session from the time and the campaign's name."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "session"
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    path = out / f"{stamp}_{slug[:60]}.bayscope"
    number = 2
    while path.exists():
        path = out / f"{stamp}_{slug[:60]}-{number}.bayscope"
        number += 1
    return path
