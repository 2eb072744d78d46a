"""What a plot can be told: curves to draw, and how values are put on the axis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from app.ui.chart.plot_curve import PlotCurve


@dataclass(frozen=True, slots=True)
class Scaling:
    """How values are put on the axis of a plot.

    Attributes:
        log: Whether by their decimal logarithms.
        fixed: Lowest and highest value that the user wants; None fits the axis to
            what is shown.
    """

    log: bool = False
    fixed: tuple[float, float] | None = None


FITTED = Scaling()


class PlotMenu(QMenu):
    """Offers the curves of a plot, its axis, and the plot alone.

    Args:
        parent: The row.
        curves: Gives its curves.
        scaling: Gives how its values are put on the axis.
        hide: Hides or shows a curve.
        scale: Puts the values on the axis otherwise.
        fill: Shows the plot alone, or all of them again.
        is_full: Tells whether it is alone.
        more: Offers more, at the end.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        curves: Callable[[], Sequence[PlotCurve]],
        scaling: Callable[[], Scaling],
        hide: Callable[[PlotCurve], object],
        scale: Callable[[Scaling], object],
        fill: Callable[[], object],
        is_full: Callable[[], bool],
        more: Callable[[QMenu], object] = lambda _: None,
    ) -> None:
        super().__init__(parent)
        self._curves, self._scaling, self._is_full = curves, scaling, is_full
        self._hide, self._scale, self._fill, self._more = hide, scale, fill, more
        self.aboutToShow.connect(self._offer)

    def _offer(self) -> None:
        self.clear()
        scaling = self._scaling()
        for curve in (one for one in self._curves() if one.is_listed):
            action = self.addAction(QIcon(curve.entry.sample), curve.entry.label)
            action.setCheckable(True)
            action.setChecked(not curve.is_hidden)
            action.triggered.connect(lambda _=False, one=curve: self._hide(one))
        self.addSeparator()
        log = replace(scaling, log=not scaling.log)
        self._tick("&Logarithmic axis", scaling.log, lambda: self._scale(log))
        self._tick("&Range of values...", scaling.fixed is not None, self._ask_range)
        fitted = replace(scaling, fixed=None)
        fit = self.addAction("&Fit to the values")
        fit.setEnabled(scaling.fixed is not None)
        fit.triggered.connect(lambda: self._scale(fitted))
        self.addSeparator()
        self._tick("This chart &alone", self._is_full(), self._fill)
        self._more(self)

    def _tick(self, text: str, ticked: bool, act: Callable[[], object]) -> QAction:
        action = self.addAction(text)
        action.setCheckable(True)
        action.setChecked(ticked)
        action.triggered.connect(lambda _=False: act())
        return action

    def _ask_range(self) -> None:
        """Ask for the lowest and the highest value, with a blank or "to" between."""
        scaling = self._scaling()
        known = scaling.fixed
        text = f"{known[0]:g} to {known[1]:g}" if known else ""
        question, wrong = "Lowest and highest value, such as 1 to 500:", ""
        while True:
            text, is_meant = QInputDialog.getText(
                self.parentWidget(), "Range of values", f"{wrong}{question}", text=text
            )
            if not is_meant:
                return
            wanted = parse_range(text, log=scaling.log)
            if wanted is not None:
                self._scale(replace(scaling, fixed=wanted))
                return
            above = " above 0" * scaling.log
            wrong = f'"{text}" is not a range{above}.\n'


def parse_range(text: str, *, log: bool) -> tuple[float, float] | None:
    """Read two values, the lower one first; None where these are none.

    Args:
        text: As "0 to 500" or "0 500".
        log: Whether both have to be above 0.
    """
    try:
        low, high = (float(part) for part in text.replace("to", " ").split())
    except ValueError:
        return None
    is_range = -1e300 < low < high < 1e300 and (low > 0 or not log)
    return (low, high) if is_range else None
