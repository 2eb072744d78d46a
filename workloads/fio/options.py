"""fio's job options: what each one takes, as fio documents it, and a plan may set.

The table is that of fio 3.33 (resources/fio/options.json, written by
packaging/fio_options.py from `fio --cmdhelp` and `--enghelp`).
"""

import functools
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from instruments.errors import OptionError
from instruments.settings import Kind, Option
from workloads.fio.job_check import check_options
from workloads.fio_access import Kind as Access
from workloads.fio_access import Ruling, ruling

VERSION = "fio 3.33"
"""Whose options they are."""

COMMON: Mapping[str, tuple[str, ...]] = {
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
"""Options that a form shows first, in groups; every other one is a key and a value."""

_KINDS = {
    "choice": Kind.CHOICE,
    "flag": Kind.FLAG,
    "switch": Kind.FLAG,
    "integer": Kind.INTEGER,
    "size": Kind.SIZE,
}
# As fio's own parser takes them (parse.c): hexadecimal, decimals, units.
_NUMBER = r"(?:0x[0-9a-f]+|\d+(?:\.\d+)?)"
_SIZE = rf"{_NUMBER}\s*(?:[kmgtp]i?b?|b|z|%)?"
_TIME = r"\s*(?:d|h|m|s|ms|msec|us|usec|ns|nsec)?"
_FORMS = {
    "flag": ("[01]", "0 or 1"),
    "switch": ("[01]?", "0 or 1"),
    "range": (rf"\s*{_SIZE}\s*-\s*{_SIZE}\s*", "a range such as 4k-64k"),
    "size": (_SIZE, "a size such as 4k"),
    "duration": (rf"{_NUMBER}{_TIME}", "a time such as 10s"),
}
"""How a value of a type is written, and what is said of one that is not."""

# fio counts numbers that are times among the integers, so "2ms" may stand there too.
_SIGNED = re.compile(rf"-?{_NUMBER}(?:\s*(?:[kmgtp]i?b?|b|%)|{_TIME})", re.IGNORECASE)
# Read, write and trim.
_MOST_PARTS = 3
# fio's FIO_IO_U_LIST_MAX_LEN: it takes 20 percentiles at most.
_MOST_NUMBERS = 20


@dataclass(frozen=True, slots=True)
class FioOption(Option):
    """One option of fio's jobs.

    Attributes:
        type: What fio takes: text, choice, flag (0 or 1), switch (the same, or nothing
            at all), integer (up to three parts for read, write and trim, and a suffix
            such as "k"), numbers, range (4k-64k), size, or duration.
        alias: Its other name, "" where there is none.
        engines: The I/O engines that have it; none for an option of all jobs.
    """

    type: str = "text"
    alias: str = ""
    engines: tuple[str, ...] = ()

    @property
    def ruling(self) -> Ruling:
        """What a plan may do with it."""
        return ruling(self.key)

    @property
    def is_open(self) -> bool:
        """Whether a plan may set it, armed or not."""
        return self.ruling.kind in (Access.OPEN, Access.ARMED)


@functools.cache
def fio_options() -> Mapping[str, FioOption]:
    """Get all options by their names, in fio's own order."""
    path = files("resources") / "fio" / "options.json"
    options = map(_option, json.loads(path.read_text("utf-8")))
    return {option.key: option for option in options}


def _option(entry: Mapping[str, object]) -> FioOption:
    rest = dict(entry)
    kind = _KINDS.get(str(rest["type"]), Kind.TEXT)
    choices: Mapping[str, str] = rest.pop("choices", {})  # type: ignore[assignment]
    if kind is Kind.FLAG:
        rest["default"] = rest.get("default") == "1"
    return FioOption(
        key=str(rest.pop("name")),
        kind=kind,
        choices=tuple(choices),
        words=tuple(choices.values()),
        engines=tuple(rest.pop("engines", ())),  # type: ignore[arg-type]
        **rest,  # type: ignore[arg-type]
    )


@functools.cache
def _names() -> Mapping[str, FioOption]:
    options = fio_options().values()
    aliases = {_plain(option.alias): option for option in options if option.alias}
    return aliases | {_plain(option.key): option for option in options}


def find_option(name: str) -> FioOption | None:
    """Get an option by its name or its alias, None where fio has no such option."""
    return _names().get(_plain(name))


def names_beginning(text: str) -> tuple[str, ...]:
    """Get the names and aliases that begin with a text, as getopt looks for them.

    Engines' options are among them: fio's command line knows those, too.
    """
    return tuple(name for name in _names() if name.startswith(_plain(text)))


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def check(name: str, value: str) -> str:
    """Tell what is wrong with an option and its value, "" where nothing is.

    fio's own parser takes some wrong values, such as direct=2 or rwmixread=5x. What a
    newer fio has beyond the table is left to that parser.

    Args:
        name: The option as the plan spells it.
        value: Its value as text; "" for a switch without one.
    """
    option = find_option(name)
    is_switch = option is not None and option.type == "switch"
    # A job without a direction is refused for that, whatever the option.
    direction = {} if name in ("rw", "readwrite") else {"rw": "randrw"}
    try:
        check_options({**direction, name: value or ("1" if is_switch else "")})
    except OptionError as error:
        return f"{error.what}. {error.way_out}"
    return _type_trouble(option, value.strip()) if option is not None else ""


def _type_trouble(option: FioOption, value: str) -> str:
    if not value and option.type != "switch":
        return f"{option.key} needs a value"
    if option.type == "integer":
        return _integers(option, value)
    if option.type == "numbers":
        return _numbers(option, value)
    form, expected = _FORMS.get(option.type, (".*", ""))
    parts = value.split(",") if option.type == "range" else [value]
    fits = all(re.fullmatch(form, part, re.IGNORECASE) for part in parts)
    if option.choices:
        fits = value.partition(":")[0].strip() in option.choices
        expected = f"one of {', '.join(map(str, option.choices))}"
    return "" if fits else f'{option.key} is "{value}". Expected {expected}'


def _integers(option: FioOption, value: str) -> str:
    parts = [part.strip() for part in value.split(",")]
    if len(parts) > _MOST_PARTS:
        return f"{option.key} has more than {_MOST_PARTS} parts"
    given = [part for part in parts if part or len(parts) == 1]  # "4k," sets reads only
    if not all(map(_SIGNED.fullmatch, given)):
        return f'{option.key} is "{value}". Expected a whole number'
    # The range of one with a suffix is left to fio, which knows its unit.
    plain = [int(part) for part in given if part.lstrip("-").isdecimal()]
    return _out_of_range(option, plain)


def _numbers(option: FioOption, value: str) -> str:
    parts = value.split(":")
    if len(parts) > _MOST_NUMBERS:
        return f"{option.key} has more than {_MOST_NUMBERS} numbers"
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return f'{option.key} is "{value}". Expected numbers such as 50:99.9'
    return _out_of_range(option, numbers)


def _out_of_range(option: FioOption, numbers: Iterable[float]) -> str:
    number = next((n for n in numbers if not option.low <= n <= option.high), None)
    if number is None:
        return ""
    low = "" if math.isinf(option.low) else f"from {option.low:g} "
    high = "" if math.isinf(option.high) else f"to {option.high:g}"
    return f"{option.key} is {number:g}. Expected {low}{high}".rstrip()
