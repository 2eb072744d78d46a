"""Whether an option may have a value: fio's own types, and what is open to plans."""

import re

from instruments.errors import OptionError
from workloads.fio.job_check import check_options
from workloads.fio.options.catalogue import Catalogue, FioOption, ValueKind

_NUMBER = r"(?:0x[0-9a-f]+|\d+(?:\.\d+)?)"
_SUFFIX = r"(?:[kmgtp]i?b?|b|z|%)?"
_SIZE = re.compile(rf"{_NUMBER}\s*{_SUFFIX}", re.IGNORECASE)
# fio counts numbers that are times among the integers, so "2ms" may stand there too.
_SIGNED = re.compile(
    rf"-?{_NUMBER}\s*(?:[kmgtp]i?b?|b|%|d|h|s|ms|msec|us|usec|ns|nsec)?", re.IGNORECASE
)
_TIME = re.compile(rf"{_NUMBER}\s*(?:d|h|m|s|ms|msec|us|usec|ns|nsec)?", re.IGNORECASE)
_MOST_PARTS = 3
_MOST_NUMBERS = 20


def check(catalogue: Catalogue, name: str, value: str) -> str | None:
    """Tell what is wrong with an option and its value, None where nothing is.

    Args:
        catalogue: The options of the fio that will run.
        name: The option as the plan spells it.
        value: Its value as text; "" for a switch that stands alone.
    """
    option = catalogue.find(name)
    if trouble := _plan_trouble(name, value or _alone(option)):
        return trouble
    if option is None:
        return f"{catalogue.version} has no option {name}"
    return _type_trouble(option, value.strip())


def _alone(option: FioOption | None) -> str:
    return "1" if option is not None and option.kind is ValueKind.SWITCH else ""


def _plan_trouble(name: str, value: str) -> str | None:
    """Ask what checks a step, so that both always say the same."""
    direction = {} if name in ("rw", "readwrite") else {"rw": "randrw"}
    try:
        check_options({**direction, name: value})
    except OptionError as error:
        return f"{error.what}. {error.way_out}"
    return None


def _type_trouble(option: FioOption, value: str) -> str | None:
    if not value and option.kind is not ValueKind.SWITCH:
        return f"{option.name} needs a value"
    if option.kind is ValueKind.INTEGER:
        return _integers(option, value)
    if option.kind is ValueKind.NUMBERS:
        return _numbers(option, value)
    expected = _expected(option, value)
    return f'{option.name} is "{value}". Expected {expected}' if expected else None


def _expected(option: FioOption, value: str) -> str:
    """Get what was expected instead of a value, "" where it will do."""
    if option.kind is ValueKind.CHOICE:
        words = [choice.value for choice in option.choices]
        fits = value.partition(":")[0].strip() in words
        return "" if fits else f"one of {', '.join(words)}"
    if option.kind in (ValueKind.FLAG, ValueKind.SWITCH):
        return "" if value in ("", "0", "1") else "0 or 1"
    if option.kind is ValueKind.RANGE:
        ends = [part.split("-") for part in value.split(",")]
        fits = all(
            len(pair) == 2 and all(_SIZE.fullmatch(end.strip()) for end in pair)
            for pair in ends
        )
        return "" if fits else "a range such as 4k-64k"
    if option.kind is ValueKind.SIZE:
        return "" if _SIZE.fullmatch(value) else "a size such as 4k"
    if option.kind is ValueKind.DURATION:
        return "" if _TIME.fullmatch(value) else "a time such as 10s"
    return ""


def _integers(option: FioOption, value: str) -> str | None:
    parts = value.split(",")
    if len(parts) > _MOST_PARTS:
        return f"{option.name} has more than {_MOST_PARTS} parts"
    for part in parts:
        text = part.strip()
        if not text and len(parts) > 1:
            continue  # "4k," sets reads only
        if not _SIGNED.fullmatch(text):
            return f'{option.name} is "{value}". Expected a whole number'
        if re.fullmatch(r"-?\d+", text) and (
            trouble := _out_of_range(option, int(text))
        ):
            return trouble
    return None


def _numbers(option: FioOption, value: str) -> str | None:
    parts = value.split(":")
    if len(parts) > _MOST_NUMBERS:
        return f"{option.name} has more than {_MOST_NUMBERS} numbers"
    for part in parts:
        try:
            number = float(part)
        except ValueError:
            return f'{option.name} is "{value}". Expected numbers such as 50:99.9'
        if trouble := _out_of_range(option, number):
            return trouble
    return None


def _out_of_range(option: FioOption, number: float) -> str | None:
    below = option.low is not None and not number >= option.low
    above = option.high is not None and not number <= option.high
    if not below and not above:
        return None
    low = "" if option.low is None else f"from {option.low:g} "
    high = "" if option.high is None else f"to {option.high:g}"
    return f"{option.name} is {number:g}. Expected {low}{high}".rstrip()
