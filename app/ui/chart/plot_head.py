"""The title row of a plot: quantity, legend, menu, and whether it is simulated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from PySide6.QtCore import QEvent, QSize, Signal, Slot
from PySide6.QtGui import QAction, QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLayout,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.ui.chart.legend import LegendEntry
from app.ui.chart.plot_curve import PlotCurve
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.labels import make_chip
from app.ui.kit.widgets import row
from instruments.sizes import counted


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


_SPACING = 14
_LEAST = 60
"""Pixels in which a name that is cut off still says something."""


class LegendRow(QWidget):
    """Shows as many entries as fit beside each other, and a button for the others.

    Where not all fit with their values they are shown without if all fit then, or none
    would otherwise, or none has a value now.
    """

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[LegendEntry] = []
        self._shown = 0
        self.more = QToolButton()
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setObjectName("more")
        menu = QMenu(self.more)
        menu.aboutToShow.connect(self._list_all)
        self.more.setMenu(menu)
        self.more.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_SPACING)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._row.addWidget(self.more)
        self._row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def shown(self) -> int:
        """How many entries have found room."""
        return self._shown

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show these entries and no others."""
        for old in self._entries:
            self._row.removeWidget(old)
            old.deleteLater()
        self._entries = list(entries)
        for number, entry in enumerate(entries):
            self._row.insertWidget(number, entry)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See how many fit now."""
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        """See how many fit when a value has become longer."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        """Hide what does not fit; the button counts it."""
        listed = [one for one in self._entries if one.is_listed]
        widths = self._widths(listed)
        count = self._shown = len(widths)
        left = len(listed) - count
        for entry, width in zip(listed, widths, strict=False):
            entry.set_width(width)
        for number, entry in enumerate(listed):
            if entry.isHidden() == (number < count):
                entry.setVisible(number < count)
        if left:
            self._name_button(left)
        if self.more.isHidden() == bool(left):
            self.more.setVisible(bool(left))

    def _widths(self, entries: Sequence[LegendEntry]) -> list[int]:
        """Get how wide the first entries are, as many as are shown."""
        whole = self._fitting([one.room for one in entries])
        if len(whole) == len(entries):
            return whole
        names = self._fitting([one.label_room for one in entries])
        is_silent = not whole or not any(one.value for one in entries)
        if len(names) == len(entries) or (names and is_silent):
            return names
        left = self.width() - self._button_width(len(entries)) - _SPACING
        return whole or ([left] if left >= _LEAST else [])

    def _fitting(self, widths: Sequence[int]) -> list[int]:
        """Get those of the first that fit, beside the button where not all do."""
        ends = list(accumulate(width + _SPACING for width in widths))
        if not ends or ends[-1] - _SPACING <= self.width():
            return list(widths)
        room = self.width() - self._button_width(len(widths))
        return list(widths[: sum(end <= room for end in ends)])

    def _button_width(self, count: int) -> int:
        """Get how wide it is with a number, without writing it.

        Another text asks for another layout, which would ask for this again.
        """
        text = self.more.fontMetrics().horizontalAdvance
        around = self.more.sizeHint().width() - text(self.more.text())
        return around + text(f"+{count}")

    def _name_button(self, count: int) -> None:
        text = f"+{count}"
        if self.more.text() != text:
            self.more.setText(text)
            curves = counted(count, "more curve")
            self.more.setAccessibleName(curves)
            self.more.setToolTip(f"{curves}: show all with their values")

    @Slot()
    def _list_all(self) -> None:
        menu = self.more.menu()
        menu.clear()
        for entry in (one for one in self._entries if one.is_listed):
            text = f"{entry.label}\t{entry.value}".strip()
            action = menu.addAction(QIcon(entry.sample), text.replace("&", "&&"))
            action.setIconVisibleInMenu(True)
            action.triggered.connect(entry.clicked)


_HEIGHT = 28


class PlotHead(QWidget):
    """A chooser, one legend entry a curve, and the "simulated" label.

    Attributes:
        legend: The entries.

    Signals:
        chosen: The quantity with this number is wanted.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._chooser = ComboBox()
        self._chooser.currentTextChanged.connect(self._chooser.fit)
        self._chooser.setToolTip("Choose the quantity of this chart")
        self._chooser.setObjectName("quantity")
        # With one quantity there is nothing to choose, only something to say.
        self._only = QLabel("")
        self._only.setObjectName("quantity")
        self._chooser.activated.connect(self.chosen)
        self._simulated = make_chip(
            "simulated", "These values come from a simulator, not a device"
        )
        self.legend = LegendRow()
        self.menu_button = QToolButton()
        self.menu_button.setObjectName("more")
        self.menu_button.setText("\N{HORIZONTAL ELLIPSIS}")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setToolTip("Curves, value axis, chart alone (right click)")
        parts = (
            self._only,
            self._chooser,
            self.legend,
            self._simulated,
            self.menu_button,
        )
        row(*parts, of=self, grows=self.legend, margins=(12, 0, 14, 0), spacing=14)
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def offer(self, row: str, titles: Sequence[str]) -> None:
        """Offer the quantities of a row; the first one is chosen."""
        self._chooser.clear()
        self._chooser.addItems(list(titles))
        self._chooser.setAccessibleName(f"{row}: quantity shown")
        self.menu_button.setAccessibleName(f"{row}: chart menu")
        self._only.setText(titles[0])
        self._only.setVisible(len(titles) == 1)
        self._chooser.setVisible(len(titles) > 1)

    def choose(self, index: int) -> None:
        """Show another quantity as chosen, without a signal."""
        self._chooser.setCurrentIndex(index)

    def set_simulated(self, simulated: bool) -> None:
        """Show or hide the label."""
        self._simulated.setVisible(simulated)

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Show these entries and no others."""
        self.legend.set_entries(entries)
