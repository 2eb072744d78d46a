"""What a bench says of an HMC8015: ranges, functions, beat, accuracy."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from instruments.errors import BadInput
from instruments.power.hmc8015.functions import Function, by_token, find_functions
from instruments.power.scpi_values import check_ranges
from instruments.power.step_ranges import Ranges

REFRESH_S = 0.1
"""RMS values are formed over 100 ms, and are not refreshed faster."""

# Twice a refresh, so that none is missed though its moment is not known.
FASTEST_S = 0.05
MOST_FUNCTIONS = 10  # as many as a page has cells
# Both lists are those of R&S's CVI driver 1.0.3.
VOLTAGE_RANGES = (5.0, 15.0, 30.0, 60.0, 150.0, 300.0, 600.0)
CURRENT_RANGES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


class Mode(StrEnum):
    """What kind of current is measured."""

    AC = "ac"
    DC = "dc"


# In every reading, whatever the bench adds: what reports and limits are made of.
_RESIDENT = {
    Mode.AC: ("P", "S", "LAMB", "URMS", "IRMS", "WH"),
    Mode.DC: ("P", "UAVG", "IAVG", "WH"),
}
_USUAL = {Mode.AC: ("Q", "f", "I_peak_max"), Mode.DC: ("I_peak_max",)}
# With direct current the mean is the voltage; RMS would count the ripple as well.
_DC_NAMES = {"UAVG": "U", "IAVG": "I", "URMS": "U_rms", "IRMS": "I_rms"}


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
        # One is TIME, by which a stopped integrator is noticed.
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
        """What every reading has; TIME is read with it but is not a value."""
        always = [by_token(token) for token in _RESIDENT[self.mode]]
        functions = dict.fromkeys((*always, *self.functions))
        return tuple(each for each in functions if each.token != "TIME")

    def named(self, function: Function) -> Function:
        """Give a function the name it has here: with direct current, U is the mean."""
        if self.mode is Mode.DC and function.token in _DC_NAMES:
            return replace(function, quantity=_DC_NAMES[function.token])
        return function
