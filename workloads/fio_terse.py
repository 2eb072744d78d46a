"""fio's terse output (--minimal) of versions 2 to 5, in the form of its documents.

Source: fio's HOWTO, "Terse output", and lines of fio 2.0.15, 2.1.10 and 3.33.
"""

from collections.abc import Sequence

from instruments.errors import BadInput
from workloads.fio_output import Counters
from workloads.fio_side import Side, checked_runtime
from workloads.fio_versions import Document, Job

_KIB = 1024
_US = 1000
_PERCENTILE = "99.000000%="
_FIRST = {"2": 1, "3": 2, "4": 2, "5": 2}
"""Number of the field with the job's name, by the version of the format."""

_DIRECTIONS = ("read", "write", "trim")
_SAME = 0.02


def is_terse(line: str) -> bool:
    """Whether a line is one of the terse output."""
    fields = line.split(";")
    first = _FIRST.get(fields[0])
    if first is None or len(fields) < 40:
        return False
    return fields[first + 1].isdigit() and fields[first + 2].isdigit()


def read_terse(text: str, name: str) -> Document:
    """Read all terse lines of a file; other lines are left out.

    The counts of I/Os are IOPS times runtime, since it tells none.

    Raises:
        BadInput: There is none, or one is damaged; names the line.
    """
    jobs, version = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        if not is_terse(line.strip()):
            if line[:2] in ("2;", "3;", "4;", "5;"):
                raise _bad(name, number, "the line is cut short")
            continue
        fields = line.strip().split(";")
        try:
            jobs.append(_job(fields))
        except (ArithmeticError, LookupError, ValueError) as error:
            raise _bad(name, number, f"the line is damaged ({error})") from error
        if fields[0] != "2":
            version = fields[1]
    if not jobs:
        raise _bad(name, 1, "there is no terse line of fio in it")
    return Document(version, None, 1, tuple(jobs))


def _job(fields: Sequence[str]) -> Job:
    at = _FIRST[fields[0]]
    job_name, group, error = fields[at], int(fields[at + 1]), int(fields[at + 2])
    at += 3
    sides = {}
    for direction in _DIRECTIONS:
        if fields[at + 4].endswith("%"):  # The processor's share: there is no trim.
            break
        if direction == "trim" and fields[at].endswith("%"):
            break
        side, at = _side(fields, at)
        if side.counters.runtime_ms:
            sides[direction] = side
    if not fields[at].endswith("%"):
        raise ValueError("its fields are not where they should be")
    return Job(job_name, group, error, {}, "", None, None, sides)


def _side(fields: Sequence[str], at: int) -> tuple[Side, int]:
    """Read one direction; return it and where the next one begins."""
    size, bandwidth, iops, runtime = (float(field) for field in fields[at : at + 4])
    if runtime and abs(size - bandwidth * runtime / 1000) > _SAME * size + bandwidth:
        raise ValueError("its bandwidth does not fit its size and runtime")
    at += 12  # Submission and completion latency have four fields each.
    p99 = 0.0
    while "%=" in fields[at]:
        if fields[at].startswith(_PERCENTILE):
            p99 = float(fields[at].removeprefix(_PERCENTILE))
        at += 1
    mean_us = float(fields[at + 2])
    at += 4 + 5  # Total latency, and the bandwidth's minimum to deviation.
    if fields[0] == "5":
        at += 1 + 5  # Counts of samples, and the same of IOPS.
    ios = round(iops * runtime / 1000)
    count = ios if mean_us > 0 else 0
    counters = Counters(
        ios=ios,
        bytes_=round(size * _KIB),
        runtime_ms=checked_runtime(round(runtime)),
        latency_sum_ns=mean_us * _US * count,
        latency_n=count,
        bins={},
    )
    return Side(counters, p99 * _US if p99 and count else None), at


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected lines as fio --minimal writes them, versions 2 to 5.",
    )
