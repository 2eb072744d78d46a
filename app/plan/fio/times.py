"""Runtime and ramp of a step from the times of one fio job."""

import re
from collections.abc import Mapping

from app.plan.fio.mapped import DEFAULT_RUNTIME_S, Mapped
from workloads.fio.paste.finding import Weight
from workloads.fio.paste.parsed import Pair, ParsedJob

_LONGEST_S = 366 * 86400.0
"""What a step's runtime has to stay below."""

_TIME = re.compile(r"(\d{1,18})([.:\s].*)?([a-z]\w*)?$", re.IGNORECASE)
_WORDS = re.compile(
    r"(\d+(?:\.\d+)?)\s*(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)"
)
_UNITS: Mapping[str, float] = {
    "": 1.0,
    "d": 86400.0,
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "us": 1e-6,
    "usec": 1e-6,
}


def seconds(text: str) -> float | None:
    """Read a time as fio writes it, to the millisecond; None where it is none.

    Without a unit it is seconds, and what stands behind a point is left out. A unit
    that fio does not know makes it microseconds: "5min" is 5 us (tried with fio 3.33).
    """
    match = _TIME.match(text.strip())
    if match is None:
        return None
    unit = _UNITS.get((match[3] or "").lower(), 1e-6)
    return round(int(match[1]) * (1.0 if match[2] else unit), 3)


def meant_seconds(text: str) -> float | None:
    """Read a time as people write it, such as "5min" or "1h30m"; None where not."""
    parts = _WORDS.findall(text.lower())
    if not parts or _WORDS.sub("", text.lower()).strip():
        return None
    return round(sum(float(n) * _UNITS[unit[:1]] for n, unit in parts), 3)


def map_times(job: ParsedJob, found: Mapping[str, Pair], mapped: Mapped) -> None:
    """Take runtime and ramp of a job, and say where fio means something else."""
    runtime, based = found.get("runtime"), found.get("time_based")
    told = seconds(runtime.value) if runtime else None
    meant = meant_seconds(runtime.value) if runtime else None
    if runtime is not None and meant and meant != told:
        taken = "nothing at all" if told is None else f"{told:g} s"
        mapped.tell(
            runtime.line,
            runtime.quote,
            "fio knows d, h, m, s, ms and us behind a whole number, and takes "
            f"{taken}.",
            f"Taken as {meant:g} s.",
            weight=Weight.TRAP,
            decide=True,
        )
        told = meant
    if runtime is not None and told and told >= _LONGEST_S:
        mapped.tell(
            runtime.line,
            runtime.quote,
            "fio runs for more than a year.",
            f"The step runs {DEFAULT_RUNTIME_S:.0f} s: a runtime has to be set.",
            weight=Weight.TRAP,
            decide=True,
        )
    elif runtime is None or not told:
        line = runtime.line if runtime else job.line
        wants = based is not None and based.value != "0"
        mapped.tell(
            line,
            runtime.quote if runtime else (based.quote if based else job.name),
            "fio says that time_based needs a runtime, and runs until all of size is "
            "done."
            if wants
            else "fio runs until all of size is done, however long that takes.",
            f"The step runs {DEFAULT_RUNTIME_S:.0f} s: a runtime has to be set.",
            weight=Weight.TRAP,
            decide=True,
        )
    else:
        mapped.runtime_s = told
        if based is None or based.value == "0":
            mapped.tell(
                runtime.line,
                runtime.quote,
                "Without time_based fio ends early once all of size is done.",
                "A step always runs for its whole runtime.",
            )
    ramp = found.get("ramp_time")
    ramp_s = seconds(ramp.value) if ramp else None
    if ramp is None or not ramp_s:
        return
    if ramp_s >= mapped.runtime_s:
        mapped.tell(
            ramp.line,
            ramp.quote,
            "The ramp is not shorter than the runtime: fio 3.33 measures nothing.",
            "Left out.",
            weight=Weight.LEFT_OUT,
            decide=True,
        )
        return
    mapped.ramp_s = ramp_s
