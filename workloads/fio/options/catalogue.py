"""The catalogue of fio's job options: what each one takes, as fio itself says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from workloads.fio_access import Kind, Ruling, ruling


class ValueKind(StrEnum):
    """What the value of an option is.

    FLAG is 0 or 1, SWITCH is the same or nothing at all; INTEGER may have up to three
    parts (read, write, trim) and a suffix such as "k"; RANGE is "4k-64k".
    """

    TEXT = "text"
    CHOICE = "choice"
    INTEGER = "integer"
    FLAG = "flag"
    SWITCH = "switch"
    NUMBERS = "numbers"
    RANGE = "range"
    SIZE = "size"
    DURATION = "duration"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the words that an option takes."""

    value: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class FioOption:
    """One option of fio's jobs.

    Attributes:
        name: As fio spells it.
        kind: What its value is.
        low: Smallest number, None where there is no limit.
        high: Largest number, None where there is no limit.
        choices: The words it takes, for CHOICE.
        default: As fio prints it, "" where there is none.
        help: fio's own line.
        alias: Its other name, "" where there is none.
        parent: The option it belongs to, "" for none.
        engines: The I/O engines that have it; none for an option of all jobs.
    """

    name: str
    kind: ValueKind = ValueKind.TEXT
    low: float | None = None
    high: float | None = None
    choices: tuple[Choice, ...] = ()
    default: str = ""
    help: str = ""
    alias: str = ""
    parent: str = ""
    engines: tuple[str, ...] = ()

    @property
    def ruling(self) -> Ruling:
        """What a plan may do with it."""
        return ruling(self.name)

    @property
    def is_open(self) -> bool:
        """Whether a plan may set it, armed or not."""
        return self.ruling.kind in (Kind.OPEN, Kind.ARMED)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All job options of one fio.

    Attributes:
        version: As fio prints it, such as "fio-3.33".
        options: In fio's own order, by name.
    """

    version: str
    options: Mapping[str, FioOption]
    _names: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names: dict[str, str] = {}
        for option in self.options.values():
            if option.alias:
                names[_plain(option.alias)] = option.name
        names.update({_plain(name): name for name in self.options})
        object.__setattr__(self, "_names", MappingProxyType(names))

    def find(self, name: str) -> FioOption | None:
        """Get an option by its name or its alias, None where fio has none such."""
        return self.options.get(self._names.get(_plain(name), ""))

    def beginning(self, text: str) -> tuple[str, ...]:
        """Get the names and aliases that begin with a text, as getopt looks for them.

        Engines' options are among them: fio's command line knows those, too.
        """
        start = _plain(text)
        return tuple(name for name in self._names if name.startswith(start))

    def for_plan(self, engine: str = "") -> tuple[FioOption, ...]:
        """Get the options that a step may set, those of one engine or of all."""
        return tuple(
            option
            for option in self.options.values()
            if option.is_open
            and (not option.engines or not engine or engine in option.engines)
        )


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


COMMON: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Access": ("rw", "rwmixread", "bs", "bssplit", "bsrange"),
        "Depth": ("iodepth", "numjobs", "ioengine", "direct", "io_submit_mode"),
        "Pattern": (
            "norandommap",
            "randrepeat",
            "randseed",
            "random_distribution",
            "percentage_random",
            "blockalign",
        ),
        "Rate": ("rate", "rate_iops", "rate_process", "thinktime", "latency_target"),
        "Data": (
            "refill_buffers",
            "buffer_compress_percentage",
            "dedupe_percentage",
            "zero_buffers",
        ),
        "Flushing": ("fsync", "fdatasync", "sync", "end_fsync"),
    }
)
"""Options that a form shows first, in groups; every other one is a key and a value."""
