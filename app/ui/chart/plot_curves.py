"""The curves of one plot: those of its panel, once for each session shown."""

from collections.abc import Mapping, Sequence

from app.ui.chart.lines import Line
from app.ui.chart.panel import Curve, Panel
from app.ui.chart.plot_curve import PlotCurve
from app.ui.chart.plot_picture import Draw
from app.ui.kit.palette import Tokens


class PlotCurves:
    """Makes the curves of a panel, and tells all of them the same.

    Attributes:
        drawn: The curves, those of the first session first.
        layers: Names of the sessions; ("",) for one.
    """

    def __init__(self) -> None:
        self.drawn: list[PlotCurve] = []
        self.layers: tuple[str, ...] = ("",)
        self._core = (0.0, 0.0)
        self._limit = float("inf")

    @property
    def are_several(self) -> bool:
        """Whether several sessions are compared."""
        return len(self.layers) > 1

    def set_layers(self, names: Sequence[str], core: tuple[float, float]) -> None:
        """Draw every curve once for each of these.

        Args:
            names: Of the sessions; ("",) for one.
            core: The part, in seconds, in which a curve must have values to be
                named where several are compared; the rest is of other steps.
        """
        self.layers = tuple(names)
        self._core = core

    def make(self, panel: Panel, tokens: Tokens) -> list[Line | None]:
        """Make the curves of a panel anew; get the lines that they can take over."""
        lines = [one.whole for one in self.drawn]
        self.drawn = [
            self._make(tokens, curve, layer)
            for layer in range(len(self.layers))
            for curve in panel.curves
        ]
        return lines if len(lines) == len(self.drawn) else []

    def _make(self, tokens: Tokens, curve: Curve, layer: int) -> PlotCurve:
        name = self.layers[layer]
        if self.are_several:  # the colour tells the session, the style the quantity
            drawn = PlotCurve(curve, tokens.trace(layer), curve.colour, name)
        else:
            style = curve.colour // len(tokens.traces)
            drawn = PlotCurve(curve, tokens.trace(curve.colour), style, name)
        drawn.set_limit(self._limit)
        return drawn

    def set_lines(self, lines: Sequence[Line | None]) -> None:
        """Draw these, one a curve; of two that are compared none that is empty."""
        for one, line in zip(self.drawn, lines, strict=True):
            one.set_line(line)
        for one in self.drawn:
            one.look_between(*self._core)
            one.set_listed(not self.are_several or one.has_values)

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

    def show_values(
        self, at: float, unit: str, current: Mapping[str, float] | None
    ) -> list[str]:
        """Show the values at a moment, or the current ones; one text a curve."""
        return [one.show_value(at, unit, current) for one in self.drawn]
