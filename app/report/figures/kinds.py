"""Every kind of figure that compares sessions: one row of a table each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.report.figures.by_row import (
    bars_figure,
    boxes_figure,
    first_metric,
    percentile_figure,
)
from app.report.figures.by_sample import (
    heat_figure,
    histogram_figure,
    noise_figure,
    slots_figure,
)
from app.report.figures.cases import Case, metrics_in, options_in
from app.report.figures.figure import Figure
from app.report.figures.swept import against_figure, swept_figure
from instruments.errors import BadInput


class Takes(Enum):
    """What of a choice a kind of figure takes."""

    OPTION = auto()  # what was swept, across
    ACROSS = auto()  # a metric, across
    UP = auto()  # a metric, upwards
    BELOW = auto()  # another one upwards, in a figure below
    STEPS = auto()


@dataclass(frozen=True, slots=True)
class Choice:
    """What a figure is to show.

    Attributes:
        kind: A key of `KINDS`.
        option: What was swept over.
        across: The metric that runs to the right.
        up: The metric that runs upwards.
        labels: Of the steps.
        below: The metric of the figure below it; NOTHING for none.
    """

    kind: str
    option: str = ""
    across: str = ""
    up: str = ""
    labels: tuple[str, ...] = ()
    below: str = ""


NOTHING = "none"
"""Is said where no figure is wanted below; "" leaves it to what is usual."""

Make = Callable[[Sequence[Case], Choice], Figure | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of figure.

    Attributes:
        key: What the command line calls it.
        title: What it is called in a list.
        takes: What of a choice it takes.
        make: Makes it; None where the sessions have nothing for it.
        lacks: What is said then.
        across: The metrics that it begins with, the first that there is.
        up: The same upwards.
    """

    key: str
    title: str
    takes: frozenset[Takes]
    make: Make
    lacks: str
    across: tuple[str, ...] = ()
    up: tuple[str, ...] = ("iops", "bandwidth_mb_s", "power_w")
    # whether it means nothing with other metrics than these to begin with
    is_strict: bool = False


_PAIR = frozenset((Takes.ACROSS, Takes.UP, Takes.OPTION))
_STEPS = frozenset((Takes.STEPS,))
_LATENCIES = ("latency_mean_ms", "read_latency_ms", "write_latency_ms")
_DEPTHS = ("iodepth", "numjobs", "threads")
"""Over what is queued IOPS mean little without the latency that they cost."""

_NO_ROWS = "No row has both of these results."
_NO_HISTOGRAM = (
    "No histogram of these steps is kept. Tick a step with a load of fio, which keeps "
    "the documents with its histograms."
)


def _against(cases: Sequence[Case], one: Choice) -> Figure | None:
    return against_figure(cases, one.across, one.up, one.option)


def _pair(key: str, title: str, across: tuple[str, ...], up: tuple[str, ...]) -> Kind:
    strict = key != "against"
    return Kind(key, title, _PAIR, _against, _NO_ROWS, across, up, is_strict=strict)


ALL = (
    Kind(
        "swept",
        "Result over what was swept",
        frozenset((Takes.OPTION, Takes.UP, Takes.BELOW)),
        lambda cases, one: swept_figure(cases, one.option, one.up, one.below),
        "No option was swept: no two rows differ in one option alone.",
    ),
    Kind(
        "bars",
        "Bars by step",
        frozenset((Takes.UP,)),
        lambda cases, one: bars_figure(cases, one.up),
        "No row has this result.",
    ),
    _pair("latency-iops", "Latency over IOPS", ("iops",), _LATENCIES),
    _pair("power", "Power over throughput", ("bandwidth_mb_s", "iops"), ("power_w",)),
    _pair("rise", "Temperature rise over power", ("power_w",), ("rise_k",)),
    _pair("against", "Any result over any other", ("iops",), ("power_w",)),
    Kind(
        "efficiency",
        "IOPS per watt by step",
        frozenset((Takes.UP,)),
        lambda cases, one: bars_figure(cases, one.up),
        "No row has IOPS and power.",
        up=("iops_per_w", "mb_s_per_w"),
        is_strict=True,
    ),
    Kind(
        "percentiles",
        "Percentiles of latency",
        _STEPS,
        lambda cases, one: percentile_figure(cases, one.labels),
        "No percentiles of these steps are known. Tick a step with a load.",
    ),
    Kind(
        "histogram",
        "Histogram of latency",
        _STEPS,
        lambda cases, one: histogram_figure(cases, one.labels),
        _NO_HISTOGRAM,
    ),
    Kind(
        "heat",
        "Latency over time",
        _STEPS,
        lambda cases, one: heat_figure(cases, one.labels),
        _NO_HISTOGRAM,
    ),
    Kind(
        "noise",
        "Noise over fan speed",
        frozenset(),
        lambda cases, _: noise_figure(cases, ()),
        "Noise and fans were not recorded together.",
    ),
    Kind(
        "boxes",
        "Repeats as boxes",
        frozenset((Takes.UP,)),
        lambda cases, one: boxes_figure(cases, one.up),
        "No step was repeated.",
    ),
    Kind(
        "slots",
        "Slots side by side",
        _STEPS,
        lambda cases, one: slots_figure(cases, one.labels),
        "No slot temperatures of these steps were recorded.",
    ),
)
KINDS = {kind.key: kind for kind in ALL}


def usual_choice(cases: Sequence[Case], choice: Choice) -> Choice:
    """Fill in what a choice does not say by what the sessions have."""
    kind = KINDS[choice.kind]
    metrics, options = metrics_in(cases), options_in(cases)
    swept = Takes.OPTION in kind.takes and kind.key == "swept"
    option = choice.option or (options[0] if options and swept else "")
    below = choice.below
    if Takes.BELOW in kind.takes and not below and option in _DEPTHS:
        below = first_metric(metrics, _LATENCIES, strict=True)
    return Choice(
        choice.kind,
        option,
        choice.across or first_metric(metrics, kind.across, strict=kind.is_strict),
        choice.up or first_metric(metrics, kind.up, strict=kind.is_strict),
        choice.labels,
        below or NOTHING,
    )


def make_figure(cases: Sequence[Case], choice: Choice) -> Figure:
    """Make the figure of a choice; reads samples where its kind does.

    Raises:
        BadInput: The sessions have nothing for it.
    """
    kind = KINDS[choice.kind]
    figure = kind.make(cases, choice) if cases and _is_whole(kind, choice) else None
    if figure is None:
        raise BadInput("there is nothing to draw", where=kind.title, way_out=kind.lacks)
    return figure


def _is_whole(kind: Kind, choice: Choice) -> bool:
    """Tell whether a choice has what its kind cannot do without."""
    needed = {Takes.UP: choice.up, Takes.ACROSS: choice.across}
    if kind.key == "swept":
        needed[Takes.OPTION] = choice.option
    return all(needed[one] for one in kind.takes if one in needed)


def first_kind(cases: Sequence[Case]) -> str:
    """Get the kind to begin with: over what was swept, else bars."""
    return "swept" if options_in(cases) else "bars"
