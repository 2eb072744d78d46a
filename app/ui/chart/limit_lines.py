"""The limits of a campaign, where the charts show what they limit; no Qt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from app.report.chart.panel import Panel
from app.ui.chart.layers import Layer, Phase
from instruments.errors import one_line
from instruments.metric import (
    BOTH,
    BY_NAME,
    CELSIUS,
    DECIBEL,
    READ,
    WRITE,
    mean_name,
    percentile_name,
)

_PANELS = {
    "W": ("Active power", "W"),
    "VA": ("Apparent power", "VA"),
    "1/s": ("IOPS", "IOPS"),
    "MB/s": ("Throughput", "MB/s"),
    DECIBEL: ("Noise", DECIBEL),
    CELSIUS: ("Temperature", CELSIUS),
}
"""Title and unit of the panel that shows what results in this unit are made of."""

_LATENCIES = {
    name(of): (title, "ms")
    for of in (BOTH, READ, WRITE)
    for name, title in (
        (mean_name, "Mean latency"),
        (partial(percentile_name, percent=99.0), "p99 latency"),
    )
}
"""The same of latencies, by results: others have no curve."""


@dataclass(frozen=True, slots=True)
class LimitLine:
    """A limit over the measured window that its result is of.

    Attributes:
        start: Seconds from the origin.
        end: Seconds from the origin.
        value: In the unit of the panel.
        text: The limit as the campaign has it.
        panel: Title and unit of the panel; of a threshold that is in it anyway none.
    """

    start: float
    end: float
    value: float
    text: str
    panel: tuple[str, str] = ("", "")

    def is_in(self, panel: Panel) -> bool:
        """Tell whether a panel shows what it limits."""
        return self.panel == (panel.title, panel.unit)


def limit_lines(layer: Layer, phases: Sequence[Phase]) -> Iterator[LimitLine]:
    """Yield the limits of the steps that have begun to be measured."""
    limits = dict(layer.limits)
    for phase in phases:
        if phase.window is None:
            continue
        for limit in limits.get(phase.label, ()):
            unit = BY_NAME[limit.result].unit
            panel = _PANELS.get(unit) or _LATENCIES.get(limit.result)
            if panel is not None:
                text = one_line(str(limit))
                yield LimitLine(*phase.window, limit.value, text, panel)
