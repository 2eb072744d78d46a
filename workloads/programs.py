"""Where the programs of engines are: named by a variable, or on the PATH."""

import os
import shutil
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.command import SYSTEM_FOLDERS


def find_program(engine: str, program: str, advice: str) -> str:
    """Find the program of an engine: BAYSCOPE_<ENGINE>, or on the PATH.

    A plan cannot name a program: plans travel, and what runs here is decided here.

    Raises:
        BenchError: It is not installed; says where to get it.
    """
    variable = f"BAYSCOPE_{engine.upper()}"
    named = os.environ.get(variable, "")
    if named:
        if os.access(named, os.X_OK) and Path(named).is_file():
            return str(Path(named).absolute())
        raise BenchError(
            f"{variable} names {named}, which is no program",
            where=engine,
            way_out=f"Let {variable} name the program {program}, or unset it.",
        )
    folders = (os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS)
    found = shutil.which(program, path=os.pathsep.join(folders))
    if found is None:
        raise BenchError(
            f"the program {program} is not installed, or not on the PATH",
            where=engine,
            way_out=f"{advice} Or let the variable {variable} name it.",
        )
    return found
