"""The tree of Yokogawa WT310/WT33x, most of which GW Instek GPM-8213/8310 share.

No meter was at hand. From public drivers and logs: the identities, the commands of
ranges, items, rate and integrator, that GW Instek ends lines with CR LF, listens at
TCP port 23, and repeats the header in an answer (":NUM:NORM:NUMB 8"). Assumed: the
answers of the integrator's state in short or long form, that ITEM<n>? answers as it
was set or in short form (SIGM), that TIME counts whole seconds, and that a Yokogawa
takes 27 items.
"""

import math
from collections.abc import Sequence

from instruments.driver import Driver
from instruments.link.scpi import Scpi
from instruments.power.discovery import GW_INSTEK_ID, YOKOGAWA_ID, finder
from instruments.power.identity import Family, parse_family
from instruments.power.options import (
    RESOURCE,
    STALE_AFTER,
    current_range,
    elements,
    take_elements,
    voltage_range,
)
from instruments.power.points import Sample, Timing
from instruments.power.polled import PolledMeter
from instruments.power.ranged import Integrating
from instruments.power.scpi_values import parse_value, split_values
from instruments.power.step_ranges import STEP_RANGES, StepRanges, take_ranges
from instruments.reading import Identity
from instruments.settings import Kind, Option, Settings

VOLTAGE_RANGES = (15.0, 30.0, 60.0, 150.0, 300.0, 600.0)
"""With the crest factor 3, which is set."""

