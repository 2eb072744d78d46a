"""What can be computed of channels: the operations, and the units that they give.

Units are a table of ours: a session has some fifteen of them, and what two of them are
together is known for each (decision 0014).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from app.report.chart.scale import Scale, scale_of
from instruments.errors import BadInput
from instruments.reading import Channel


class Operation(StrEnum):
    """How values of channels become those of a curve."""

    SUM = "sum"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    MEAN = "mean"
    INTEGRAL = "integral"
    PER_TB = "per_tb"


@dataclass(frozen=True, slots=True)
class Maths:
    """What a curve is computed by.

    Attributes:
        operation: How.
        unit: Of what comes out, as it is stored; powers and rates in seconds.
        over: What is taken off, or divided by, all of them added up.
        seconds: How long a moving mean looks back.
        divisor: What a value is divided by, such as the terabytes of the device.
    """

    operation: Operation
    unit: str
    over: tuple[Channel, ...] = ()
    seconds: float = 0.0
    divisor: float = 1.0


_Made = tuple[str, Scale]
"""A unit as it would be stored, and how its values are shown."""

_POINTS = ("degC", "dB", "")
"""Places on a scale, and shares: they are not added up, nor divided."""

_INTENSE = frozenset((*_POINTS, "s", "Hz", "V", "1/min"))
"""What two devices together do not have twice of."""

_QUOTIENTS: Mapping[tuple[str, str], _Made] = MappingProxyType(
    {
        ("W", "B/s"): ("J/B", Scale(1e9, "J/GB", 2)),
        ("W", "1/s"): ("J", Scale(1e3, "mJ/IO", 3)),
        ("B/s", "W"): ("B/J", Scale(1e-6, "MB/s/W", 3)),
        ("1/s", "W"): ("1/J", Scale(1.0, "IOPS/W", 2)),
        ("B/s", "1/s"): ("B", Scale(1e-3, "kB/IO", 2)),
        ("W", "V"): ("A", scale_of("A")),
        ("VA", "V"): ("A", scale_of("A")),
        ("W", "A"): ("V", scale_of("V")),
        ("VA", "A"): ("V", scale_of("V")),
        ("W", "VA"): ("", scale_of("")),
        ("var", "VA"): ("", scale_of("")),
        ("var", "W"): ("", scale_of("")),
    }
)

_INTEGRALS: Mapping[str, _Made] = MappingProxyType(
    {
        "W": ("J", Scale(1 / 3600, "Wh", 3)),
        "VA": ("VA s", Scale(1 / 3600, "VAh", 3)),
        "var": ("var s", Scale(1 / 3600, "varh", 3)),
        "A": ("A s", Scale(1 / 3600, "Ah", 3)),
        "B/s": ("B", Scale(1e-9, "GB", 3)),
        "1/s": ("", Scale(1.0, "IO", 0)),
    }
)


def _sum(unit: str, _over: str) -> _Made | None:
    return None if unit in _INTENSE else (unit, scale_of(unit))


def _difference(unit: str, over: str) -> _Made | None:
    if unit != over:
        return None
    return ("K", scale_of("K")) if unit == "degC" else (unit, scale_of(unit))


def _ratio(unit: str, over: str) -> _Made | None:
    if unit in _POINTS or over in _POINTS:
        return None
    if unit == over:
        return "", scale_of("")
    top, bottom = scale_of(unit), scale_of(over)
    shown = Scale(top.factor / bottom.factor, f"{top.unit}/{bottom.unit}", 3)
    return _QUOTIENTS.get((unit, over), (f"{unit}/{over}", shown))


def _per_tb(unit: str, _over: str) -> _Made | None:
    if unit in _INTENSE:
        return None
    one = scale_of(unit)
    return f"{unit}/TB", Scale(one.factor, f"{one.unit}/TB", one.decimals + 1)


@dataclass(frozen=True, slots=True)
class Rule:
    """What an operation takes, and what it makes of it.

    Attributes:
        title: What it is called.
        about: What it is, a sentence.
        makes: Gets the unit of units: of the channels, and of those below or taken off;
            None where it means nothing.
        refused: What is said then.
        label: Of the curve; "{}" is the name of what it is of, "{over}" of the others.
        over: What the second group of channels is called; "" takes none.
        takes_seconds: Whether it looks back for some time.
    """

    title: str
    about: str
    makes: Callable[[str, str], _Made | None]
    refused: str
    label: str
    over: str = ""
    takes_seconds: bool = False


RULES: Mapping[Operation, Rule] = MappingProxyType(
    {
        Operation.SUM: Rule(
            "Sum",
            "All channels added up, known where every one of them is.",
            _sum,
            "Powers, currents, rates and energies can be added up.",
            "Sum of {}",
        ),
        Operation.DIFFERENCE: Rule(
            "Difference",
            "The channels added up, less the others.",
            _difference,
            "What is taken off has to have the same unit.",
            "{} - {over}",
            over="Less",
        ),
        Operation.RATIO: Rule(
            "Ratio",
            "One over the other: power over throughput is J/GB, IOPS over power is "
            "IOPS/W.",
            _ratio,
            "Temperatures, sound levels and shares have no ratio.",
            "{} / {over}",
            over="Over",
        ),
        Operation.MEAN: Rule(
            "Moving mean",
            "The mean of the time before each value, known where all of it was "
            "measured; of sound levels by their energy.",
            lambda unit, _: (unit, scale_of(unit)),
            "",
            "{}, mean of {seconds:g} s",
            takes_seconds=True,
        ),
        Operation.INTEGRAL: Rule(
            "Integral over time",
            "What has added up since the start of the session; what lies in a gap is "
            "not in it.",
            lambda unit, _: _INTEGRALS.get(unit),
            "Powers, currents and rates add up over time.",
            "{}, added up",
        ),
        Operation.PER_TB: Rule(
            "Per terabyte of the device",
            "Divided by the capacity that the bench says the device has.",
            _per_tb,
            "Powers, currents, rates and energies can be divided by a capacity.",
            "{} per TB",
        ),
    }
)


def maths_of(
    operation: Operation,
    parts: Sequence[Channel],
    over: Sequence[Channel] = (),
    *,
    seconds: float = 0.0,
    divisor: float = 1.0,
    name_of: Callable[[Channel], str] = lambda channel: channel.name,
) -> tuple[Maths, Scale]:
    """Check that units go together, and get what they make.

    Args:
        operation: What is to be computed.
        parts: Channels that are added up first; at least one.
        over: Those that are taken off or divided by.
        seconds: How long a moving mean looks back.
        divisor: Terabytes of the device.
        name_of: Gets what a channel is called where it does not go with others.

    Raises:
        BadInput: The units mean nothing together, or something lacks.
    """
    rule = RULES[operation]
    _check_group(parts, "Channels", rule, name_of)
    _check_group(over, rule.over, rule, name_of)
    if rule.takes_seconds and not 0 < seconds <= 1e6:
        raise BadInput(
            "it has no length",
            where=rule.title,
            way_out="Enter how many seconds it looks back, above 0.",
        )
    below = over[0].unit if over else ""
    made = rule.makes(parts[0].unit, below)
    if made is None:
        units = " and ".join([_named(one) for one in (*parts[:1], *over[:1])])
        raise BadInput(
            f"it means nothing of {units}", where=rule.title, way_out=rule.refused
        )
    unit, scale = made
    return Maths(operation, unit, tuple(over), seconds, divisor), scale


def _check_group(
    group: Sequence[Channel], name: str, rule: Rule, name_of: Callable[[Channel], str]
) -> None:
    """Check that channels can be added up, and that there are some where named so."""
    if name and not group:
        raise BadInput(
            f'"{name}" has no channel',
            where=rule.title,
            way_out="Choose at least one.",
        )
    others = [one for one in group if one.unit != group[0].unit]
    if others:
        raise BadInput(
            f'"{name_of(group[0])}" is in {_named(group[0])}, '
            f'"{name_of(others[0])}" in {_named(others[0])}',
            where=rule.title,
            way_out="Only channels of one unit are added up.",
        )
    if len(group) > 1 and _sum(group[0].unit, "") is None:
        raise BadInput(
            f"{_named(group[0])} cannot be added up",
            where=rule.title,
            way_out="Choose one channel.",
        )


def _named(channel: Channel) -> str:
    return scale_of(channel.unit).unit or "a value without unit"
