"""What is marked in a chart: the windows of figures, and the samples that count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.analysis.samples import Samples
from app.report.chart.line import Line
from app.report.explanation import Explanation
from app.ui.chart.layers import Layer
from app.ui.chart.spans import Span
from instruments.reading import SECOND


@dataclass(frozen=True, slots=True)
class Marked:
    """Marks on the time axis of a chart.

    Attributes:
        spans: The windows, in seconds from the origin.
        samples: The samples that count, in the unit of their channel, by the name of
            the session in the chart and that of the channel.
    """

    spans: tuple[Span, ...] = ()
    samples: Mapping[tuple[str, str], Line] = field(default_factory=dict)


def marked(layers: Sequence[Layer], found: Iterable[Explanation]) -> Marked:
    """Put what figures were made of into the sessions that a chart shows."""
    every = [*found]
    pairs = [
        (layer, one)
        for layer in layers
        for one in every
        if layer.session.path == one.path
    ]
    return Marked(
        tuple(_span(layer, one) for layer, one in pairs),
        {
            (layer.name, part.channel.name): _line(layer, part)
            for layer, one in pairs
            for part in one.samples
        },
    )


def _span(layer: Layer, one: Explanation) -> Span:
    start, end = ((moment - layer.origin) / SECOND for moment in one.window)
    return Span(start, end, f"{one.step.label}, {one.title}", layer.name)


def _line(layer: Layer, part: Samples) -> Line:
    x = (part.times - layer.origin) / SECOND
    return Line(x, part.values, part.values, part.values)
