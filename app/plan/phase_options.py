"""Options of the engines without a load: texts from the plan as values."""

from collections.abc import Mapping

from app.plan.durations import parse_duration
from instruments.errors import OptionError


def only(options: Mapping[str, str], *known: str) -> None:
    """Complain of an option that is none of these; raises OptionError."""
    for option in options:
        if option not in known:
            expected = f"Expected one of {', '.join(known)}."
            raise OptionError(option, f"{option} is not known", expected)


def seconds(options: Mapping[str, str], name: str, default: float = 0.0) -> float:
    """Read a duration in seconds; raises OptionError."""
    if name not in options:
        return default
    try:
        return parse_duration(options[name])
    except ValueError:
        raise OptionError(
            name,
            f'{name} is "{options[name]}"',
            'Expected a duration such as "30s" or "5m".',
        ) from None


def number(
    options: Mapping[str, str], name: str, *, low: float, high: float
) -> float | None:
    """Read a number, None where it is not given; raises OptionError."""
    if name not in options:
        return None
    text = options[name]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        expected = f"Expected a number from {low:g} to {high:g}."
        raise OptionError(name, f'{name} is "{text}"', expected)
    return value


def whole(
    options: Mapping[str, str], name: str, default: int, *, low: int, high: int
) -> int:
    """Read a whole number; raises OptionError."""
    value = number(options, name, low=low, high=high)
    if value is None:
        return default
    if value != int(value):
        raise OptionError(name, f"{name} is {value:g}", "Expected a whole number.")
    return int(value)
