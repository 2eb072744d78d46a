"""Programs that stand in for drive tools while a simulated bench is run."""

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from instruments.files.own_folder import OwnFolder
from instruments.simulated import sg_start
from instruments.simulated.physics import SLOTS

NAMES = ("sg_start",)
"""What there is; each says in what it prints that it is simulated."""

SIMULATED = "(simulated)"
"""What every one of them prints of itself."""

DRIVES = "BAYSCOPE_DRIVES"
"""The variable that names the drives to commands of campaigns."""


@contextlib.contextmanager
def simulated_tools(address: str) -> Iterator[Mapping[str, str]]:
    """Make the programs; yield the variables for the commands that shall find them.

    Args:
        address: Host and port of the simulated enclosure.
    """
    with OwnFolder("bayscope-simulated-") as folder:
        script = str(Path(sg_start.__file__))
        # -I and -S: without the user's packages, whose search takes most of the start.
        words = shlex.join([sys.executable, "-I", "-S", script])
        tool = folder / NAMES[0]
        tool.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
        tool.chmod(0o755)
        drives = (f"{sg_start.PREFIX}{slot:02d}" for slot in range(SLOTS))
        yield {
            "PATH": os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)]),
            sg_start.ADDRESS: address,
            DRIVES: " ".join(drives),
        }
