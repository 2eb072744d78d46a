"""What a campaign will take: time, bytes written, energy, and what that rests on."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.plan.campaign import Campaign
from app.plan.step import RESTING, Step
from instruments.sizes import counted
from workloads.engines import LOADS


@dataclass(frozen=True, slots=True)
class Span:
    """From a lowest to a highest value, both known equally badly."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one row beforehand.

    Attributes:
        write_b_s: Bytes it writes a second; None where that is not known.
        power_w: What the device draws meanwhile; None where that is not known.
        basis: Where this comes from, such as "2 earlier sessions".
    """

    write_b_s: Span | None = None
    power_w: Span | None = None
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Total:
    """One figure of the whole campaign.

    Attributes:
        span: Sum of what is known; None where nothing is.
        known: Of how many runs something is known.
        runs: How many runs there are.
        basis: What it rests on, in a line.
        unit: "B" or "Wh".
    """

    span: Span | None
    known: int
    runs: int
    basis: str
    unit: str

    @property
    def amount(self) -> str:
        """How much it is, with two digits at most."""
        whole = self.known == self.runs
        if self.span is None or (self.span.high == 0 and not whole):
            return "unknown"
        if self.span.high == 0:
            return "none"
        low, high = (
            _scaled(_two_digits(value), self.unit)
            for value in (self.span.low, self.span.high)
        )
        if not whole:
            return f"at least {low}"
        if low == high:
            return low
        number, _, unit = low.partition(" ")
        return f"{number if high.endswith(f' {unit}') else low} to {high}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a campaign will take.

    Attributes:
        duration_s: The planned runtimes and ramps.
        duration_basis: What is in that, and what is not.
        written: Bytes written to the target.
        energy: Energy of the device under test.
    """

    duration_s: float
    duration_basis: str
    written: Total
    energy: Total


_VARYING: Sequence[tuple[str, Callable[[Step], object]]] = (
    (
        "plus filling the target, load start-up and prompts",
        lambda step: step.engine not in RESTING,
    ),
    ("less where a step gets steady early", lambda step: step.steady),
    ("more where a step is repeated until confident", lambda step: step.repeats),
    ("more where rounds run until a row is steady", lambda step: step.rounds),
)
"""What makes a campaign longer or shorter than planned, and which steps do."""


def estimate(
    campaign: Campaign,
    earlier: Mapping[str, Known],
    left: Sequence[tuple[str, Step]] | None = None,
) -> Estimate:
    """Estimate what a campaign will take, before it is started.

    Args:
        campaign: The campaign.
        earlier: What earlier sessions of this device had, by label of the row.
        left: Those of its rows that are still to be run; None for all.
    """
    runs = left
    if runs is None:
        runs = [row for row in campaign.runs for _ in range(row[1].least_rounds)]
    count = counted(len(runs), "step")
    basis = f"planned runtimes and ramps of {count}"
    if campaign.loop:
        basis = f"one pass of {count}, and they come again until it is stopped"
    steps = [step for _, step in runs]
    basis += "".join(f"; {text}" for text, has in _VARYING if any(map(has, steps)))
    written: list[tuple[Span | None, str]] = []
    energy: list[tuple[Span | None, str]] = []
    for _, step in runs:
        known = earlier.get(step.label, Known())
        written.append(_written(step, known))
        energy.append((_times(known.power_w, step.duration_s / 3600), known.basis))
    seconds = sum(step.duration_s for _, step in runs)
    return Estimate(seconds, basis, _total(written, "B"), _total(energy, "Wh"))


_READ_ONLY = "read-only steps"


def _only_reads(step: Step) -> bool:
    engine = LOADS.get(step.engine)
    if engine is None:  # idle and the like
        return True
    return engine.on_target and not engine.writes(step.options)


def _written(step: Step, known: Known) -> tuple[Span | None, str]:
    if _only_reads(step):
        return Span(0.0, 0.0), _READ_ONLY
    return _times(known.write_b_s, step.duration_s), known.basis


def _times(span: Span | None, factor: float) -> Span | None:
    return None if span is None else Span(span.low * factor, span.high * factor)


def _total(parts: Iterable[tuple[Span | None, str]], unit: str) -> Total:
    parts = list(parts)
    spans = [span for span, _ in parts if span is not None]
    sources = Counter(basis for span, basis in parts if span is not None)
    bases = [f"{basis} for {count}" for basis, count in sources.items()]
    if set(sources) - {_READ_ONLY}:
        bases[0] = f"based on {bases[0]}"
    missing = len(parts) - len(spans)
    if missing:
        bases.append(f"no estimate for {missing}")
    basis = f"{', '.join(bases)} of {counted(len(parts), 'step')}"
    whole = Span(sum(s.low for s in spans), sum(s.high for s in spans))
    return Total(whole if spans else None, len(spans), len(parts), basis, unit)


def _two_digits(value: float) -> float:
    if value == 0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(value)))
    return round(value, digits)


def _scaled(value: float, unit: str) -> str:
    """Write a value with a decimal prefix, such as "1.2 TB"."""
    for power, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= power:
            return f"{value / power:g} {prefix}{unit}"
    return f"{value:g} {unit}"
