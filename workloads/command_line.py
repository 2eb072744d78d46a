"""The command line of a load, kept with what it printed."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from workloads.base import Artefact
from workloads.fio_job import STATUS_INTERVAL_MS

COMMAND_LINE = "command-line.txt"
"""The name it is kept under."""


def fio_argv(*, writes: bool) -> list[str]:
    """Make the command line of one fio, whose job file lies in its own folder.

    Args:
        writes: Whether the job writes or erases; fio refuses to, else.
    """
    return [
        "fio",
        "--output-format=json+",
        f"--status-interval={STATUS_INTERVAL_MS}ms",
        *([] if writes else ["--readonly"]),
        "job.fio",
    ]


def command_line(argv: Sequence[str], links: Mapping[str, str] | None = None) -> str:
    """Write a command line, and what the names in its job file stand for.

    Args:
        argv: Program and arguments.
        links: What each name of a target leads to.
    """
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
