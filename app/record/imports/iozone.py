"""IOzone's output as one step: it tells its figures, and when it began."""

import re
from pathlib import Path

from app.record.imports.found import MS, Clock, FileClock, Found, FoundStep
from instruments.errors import BadInput
from instruments.reading import SECOND
from workloads.base import Measured
from workloads.fio.read.text import local_moment
from workloads.iozone.load import table_values
from workloads.iozone.output import parse

KIND = "IOzone output"
_BEGAN = re.compile(r"Run began: (.*)")


def is_iozone(text: str) -> bool:
    """Whether a text is the output of IOzone."""
    return "Iozone: Performance Test" in text or "Command line used: " in text


def read_iozone(path: Path, text: str, *, keep_rest: bool = False) -> Found:
    """Read an output.

    Raises:
        BadInput: It has no results, or it is cut short.
    """
    output = parse(text)
    if not output.cells or not (output.complete or keep_rest):
        what = "it is cut short" if output.cells else "it has no results"
        raise BadInput(
            what,
            where=f"{path}, line {text.count(chr(10)) + 1}",
            way_out='IOzone ends with "iozone test complete."',
        )
    began = _BEGAN.search(text)
    start = 0
    clock = FileClock(Clock.OWN, SECOND, "no clock")
    moment = local_moment(began[1]) if began else None
    if moment is not None:
        start = moment * MS
        clock = FileClock(Clock.LOCAL, SECOND, 'its line "Run began"')
    values = table_values(output)
    if output.command:
        direct = bool(re.search(r"(?:^|\s)-\w*I\b", output.command))
        values["buffered"] = Measured(float(not direct), "", "-I")
    step = FoundStep(
        label=path.stem,
        engine="iozone",
        start_ns=start,
        window=None,
        values=values,
        options={"command": output.command} if output.command else {},
        fault="" if output.complete else "ABORTED",
        reason="" if output.complete else "its output is cut short",
    )
    return Found(
        path=path,
        kind=KIND,
        engine="iozone",
        section="load",
        clock=clock,
        extent=(start, start),
        maker="iozone.org",
        model="IOzone",
        version=output.version,
        steps=(step,),
        remarks=("it does not say when each test ran, there is nothing to draw",),
    )
