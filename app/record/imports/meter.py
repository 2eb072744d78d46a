"""Logs that an HMC8015 wrote by itself, as a trace of a power meter."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.record.imports.found import (
    MS,
    Clock,
    FileClock,
    Found,
    FoundTrace,
    midnight_ns,
)
from instruments.power.hmc8015.csv import parse_log
from instruments.reading import SECOND, Status
from instruments.sizes import counted

KIND = "HMC8015 log"
SOURCE = "mains"
_WINDOW_NS = 100 * MS
"""The meter forms RMS values over 100 ms."""

_TOLD = 5
"""This many damaged lines are told one by one."""

_SPREAD_NS = SECOND
"""How far the meter's clock is off when it was set with care [judged]."""


def read_meter(path: Path, text: str, *, keep_rest: bool = False) -> Found:
    """Read a log of an HMC8015.

    Raises:
        BadInput: It is none, or a row is damaged; names the line.
    """
    log = parse_log(text, str(path), keep_rest=keep_rest)
    times = np.round(np.array(log.seconds) * 1000).astype(np.int64) * MS
    clock = FileClock(Clock.DAY, _SPREAD_NS, "the meter's clock, as it was set")
    if log.day is not None:
        times = times + midnight_ns(log.day)
        clock = FileClock(Clock.LOCAL, _SPREAD_NS, clock.method)
    steps = np.diff(times)
    steps = steps[steps > 0]
    period = int(np.median(steps)) if steps.size else SECOND
    quantities = tuple((column.quantity, column.unit, "") for column in log.columns)
    values = np.array([column.values for column in log.columns], np.float64).T
    over = [[s is Status.OVERRANGE for s in c.statuses] for c in log.columns]
    facts = {key.lower(): value for key, value in log.facts.items()}
    return Found(
        path=path,
        kind=KIND,
        engine=SOURCE,
        section="power",
        clock=clock,
        extent=(int(times[0]), int(times[-1])),
        maker="Rohde&Schwarz",
        model=facts.get("device", "HMC8015"),
        serial=facts.get("serial no.", ""),
        version=facts.get("version", ""),
        traces=(
            FoundTrace(
                quantities,
                period,
                _WINDOW_NS,
                times,
                times,
                values,
                np.array(over, np.bool_).T,
            ),
        ),
        remarks=_remarks(log.left_out),
    )


def _remarks(left_out: Sequence[str]) -> tuple[str, ...]:
    more = len(left_out) - _TOLD
    told = (f"and {counted(more, 'more line')} excluded",) if more > 0 else ()
    return (*left_out[:_TOLD], *told)
