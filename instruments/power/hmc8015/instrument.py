"""The conversation with an HMC8015: what is sent, and how it is made sure of.

Short forms are sent throughout, because related models stumble over long ones.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from instruments.errors import SourceError
from instruments.link.scpi import Scpi
from instruments.power.hmc8015.config import REFRESH_S, Config
from instruments.power.hmc8015.functions import short_form
from instruments.power.scpi_values import parse_value, split_values
from instruments.power.step_ranges import Ranges
from instruments.reading import Judged, Status


class Dispensable:
    """Keeps what a firmware does not know, to be reported with the readings.

    Args:
        scpi: The open link, for what is refused.
    """

    def __init__(self, scpi: Scpi) -> None:
        self._scpi = scpi
        self._remarks: dict[str, str] = {}

    def __contains__(self, what: str) -> bool:
        """Whether it goes without this."""
        return what in self._remarks

    @property
    def remarks(self) -> str:
        """What it goes without, with the instrument; "" for nothing."""
        remarks = "; ".join(self._remarks.values())
        return f"{self._scpi.where}: {remarks}" if remarks else ""

    def note(self, what: str, remark: str) -> None:
        """Take note that it goes without something."""
        self._remarks[what] = remark

    def tolerate(
        self, what: str, reported: Sequence[str], commands: str, *, so: str = ""
    ) -> None:
        """Go on where a command is not known; any other error is one.

        Args:
            what: What it would go without.
            reported: What is in its error queue; nothing where all was taken.
            commands: What was sent.
            so: What follows from it.

        Raises:
            SourceError: It knows the command, and did not take it.
        """
        if not reported:
            return
        codes = (answer.split(",")[0].strip() for answer in reported)
        if not all(re.fullmatch(r"-1\d\d", code) for code in codes):  # command errors
            raise self._scpi.refuse(
                f"it reported {'; '.join(reported[:3])} on {commands}"
            )
        unknown = f"its firmware does not know {commands} ({reported[0]})"
        self._remarks[what] = f"{so}, {unknown}" if so else unknown


Parsed = Mapping[str, Judged]
"""Value and status by token."""

# Channel 1: the meter has one only.
_NODES = ("CHAN1:VOLT", "CHAN1:CURR")
_CELLS = 10  # of a page of its display; sizes are 6 and 10
_DISPENSABLE = ("SYST:REM", "CHAN1:MEAS:FORM ASC")
"""What a firmware may not know: any command makes it remote, and it speaks ASCII."""

_INTEGRATOR = "INT"
_TICK_S = 1.2
"""Longer than a second, the resolution of its time, and a refresh."""

_SETTLE_TRIES = 30  # a refresh each: the 3 s that R&S's own examples wait
_VIEWS = ("VIEW:NUM", "VIEW:NORM")
"""NORM is firmware before 1.403."""


class Instrument:
    """One meter on an open link; knows which functions it was set to measure.

    Args:
        scpi: The open link.
        sleep: Waits for seconds.
    """

    def __init__(self, scpi: Scpi, sleep: Callable[[float], None]) -> None:
        self._scpi = scpi
        self._sleep = sleep
        self._order: tuple[str, ...] = ()
        self._view = ""
        self._without = Dispensable(scpi)

    @property
    def has_integrator(self) -> bool:
        """Whether its firmware knows the integrator's commands."""
        return _INTEGRATOR not in self._without

    @property
    def remarks(self) -> str:
        """What it goes without, as its firmware does not know it; "" for nothing."""
        return self._without.remarks

    def integrates(self) -> bool:
        """Tell whether its integrator runs: whether its time moves on.

        Nothing else is known to tell it, so one whose time is not among the functions
        that the meter measures is not noticed.
        """
        order = _functions(self._scpi.ask("CHAN1:MEAS:FUNC?"))
        if "TIME" not in order:
            return False
        before = self._time(order)
        if math.isnan(before):
            return False
        self._sleep(_TICK_S)
        return self._time(order) > before

    def prepare(self, config: Config) -> None:
        """Clean up after an earlier user, or after us, and choose the mode."""
        # What an earlier user left in the error queue is not ours.
        scpi = self._scpi
        scpi.set("INT:STOP", "*CLS", *_DISPENSABLE)
        needed = [f"CHAN1:MODE {config.mode.upper()}"]
        needed += [f"{node}:CFAC {config.crest_factor}" for node in _NODES]
        scpi.set(*needed)
        if reported := scpi.errors():
            # Which command it was is not said: each is sent once more.
            for command in _DISPENSABLE:
                scpi.set(command)
                self._without.tolerate(command, scpi.errors(), command)
            for command in needed:
                scpi.set(command)
                scpi.check(f"choosing mode and crest factor (it said {reported[0]})")

    def fix_ranges(self, ranges: Ranges) -> None:
        """Take fixed ranges, in V and A, and make sure of them."""
        for node, wanted in zip(_NODES, ranges, strict=True):
            self._fix_range(f"{node}:RANG", wanted)

    def free_ranges(self) -> None:
        """Let the meter choose its ranges, which breaks an integration."""
        self._scpi.set(*(f"{node}:RANG:AUTO ON" for node in _NODES))
        self._scpi.check("switching to automatic ranges")

    def use(self, tokens: Sequence[str]) -> None:
        """Choose what is measured, and wait for the first full set of values.

        Names are bound to the order that is read back. The cells of page 1 are set,
        too: sources differ on which of the two DATA? follows.
        """
        scpi = self._scpi
        wanted = ",".join(tokens)
        scpi.set(f"CHAN1:MEAS:FUNC {wanted}")
        answer = scpi.ask("CHAN1:MEAS:FUNC?")
        scpi.check(f"choosing the functions {wanted}")
        order = _functions(answer)
        if sorted(order) != sorted(tokens):
            raise scpi.refuse(f"it measures {answer}, not {wanted}")
        self._fill_page(order)
        self._order = order

    def values(self) -> tuple[str, Parsed]:
        """Ask for one set of values; give the answer as it came, and its values."""
        answer = self._scpi.ask("CHAN1:MEAS:DATA?")
        tokens = self._tokens(answer)
        where = self._scpi.where
        return answer, {
            name: parse_value(token, where)
            for name, token in zip(self._order, tokens, strict=True)
        }

    def check_functions(self) -> None:
        """Make sure that values still mean what they are taken for.

        A meter that was reset, or set up by another program, answers
        just as many values of other quantities.
        """
        answer = self._scpi.ask("CHAN1:MEAS:FUNC?")
        if _functions(answer) != self._order:
            raise self._scpi.refuse(
                f"it measures {answer[:60]}: it was reset, or set up by somebody else"
            )

    def check_ranges(self, ranges: Ranges) -> None:
        """Make sure that the ranges are still these, in V and A."""
        for node, wanted in zip(_NODES, ranges, strict=True):
            answer = self._scpi.ask(f"{node}:RANG?")
            taken, _ = parse_value(answer, self._scpi.where)
            if not math.isclose(taken, wanted, rel_tol=1e-3):
                raise self._scpi.refuse(
                    f"{node}:RANG has become {answer} instead of {wanted:g}"
                )

    def settle(self) -> None:
        """Wait for the first full set: new functions and ranges take up to 3 s.

        A value that stays away, such as one over range, does not keep it waiting.
        """
        answer = ""
        # The next refresh is still made of what was before the settings, too.
        self._sleep(REFRESH_S)
        for _ in range(_SETTLE_TRIES):
            self._sleep(REFRESH_S)
            answer = self._scpi.ask("CHAN1:MEAS:DATA?")
            tokens = split_values(answer)
            if len(tokens) in (len(self._order), _CELLS) and not any(
                token.upper() == "NAN" for token in tokens[: len(self._order)]
            ):
                break
        self._tokens(answer)

    def start_integrator(self) -> None:
        """Begin to integrate energy, from zero."""
        # It is not known whether stopping it while it does not run is an error, nor
        # whether INT:STAR needs INT:STAT ON; TIME will tell.
        self._scpi.set("INT:STOP")
        self._scpi.errors()
        commands = ("INT:MODE MAN", "INT:RES", "INT:STAR")
        self._scpi.set(*commands)
        reported, sent = self._scpi.errors(), ", ".join(commands)
        so = "energy is not measured"
        self._without.tolerate(_INTEGRATOR, reported, f"one of {sent}", so=so)

    def stop_integrator(self) -> None:
        """Stop integrating, and wait until the last energy is shown."""
        self._scpi.set("INT:STOP")
        self._sleep(2 * REFRESH_S)

    def show_amounts_of_harmonics(self) -> None:
        """Have harmonics in V, A and W and not as shares; assumed to hold for DATA?."""
        self._scpi.set("VIEW:HARM:SCAL ABS")
        self._scpi.check("choosing the unit of harmonics")

    def check_protection(self) -> None:
        """Raise SourceError where the over-current protection has tripped."""
        answer = self._scpi.ask("CHAN1:CURR:PROT?")
        if answer.upper() in ("1", "ON"):
            raise SourceError(
                "its over-current protection has tripped",
                where=self._scpi.where,
                way_out="Remove the load, then reset the protection at the meter.",
                status=Status.OVERRANGE,
            )

    def release(self) -> None:
        """Stop the integrator, give the front panel back, and let go."""
        # Where the link is what failed, there is nothing left to be made safe.
        with suppress(SourceError):
            self._scpi.set("INT:STOP")
            # Last, and not confirmed: any command after it takes the panel again.
            self._scpi.write("SYST:LOC")
        self._scpi.close()

    def _time(self, order: Sequence[str]) -> float:
        """Get the integrator's time in s; NaN where it has none."""
        tokens = split_values(self._scpi.ask("CHAN1:MEAS:DATA?"))
        if len(tokens) < len(order):
            return math.nan
        return parse_value(tokens[order.index("TIME")], self._scpi.where)[0]

    def _fix_range(self, node: str, wanted: float) -> None:
        # A fixed range is taken only while the automatic one is off.
        scpi = self._scpi
        scpi.set(f"{node}:AUTO OFF", f"{node} {wanted:g}")
        automatic = scpi.ask(f"{node}:AUTO?")
        answer = scpi.ask(f"{node}?")
        scpi.check(f"setting {node} to {wanted:g}")
        taken, _ = parse_value(answer, scpi.where)
        if automatic.upper() not in ("0", "OFF") or not math.isclose(
            taken, wanted, rel_tol=1e-3
        ):
            raise scpi.refuse(
                f"{node} is {answer} (automatic: {automatic}) after it was set to "
                f"{wanted:g}"
            )

    def _fill_page(self, order: tuple[str, ...]) -> None:
        scpi = self._scpi
        cells = (*order, *("EMPT",) * (_CELLS - len(order)))
        # Which of the two a firmware knows is found by trying, and kept.
        for view in (self._view,) if self._view else _VIEWS:
            scpi.set(f"{view}:PAGE1:SIZE {_CELLS}")
            if not scpi.errors():
                commands = (
                    f"{view}:PAGE1:CELL{number}:FUNC {cell}"
                    for number, cell in enumerate(cells, 1)
                )
                scpi.set(*commands)
                scpi.check("filling the page")
                self._view = view
                return
        self._without.note(
            "VIEW",
            "its display shows what it did before, its firmware has neither VIEW:NUM "
            "nor VIEW:NORM",
        )

    def _tokens(self, answer: str) -> list[str]:
        tokens = split_values(answer)
        expected = len(self._order)
        if len(tokens) == _CELLS and all(
            token.upper() in ("NAN", "---", "") for token in tokens[expected:]
        ):
            tokens = tokens[:expected]  # empty cells, where DATA? follows the page
        if len(tokens) != expected:
            raise self._scpi.refuse(
                f"{len(tokens)} values came where {expected} were asked for "
                f'("{answer[:60]}")'
            )
        return tokens


def _functions(answer: str) -> tuple[str, ...]:
    """Read a list of functions, without the empty cells at its end."""
    functions = [short_form(token) for token in answer.split(",")]
    while functions and functions[-1] == "EMPT":
        functions.pop()
    return tuple(functions)
