"""What a bench says of an HMC8015: ranges, functions, beat, accuracy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from instruments.driver import period
from instruments.errors import BadInput
from instruments.power.functions import Function, by_token, find_functions
from instruments.power.scpi_values import check_ranges
from instruments.power.uncertainty import HMC8015 as FROM_MEMORY
from instruments.settings import Kind, Option, Settings

REFRESH_S = 0.1
"""RMS values are formed over 100 ms, and are not refreshed faster."""

FASTEST_S = 0.05
MOST_FUNCTIONS = 10
VOLTAGE_RANGES = (5.0, 15.0, 30.0, 60.0, 150.0, 300.0, 600.0)
CURRENT_RANGES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

Ranges = tuple[float, float]
"""Voltage range in V and current range in A."""


class Mode(StrEnum):
    """What kind of current is measured."""

    AC = "ac"
    DC = "dc"


_RESIDENT = {
    Mode.AC: ("P", "S", "LAMB", "URMS", "IRMS", "WH"),
    Mode.DC: ("P", "UAVG", "IAVG", "WH"),
}
_USUAL = {Mode.AC: ("Q", "f", "I_peak_max"), Mode.DC: ("I_peak_max",)}
_DC_NAMES = {"UAVG": "U", "IAVG": "I", "URMS": "U_rms", "IRMS": "I_rms"}
_STEP = re.compile(r"\s*(.+?)\s*=\s*([\d.]+)\s*V\s*,\s*([\d.]+)\s*A\s*")


def usual(mode: Mode = Mode.AC) -> tuple[Function, ...]:
    """Get the functions that are added where a bench names none."""
    return find_functions(_USUAL[mode], "functions")


@dataclass(frozen=True, slots=True)
class Config:
    """How one meter is set up.

    Attributes:
        voltage_range: Fixed range in V.
        current_range: Fixed range in A.
        step_ranges: Other fixed ranges by label of the step.
        crest_factor: The greatest peak as a multiple of the range, 3 or 6.
        mode: Alternating or direct current.
        functions: What is measured in every reading besides P, S, lambda, U, I and
            Wh; three find room.
        extra: What is measured once after each step.
        period_s: Seconds from one reading to the next.

    Raises:
        BadInput: A value that the meter does not have; `where` is the key.
    """

    voltage_range: float = 300.0
    current_range: float = 10.0
    step_ranges: Mapping[str, Ranges] = field(default_factory=dict)
    crest_factor: int = 3
    mode: Mode = Mode.AC
    functions: tuple[Function, ...] = field(default_factory=usual)
    extra: tuple[Function, ...] = ()
    period_s: float = REFRESH_S

    def __post_init__(self) -> None:
        for volts, amperes in (self.ranges, *self.step_ranges.values()):
            check_ranges("voltage_range", volts, VOLTAGE_RANGES, "V", BadInput)
            check_ranges("current_range", amperes, CURRENT_RANGES, "A", BadInput)
        room = MOST_FUNCTIONS - 1 - len(_RESIDENT[self.mode])
        added = len(self.resident) - len(_RESIDENT[self.mode])
        if added > room:
            raise BadInput(
                f"{added} functions are added, and the meter has room for {room}",
                where="functions",
                way_out='Put those that are needed once a step under "extra".',
            )

    @property
    def ranges(self) -> Ranges:
        """The fixed ranges, where a step has none of its own."""
        return self.voltage_range, self.current_range

    @property
    def resident(self) -> tuple[Function, ...]:
        """What every reading has; TIME is read with it but is no value."""
        own = tuple(by_token(token) for token in _RESIDENT[self.mode])
        return tuple(f for f in dict.fromkeys((*own, *self.functions)) if not _time(f))

    def named(self, function: Function) -> Function:
        """Give a function the name it has here: with direct current, U is the mean."""
        if self.mode is Mode.DC and function.token in _DC_NAMES:
            return replace(function, quantity=_DC_NAMES[function.token])
        return function


def _time(function: Function) -> bool:
    return function.token == "TIME"


def config_from(settings: Settings) -> Config:
    """Read what a bench says; raises BadInput, whose `where` is the key."""
    mode = Mode(settings.text("mode"))
    functions = usual(mode)
    if "functions" in settings.values:
        functions = find_functions(settings.texts("functions"), "functions")
    return Config(
        settings.number("voltage_range"),
        settings.number("current_range"),
        dict(_step_ranges(text) for text in settings.texts("step_ranges")),
        int(settings.text("crest_factor")),
        mode,
        functions,
        find_functions(settings.texts("extra"), "extra"),
        settings.number("period"),
    )


def _step_ranges(text: str) -> tuple[str, Ranges]:
    found = _STEP.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        ranges = float(found[2]), float(found[3])
        check_ranges("the voltage range", ranges[0], VOLTAGE_RANGES, "V", BadInput)
        check_ranges("the current range", ranges[1], CURRENT_RANGES, "A", BadInput)
    except ValueError:
        raise BadInput(
            f'step_ranges has "{text}"',
            where="step_ranges",
            way_out='Expected a label and two ranges, such as "Off = 300 V, 0.2 A".',
        ) from None
    except BadInput as error:
        error.where = "step_ranges"
        raise
    return found[1], ranges


OPTIONS = (
    Option(
        "resource",
        "VISA resource of the meter.",
        required=True,
        example="TCPIP::192.0.2.5::5025::SOCKET",
    ),
    Option(
        "voltage_range",
        "Fixed voltage range; an automatic one would break the integration of energy.",
        Kind.NUMBER,
        300.0,
        choices=VOLTAGE_RANGES,
        unit="V",
    ),
    Option(
        "current_range",
        "Fixed current range; an automatic one would break the integration of energy.",
        Kind.NUMBER,
        10.0,
        choices=CURRENT_RANGES,
        unit="A",
    ),
    Option(
        "step_ranges",
        'Other ranges for some steps, such as "Standby = 300 V, 0.2 A".',
        Kind.TEXTS,
    ),
    Option(
        "crest_factor",
        "The greatest peak that is not clipped, as a multiple of the range.",
        Kind.CHOICE,
        "3",
        choices=("3", "6"),
    ),
    Option(
        "mode",
        "Alternating current, or direct current such as a drive's rail.",
        Kind.CHOICE,
        "ac",
        choices=("ac", "dc"),
    ),
    Option(
        "functions",
        "Measured in every reading besides P, S, lambda, U, I and Wh; room for three.",
        Kind.TEXTS,
        example="U_peak_max",
    ),
    Option(
        "extra",
        "Measured once after each step, harmonics too: values stay away meanwhile.",
        Kind.TEXTS,
        example="U_thd",
    ),
    period(REFRESH_S, FASTEST_S),
    Option(
        "accuracy_reading",
        "Limit of error as a share of the reading; the default is from memory.",
        Kind.NUMBER,
        FROM_MEMORY.reading * 100.0,
        low=0.0,
        high=10.0,
        unit="%",
    ),
    Option(
        "accuracy_range",
        "Limit of error as a share of the range; the default is from memory.",
        Kind.NUMBER,
        FROM_MEMORY.range * 100.0,
        low=0.0,
        high=10.0,
        unit="%",
    ),
    Option(
        "accuracy_source",
        "Where the two come from, such as the number of a calibration certificate.",
        default=FROM_MEMORY.source,
    ),
)
"""Every key of an HMC8015 in bench.toml."""
