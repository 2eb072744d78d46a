"""Steady state judged on performance, power and temperature together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.analysis.steady.rules import (
    Finding,
    LastOfRule,
    Rule,
    SlopeRule,
    Tolerance,
    WindowRule,
)
from app.record.store import Result, Window

BY_FIO = "fio_steady"
"""The result of fio's own rule: 1 where it found the load steady, 0 where it did not;
of a device ".dev07"."""

KELVIN = Tolerance(2.0, 1.0, is_share=False)
"""Of a temperature over a window: a range of 2 K, a rise of 1 K. [judged]"""

SLACK = 0.02
"""So much of its last round a step may be short of."""

_KELVIN_A_ROUND = Tolerance(1.0, 0.1, is_share=False)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to judge: a rule for shares, one for temperatures, and the rounds."""

    name: str  # how a campaign calls it
    title: str  # how it is shown
    rule: Rule  # for rates and power
    thermal: Rule  # for temperatures
    round_s: float  # length of a round in seconds
    # after this many rounds it is said that none was reached; 0 for no end
    most: int = 25

    def rule_for(self, unit: str) -> Rule:
        """Get the rule for a quantity in a unit."""
        return self.thermal if unit == "degC" else self.rule


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "sss-pts",
            "SSS-PTS window: 5 rounds, range 20 %, slope 10 %",
            WindowRule(),
            WindowRule(KELVIN),
            60.0,
        ),
        Method(
            "fio-slope",
            "like fio's steadystate: slope and deviation of 10 rounds",
            SlopeRule(),
            SlopeRule(_KELVIN_A_ROUND),
            10.0,
            most=0,
        ),
        Method(
            "7-of-25",
            "like warp's autoterm: the last 7 of 25 parts agree",
            LastOfRule(),
            LastOfRule(KELVIN),
            10.0,
            most=0,
        ),
        # Five rounds of half an hour are of the Emerald specification for devices
        # (2025), at second hand; its limits were not available: the window's hold.
        Method(
            "5x30min",
            "5 rounds of 30 minutes, performance and power (Emerald-like)",
            WindowRule(),
            WindowRule(KELVIN),
            1800.0,
        ),
    )
}
"""The choices; constants marked [judged] or second hand are said to be so above."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing that has to be steady: "performance" in 1/s, "power" in W."""

    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class SteadyState:
    """How it stands after some rounds."""

    steady: bool  # whether every quantity is steady
    # of each quantity; `why` says why not yet, with figures
    findings: Mapping[str, Finding]
    rounds: int  # how many rounds were seen
    # the round after which all were steady for the first time, from 1
    reached: int | None = None
    is_over: bool = False  # whether the method's last round has passed without it

    @property
    def told(self) -> str:
        """Say of which quantities it was not steady, or of all why it is."""
        return "; ".join(
            f"{name}: {finding.why}"
            for name, finding in self.findings.items()
            if finding.steady == self.steady
        )

    @property
    def why(self) -> str:
        """Say in one line why not yet, or that it is."""
        if self.steady:
            head = "steady"
        elif self.is_over:
            head = f"steady state not reached in {self.rounds} rounds"
        else:
            head = "not yet steady"
        return f"{head}; {self.told}" if self.told else head


@dataclass
class SteadyWatch:
    """Takes the means of round after round; live, or all of a stored session's."""

    method: Method  # how it is judged
    quantities: Sequence[Quantity]  # what has to be steady, all at once
    # the means so far, of each quantity
    means: dict[str, list[float]] = field(default_factory=dict)
    # the round after which all were steady for the first time
    reached: int | None = None

    def __post_init__(self) -> None:
        for quantity in self.quantities:
            self.means.setdefault(quantity.name, [])

    def add(self, round_means: Mapping[str, float]) -> SteadyState:
        """Take the means of one more round; a quantity left out has no value."""
        for quantity in self.quantities:
            value = round_means.get(quantity.name, float("nan"))
            self.means[quantity.name].append(value)
        state = self.state()
        if state.steady and self.reached is None:
            self.reached = state.rounds
            return self.state()
        return state

    def state(self) -> SteadyState:
        """Judge what there is."""
        findings = {
            quantity.name: self.method.rule_for(quantity.unit).judge(
                self.means[quantity.name], quantity.unit
            )
            for quantity in self.quantities
        }
        rounds = max((len(means) for means in self.means.values()), default=0)
        steady = bool(findings) and all(f.steady for f in findings.values())
        most = self.method.most
        over = bool(most) and rounds >= most and self.reached is None and not steady
        return SteadyState(steady, findings, rounds, self.reached, over)


def first_round(state: SteadyState) -> int:
    """Get the first of the rounds that were judged last, counted from 1."""
    spans = [
        finding.rounds
        for finding in state.findings.values()
        if finding.rounds is not None
    ]
    return min((span[0] for span in spans), default=1)


def results_of(state: SteadyState, window: Window) -> list[Result]:
    """Make results of it: the number of rounds, and which quantities are steady."""
    rounds = Result(
        "steady_rounds",
        float(state.rounds),
        "",
        *window,
        n_valid=1,
        n_expected=1,
        origin="steady",
        note=state.why,
    )
    each = [
        replace(
            rounds,
            name=f"steady.{name}",
            value=float(finding.steady),
            note=finding.why,
        )
        for name, finding in state.findings.items()
    ]
    return [rounds, *each]
