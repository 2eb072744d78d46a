"""The command line of a load, kept with what it printed."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.command import SYSTEM_FOLDERS
from workloads.base import Artefact
from workloads.fio_job import STATUS_INTERVAL_MS


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
            f"{variable} names {named}, which is not a program",
            where=engine,
            way_out=f"Let {variable} name the program {program}, or unset it.",
        )
    folders = (os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS)
    path = shutil.which(program, path=os.pathsep.join(folders))
    if path is None:
        raise BenchError(
            f"the program {program} is not installed, or not on the PATH",
            where=engine,
            way_out=f"{advice} Or let the variable {variable} name it.",
        )
    return path


COMMAND_LINE = "command-line.txt"
"""The name it is kept under."""


def fio_argv(*, writes: bool) -> list[str]:
    """Make the command line of one fio, whose job file lies in its own folder.

    Args:
        writes: Whether the job writes or erases; fio refuses to, else.
    """
    return [
        "fio",
        # json+ has the histograms, from which any stretch gets true percentiles.
        "--output-format=json+",
        f"--status-interval={STATUS_INTERVAL_MS}ms",
        *([] if writes else ["--readonly"]),
        "job.fio",
    ]


def command_line(argv: Sequence[str], links: Mapping[str, str] | None = None) -> str:
    """Write a command line, and what the names in its job file stand for."""
    lines = [f"$ {shlex.join(argv)}"]
    lines += [f"{name} -> {target}" for name, target in (links or {}).items()]
    return "".join(f"{line}\n" for line in lines)


def kept_line(text: str) -> Artefact:
    """Keep a command line."""
    return Artefact(COMMAND_LINE, "text/plain", text.encode())


def led_to(path: Path) -> str:
    """Say what a path on this machine leads to, over links such as those of by-id."""
    named, real = path.absolute(), path.resolve()
    return str(named) if named == real else f"{named} -> {real}"