CURRENT_RANGES = (
    *(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    *(1.0, 2.0, 5.0, 10.0, 20.0, 40.0),
)
"""Of all models together; what a model does not take, it does not read back."""

YOKOGAWA = Family("YOKOGAWA", r"WT3[0-9]{2}(E|EH|HC)?", "Yokogawa WT310 or WT33x")
GW_INSTEK = Family(r"GW\s?Instek", r"GPM-8\d{3}", "GW Instek GPM-8213 or GPM-8310")
RATES_S = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
ELEMENTS = ("1", "2", "3", "SIGMA")
LINE_END = "\r"
"""Required by GW Instek, white space to Yokogawa (IEEE 488.2)."""

ITEMS = {
    "P": "P",
    "S": "S",
    "Q": "Q",
    "LAMB": "lambda",
    "U": "U",
    "I": "I",
    "FU": "f",
    "WH": "Wh",
}
"""Bayscope's quantity by the meter's item."""

_TIME = "TIME"
_HEADERS = {
    "URMS": "U",
    "IRMS": "I",
    "PF": "LAMB",
    "LAMBDA": "LAMB",
    "λ": "LAMB",
    "WP": "WH",
}
"""What GW Instek's HEADER? calls items, in capitals; real ones up to PF."""


class Yokogawa(Integrating):
    """The dialect of both makers; *IDN? says which of them it is.

    Args:
        ranges: In V and A, of `VOLTAGE_RANGES` and `CURRENT_RANGES`.
        elements: Elements that are read, of `ELEMENTS`.
        rate_s: Refresh in seconds, one of `RATES_S`; a GW Instek has its own.
    """

    quantities = tuple(ITEMS.values())
    state, start = ":INTEG:STAT?", ":INTEG:STAR"
    stop, reset = ":INTEG:STOP", ":INTEG:RES"

    def __init__(
        self, ranges: StepRanges, elements: Sequence[str] = ("1",), rate_s: float = 0.25
    ) -> None:
        super().__init__(ranges, elements)
        self._rate_s = rate_s
        self._is_gw_instek = False
        self._items: list[str] = []

    def identify(self, scpi: Scpi, address: str) -> Identity:
        """Identify the meter; see `Dialect`."""
        answer = scpi.ask("*IDN?")
        self._is_gw_instek = answer.upper().startswith("GW")
        family = GW_INSTEK if self._is_gw_instek else YOKOGAWA
        identity = parse_family(answer, address, scpi.where, family)
        if self._is_gw_instek and tuple(self._elements) != ("1",):
            raise scpi.refuse(f"the {identity.model} has one element only")
        self._items = [
            item if self._is_gw_instek else f"{item},{element}"
            for element, item in (
                *((element, item) for element in self._elements for item in ITEMS),
                (self._elements[0], _TIME),
            )
        ]
        return identity

    def set_up(self, scpi: Scpi) -> None:
        """Fix ranges, choose items, start the integrator; see `Dialect`."""
        scpi.write(":COMM:REM 1")
        if not self._is_gw_instek:
            for command in (":COMM:HEAD 0", ":COMM:VERB 0", ":NUM:FORM ASC"):
                scpi.write(command)
        self._halt(scpi)
        _fix(scpi, ":INP:CFAC", "3", 3.0)  # first: the ranges differ with it
        self._fix_ranges(scpi)
        if not self._is_gw_instek:
            _fix(scpi, ":RATE", f"{self._rate_s * 1000:g}MS", self._rate_s)
        self._choose_items(scpi)
        # Without a timer it runs until it is stopped.
        scpi.write(":INTEG:MODE NORM")
        scpi.write(":INTEG:TIM 0,0,0")
        self._start(scpi)

    def sample(self, scpi: Scpi) -> Sample:
        """Ask for all items; see `Dialect`."""
        answer = scpi.ask(":NUM:NORM:VAL?")
        tokens = split_values(_bare(answer))
        if len(tokens) != len(self._items):
            raise scpi.refuse(
                f"{len(tokens)} values came where {len(self._items)} were asked for "
                f'("{answer[:60]}")'
            )
        values = [parse_value(token, scpi.where) for token in tokens]
        return Sample(values[:-1], answer, values[-1][0])

    def release(self, scpi: Scpi) -> None:
        """Stop the integrator and leave the remote state; see `Dialect`."""
        scpi.write(self.stop)
        scpi.write(":COMM:REM 0")

    def _fix_ranges(self, scpi: Scpi) -> None:
        for kind, unit, wanted in zip(
            ("VOLT", "CURR"), "VA", self._ranges.now, strict=True
        ):
            _fix(scpi, f":INP:{kind}:AUTO", "0", 0.0)
            # In a range M is milli (IEEE 488.2): 500MA is half an ampere.
            text = f"{wanted * 1000:g}M{unit}" if wanted < 1.0 else f"{wanted:g}{unit}"
            _fix(scpi, f":INP:{kind}:RANG", text, wanted)

    def _choose_items(self, scpi: Scpi) -> None:
        count = len(self._items)
        _fix(scpi, ":NUM:NORM:NUMBER", str(count), float(count))
        for number, item in enumerate(self._items, 1):
            scpi.write(f":NUM:NORM:ITEM{number} {item}")
        if self._is_gw_instek:
            self._check_headers(scpi)
            return
        for number, item in enumerate(self._items, 1):
            taken = _bare(scpi.ask(f":NUM:NORM:ITEM{number}?")).upper()
            # In verbose mode, which not every firmware leaves, it says LAMBDA; else
            # it says SIGM, and one element alone it need not name.
            short = taken.replace("LAMBDA", "LAMB").replace("SIGMA", "SIGM")
            wanted = item.replace("SIGMA", "SIGM")
            alone = len(self._elements) == 1 and "," not in short
            if short != (wanted.partition(",")[0] if alone else wanted):
                raise scpi.refuse(f"item {number} is {taken}, not {item}")

    def _check_headers(self, scpi: Scpi) -> None:
        """Refuse an order of values in which a known one stands elsewhere."""
        headers = split_values(_bare(scpi.ask(":NUM:NORM:HEADER?")))
        names = [_HEADERS.get(text.upper(), text.upper()) for text in headers]
        for number, (name, item) in enumerate(zip(names, self._items, strict=False), 1):
            if name != item and name in self._items:
                raise scpi.refuse(f"value {number} is {name}, not {item}")
        if len(names) != len(self._items):
            raise scpi.refuse(f"it gives {len(names)} values, not {len(self._items)}")


def _fix(scpi: Scpi, node: str, text: str, wanted: float) -> None:
    """Set a number and read it back."""
    scpi.write(f"{node} {text}")
    answer = scpi.ask(f"{node}?")
    taken, _ = parse_value(_number(_bare(answer)), scpi.where)
    if not math.isclose(taken, wanted, rel_tol=1e-3, abs_tol=1e-9):
        raise scpi.refuse(f"{node} is {answer} after it was set to {text}")


def _number(text: str) -> str:
    return {"ON": "1", "OFF": "0"}.get(text.upper(), text)


def _bare(answer: str) -> str:
    """Take the header off an answer, where it has one."""
    return answer.partition(" ")[2].strip() if answer.startswith(":") else answer


def _build(settings: Settings) -> PolledMeter:
    rate_s = settings.number("rate")
    dialect = Yokogawa(
        take_ranges(settings, VOLTAGE_RANGES, CURRENT_RANGES),
        take_elements(settings),
        rate_s,
    )
    timing = Timing(rate_s, rate_s, rate_s)
    return PolledMeter(settings, "yokogawa", dialect, timing, line_end=LINE_END)


DRIVER = Driver(
    "power",
    "yokogawa",
    "Yokogawa WT310/WT33x, GW Instek GPM-8213/8310",
    (
        RESOURCE,
        voltage_range(300.0, VOLTAGE_RANGES),
        current_range(10.0, CURRENT_RANGES),
        STEP_RANGES,
        elements(ELEMENTS),
        Option(
            "rate",
            "Refresh of the meter, and of its averages.",
            Kind.NUMBER,
            0.25,
            choices=RATES_S,
            unit="s",
        ),
        STALE_AFTER,
    ),
    _build,
    finder((YOKOGAWA_ID, GW_INSTEK_ID), (YOKOGAWA, GW_INSTEK)),
)
