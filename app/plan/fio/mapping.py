"""What a step makes of the options of one fio job."""

import re
from collections.abc import Mapping

from instruments.errors import OptionError
from instruments.settings import closest
from workloads.fio.job_check import check_options
from workloads.fio.paste.finding import Notes, Weight
from workloads.fio.paste.parsed import SWITCHES, Pair, ParsedJob
from workloads.fio_access import (
    ENGINES,
    OPTIONS,
    UNKNOWN,
    Kind,
    engine_trouble,
    ruling,
)

DEFAULT_RUNTIME_S = 60.0
"""Seconds of a step whose job says none."""


class NoStepError(ValueError):
    """A job of which no step can be made: (line, what stands there, why)."""

    def __init__(self, line: int, quote: str, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.quote = quote
        self.why = why


class Mapped(Notes):
    """What a step takes of a job, and what was done with the rest.

    Attributes:
        options: For [step.fio].
        runtime_s: Its measured window in seconds.
        ramp_s: Seconds before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.options: dict[str, str] = {}
        self.runtime_s = DEFAULT_RUNTIME_S
        self.ramp_s = 0.0


_LONGEST_S = 366 * 86400.0
"""What a step's runtime has to stay below."""

_LONGEST = 80
"""Letters of a time; what is longer is none, and would take a regex minutes."""

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
    """Read a time as fio writes it, to the millisecond; None where it is not one.

    Without a unit it is seconds, and what stands behind a point is left out. A unit
    that fio does not know makes it microseconds: "5min" is 5 us (tried with fio 3.33).
    """
    match = _TIME.match(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        return None
    unit = _UNITS.get((match[3] or "").lower(), 1e-6)
    return round(int(match[1]) * (1.0 if match[2] else unit), 3)


def meant_seconds(text: str) -> float | None:
    """Read a time as people write it, such as "5min" or "1h30m"; None where not."""
    parts = _WORDS.findall(text.lower()) if len(text) <= _LONGEST else []
    if not parts or _WORDS.sub("", text.lower()).strip():
        return None
    return round(sum(float(n) * _UNITS[unit[:1]] for n, unit in parts), 3)


def map_times(job: ParsedJob, found: Mapping[str, Pair], mapped: Mapped) -> None:
    """Take runtime and ramp of a job, and say where fio means something else."""
    runtime, based = found.get("runtime"), found.get("time_based")
    is_based = based is not None and based.value != "0"
    length_s = _runtime_s(runtime, mapped) if runtime is not None else None
    default = f"The step runs {DEFAULT_RUNTIME_S:.0f} s: a runtime has to be set."
    if runtime is None or not length_s:
        one = runtime or based
        mapped.trap(
            runtime.line if runtime else job.line,
            one.quote if one else job.name,
            "fio says that time_based needs a runtime, and runs until all of size is "
            "done."
            if is_based
            else "fio runs until all of size is done, however long that takes.",
            default,
        )
    elif length_s >= _LONGEST_S:
        why = "fio runs for more than a year."
        mapped.trap(runtime.line, runtime.quote, why, default)
    else:
        mapped.runtime_s = length_s
        if not is_based:
            mapped.tell(
                runtime.line,
                runtime.quote,
                "Without time_based fio ends early once all of size is done.",
                "A step always runs for its whole runtime.",
            )
    if ramp := found.get("ramp_time"):
        _map_ramp(ramp, mapped)


def _runtime_s(runtime: Pair, mapped: Mapped) -> float | None:
    """Read a runtime as it is meant, where fio takes it otherwise."""
    taken_s, meant_s = seconds(runtime.value), meant_seconds(runtime.value)
    if not meant_s or meant_s == taken_s:
        return taken_s
    taken = "nothing at all" if taken_s is None else f"{taken_s:g} s"
    mapped.trap(
        runtime.line,
        runtime.quote,
        f"fio knows d, h, m, s, ms and us after a whole number, and uses {taken}.",
        f"Taken as {meant_s:g} s.",
    )
    return meant_s


def _map_ramp(ramp: Pair, mapped: Mapped) -> None:
    ramp_s = seconds(ramp.value)
    if not ramp_s:
        return
    if ramp_s < mapped.runtime_s:
        mapped.ramp_s = ramp_s
        return
    mapped.drop(
        ramp.line,
        ramp.quote,
        "The ramp is not shorter than the runtime: fio 3.33 measures nothing.",
        "Excluded.",
    )


TARGETS = frozenset(("filename", "directory", "size", "filesize", "opendir"))
"""Options that say on what a job runs; the bench says that."""

_SEQUENCE = frozenset(("stonewall", "wait_for", "new_group"))
_BY_ITSELF = frozenset(("thread", "group_reporting"))
_FOR_PEOPLE = frozenset(("name", "description"))


def map_job(job: ParsedJob) -> Mapped:
    """Make the options, runtime and ramp of a step of a job.

    Raises:
        NoStepError: Its engine or its direction is none that a step can have.
    """
    found = job.options()
    mapped = Mapped()
    _defaults(job, found, mapped)
    map_times(job, found, mapped)
    for name, pair in found.items():
        if name not in ("runtime", "time_based", "ramp_time", "ioengine", "buffered"):
            _option(name, pair, mapped)
    own = [found[name] for name in sorted(_BY_ITSELF & found.keys())]
    if own:
        mapped.tell(
            own[0].line,
            ", ".join(pair.name for pair in own),
            f"{'They say' if len(own) > 1 else 'It says'} how fio runs and reports its "
            "jobs.",
            "Excluded: Bayscope sets that itself.",
        )
    return mapped


def _defaults(job: ParsedJob, found: Mapping[str, Pair], mapped: Mapped) -> None:
    """Say what fio takes where the job says nothing, for a step has other defaults."""
    _engine(job, found, mapped)
    if "rw" not in found:
        mapped.options["rw"] = "read"
        mapped.tell(
            job.line, job.name, "fio reads where no rw is given.", "rw=read is set."
        )
    buffered = found.get("buffered")
    if "direct" not in found:
        direct = "1" if buffered is not None and buffered.value == "0" else "0"
        mapped.options["direct"] = direct
        if direct == "0":
            mapped.trap(
                buffered.line if buffered else job.line,
                buffered.quote if buffered else job.name,
                "Without direct=1 fio goes through the page cache, and may measure "
                "that instead of the disk.",
                "direct=0 is set, as fio takes it. Set direct=1 to measure the disk.",
            )


def _engine(job: ParsedJob, found: Mapping[str, Pair], mapped: Mapped) -> None:
    pair = found.get("ioengine")
    if pair is None:
        windows = "\\\\.\\" in job.last("filename")
        mapped.options["ioengine"] = "libaio" if windows else "psync"
        mapped.tell(
            job.line,
            job.name,
            "No ioengine is given: fio takes "
            + ("windowsaio on Windows." if windows else "psync, one I/O at a time."),
            f"ioengine={mapped.options['ioengine']} is set.",
        )
    elif pair.value == "windowsaio":
        mapped.options["ioengine"] = "libaio"
        mapped.tell(
            pair.line,
            pair.quote,
            "The engine exists on Windows only; fio on Linux cannot load it.",
            "Taken as libaio; on a Windows load host Bayscope takes windowsaio again.",
        )
    elif trouble := engine_trouble(pair.value):
        raise NoStepError(
            pair.line,
            pair.quote,
            f"the engine is not open to steps, {trouble}. Open are "
            f"{', '.join(ENGINES)}",
        )
    else:
        mapped.options["ioengine"] = pair.value


def _option(name: str, pair: Pair, mapped: Mapped) -> None:
    found = ruling(name)
    if name in _SEQUENCE | TARGETS | _FOR_PEOPLE | _BY_ITSELF:
        return
    if found.kind is Kind.OURS:
        mapped.tell(
            pair.line,
            pair.quote,
            "It is not an option of a step.",
            f"Excluded: {found.reason}.",
            weight=Weight.EXCLUDED,
            decide=found.has_place,
        )
    elif found.kind is Kind.CLOSED:
        reason = found.reason
        if found is UNKNOWN and (close := closest(name, OPTIONS)):
            reason = f"{reason}. Perhaps {close} is meant"
        mapped.drop(
            pair.line, pair.quote, "Not supported in a step.", f"Excluded: {reason}."
        )
    else:
        _take(name, pair, mapped, armed=found.kind is Kind.ARMED)


def _take(name: str, pair: Pair, mapped: Mapped, *, armed: bool) -> None:
    value = pair.value or ("1" if name in SWITCHES else "")
    if not value and name == "rw":
        raise NoStepError(pair.line, f"{pair.name}=", "fio refuses rw without a value")
    if not value:
        mapped.drop(
            pair.line,
            f"{pair.name}=",
            "fio refuses an option without a value.",
            "Excluded.",
        )
        return
    direction = {} if name == "rw" else {"rw": "randrw"}
    try:
        check_options({**direction, name: value})
    except OptionError as error:
        if name == "rw":
            raise NoStepError(
                pair.line, pair.quote, f"{error.what}. {error.way_out}"
            ) from error
        mapped.drop(
            pair.line,
            pair.quote,
            "fio refuses it, or does something else than it says.",
            f"Excluded: {error.what}. {error.way_out}",
        )
        return
    mapped.options[name] = value
    if armed:
        mapped.tell(
            pair.line,
            pair.quote,
            "It may erase data even where nothing is written.",
            "Taken: the step needs an armed target.",
            weight=Weight.TRAP,
        )
