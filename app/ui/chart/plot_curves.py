"""The curves of one plot: made from its panel, once for each session."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.report.chart.line import Line
from app.report.chart.panel import Curve, Panel
from app.ui.chart.plot_curve import PlotCurve
from app.ui.chart.plot_picture import Draw
from app.ui.kit.palette import Tokens

Lanes = tuple[tuple[str, int | None], ...]
"""Names of sessions with the indices of their colours; None for the only one."""

Core = tuple[float, float]
"""From and to in seconds, without what is of other steps."""


class PlotCurves:
    """Makes the curves of a panel, and tells all of them the same.

    Attributes:
        drawn: The curves, those of the first session first.
        layers: The sessions.
    """

    def __init__(self) -> None:
        self.drawn: list[PlotCurve] = []
        self.layers: Lanes = (("", None),)
        self._cores: Sequence[Core] = ()
        self._limit = float("inf")
        self._counted: Mapping[tuple[str, str], Line] = {}

    @property
    def are_several(self) -> bool:
        """Whether several sessions are compared."""
        return any(lane is not None for _, lane in self.layers)

    def set_layers(self, layers: Lanes, cores: Sequence[Core]) -> None:
        """Draw every curve once for each of these.

        Args:
            layers: The sessions.
            cores: The part of each, in seconds, in which a curve must have values to
                be named where several are compared; the rest is of other steps.
        """
        self.layers = layers
        self._cores = cores

    def make(self, panel: Panel, tokens: Tokens) -> list[Line | None]:
        """Make the curves of a panel again; get the lines that they can take over."""
        lines = [one.whole for one in self.drawn]
        self.drawn = [
            self._make(tokens, curve, int(curve.scale.unit != panel.unit), *layer)
            for layer in self.layers
            for curve in panel.curves
        ]
        self._mark()
        return lines if len(lines) == len(self.drawn) else []

    def _make(
        self, tokens: Tokens, curve: Curve, side: int, name: str, lane: int | None
    ) -> PlotCurve:
        if lane is not None:  # the colour tells the session, the style the quantity
            drawn = PlotCurve(curve, tokens.lane(lane), curve.colour, name, side)
        else:
            style = curve.colour // len(tokens.traces)
            drawn = PlotCurve(curve, tokens.trace(curve.colour), style, name, side)
        drawn.set_limit(self._limit)
        return drawn

    def set_lines(self, lines: Sequence[Line | None]) -> None:
        """Draw these, one a curve; of two that are compared none that is empty."""
        for one, line in zip(self.drawn, lines, strict=True):
            one.set_line(line)
        count = len(self.drawn) // len(self.layers)
        for number, one in enumerate(self.drawn):
            if self._cores:
                one.look_between(*self._cores[number // count])
            one.set_listed(not self.are_several or one.has_values)

    def mark(self, samples: Mapping[tuple[str, str], Line]) -> None:
        """Mark the samples that count, by the names of session and channel."""
        self._counted = samples
        self._mark()

    def _mark(self) -> None:
        count = len(self.drawn) // len(self.layers)
        for number, one in enumerate(self.drawn):
            name, _ = self.layers[number // count]
            own = {
                channel: line
                for (session, channel), line in self._counted.items()
                if session == name
            }
            one.set_counted(own)

    def forget(self) -> None:
        """Draw nothing until the store has answered for what is shown now."""
        for one in self.drawn:
            one.forget()

    def strokes(self) -> list[Draw]:
        """Get what is to be painted."""
        return [stroke for one in self.drawn for stroke in one.strokes()]

    def set_limit(self, x: float) -> bool:
        """Draw nothing later than this, in seconds; tell whether that is another."""
        self._limit = x
        changes = [one.set_limit(x) for one in self.drawn]
        return any(changes)

    def show_values(self, at: float, current: Mapping[str, float] | None) -> list[str]:
        """Show the values at a moment, or the current ones; one text a curve."""
        return [one.show_value(at, current) for one in self.drawn]


def why_empty(panel: Panel, lines: Sequence[Line | None]) -> str:
    """Say why a chart of what is computed is empty; "" where it is not."""
    drawn = [line for line in lines if line is not None]
    if any(np.isfinite(line.mean).any() for line in drawn):
        return ""
    if panel.is_difference and not drawn:
        return "No difference: only one of the two sides has readings of this."
    if panel.is_difference:
        return "No difference: there are no readings of both sides at the same times."
    if drawn and all(curve.maths is not None for curve in panel.curves):
        return (
            "No value here: it takes all of its channels at the same time, and a "
            "moving mean all of its seconds without a gap."
        )
    return ""
