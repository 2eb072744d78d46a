"""Changes the layout of charts: by their menus, by dragging, by a dialog."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from app.report.chart.layout import Arranger, Layout, OwnChart, OwnCurve
from app.ui.chart.chart import Chart
from app.ui.chart.layout.dialog import CurveDialog
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.plot_curve import PlotCurve
from app.ui.chart.plot_row import PlotRow
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from instruments.errors import BadInput, BenchError, one_line
from instruments.reading import Channel


class LayoutEditor(QObject):
    """Knows the charts, and which of the layout each of them is.

    Args:
        context: What the parts of the window share.
        chart: The charts.
        layouts: What they are arranged by.
        parent: The pane.
    """

    def __init__(
        self, context: Context, chart: Chart, layouts: Layouts, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._chart = chart
        self._layouts = layouts
        self._window = parent
        chart.plots.offer_edits = self._offer
        chart.plots.dropped.connect(self.drop)

    @property
    def arranger(self) -> Arranger | None:
        """What knows the channels of the session that is shown, None without one."""
        layers = self._chart.layers
        return layers[0].arranger if len(layers) == 1 else None

    @property
    def charts(self) -> list[str]:
        """Names of the charts, from top to bottom."""
        return [row.panel.title for row in self._chart.rows]

    def attempt(self, act: Callable[[], object]) -> None:
        """Do something with layouts; say why where it cannot be done."""
        try:
            act()
        except BenchError as error:
            self._context.background.failed.emit(error)

    def _now(self) -> tuple[Layout, tuple[int, ...]]:
        """Get what is shown as a layout, and which chart of it each row is."""
        rows, current = self._chart.rows, self._layouts.current
        if current is None or self.arranger is None:
            charts = tuple(OwnChart(panel=row.panel.title) for row in rows)
            return Layout("", charts), tuple(range(len(rows)))
        places = self.arranger.arrange(current).places
        for place, row in zip(places, rows, strict=True):
            chart = current.charts[place]
            if len(row.row.panels) > 1 and chart.panel != row.panel.title:
                chosen = replace(chart, panel=row.panel.title)
                current = current.with_chart(place, chosen)
        return current, places

    def _take(self, layout: Layout) -> None:
        """Show a layout, unless something new of it does not go.

        Raises:
            BadInput: Why it does not.
        """
        if self.arranger is not None:
            before = self.arranger.arrange(self._now()[0]).lacking
            for said in self.arranger.arrange(layout).lacking:
                if said not in before:
                    raise BadInput(said.rstrip("."))
        self._layouts.show(layout)

    def add(self, curves: Sequence[OwnCurve], row: int) -> None:
        """Put curves into the chart of a row; behind the last row into a new one."""

        def act() -> None:
            layout, places = self._now()
            arranger = self.arranger
            if arranger is None or not curves:
                return
            if row < len(places):
                place = places[row]
                chart = layout.charts[place]
                changed = replace(chart, curves=(*chart.curves, *curves))
            else:
                place = len(layout.charts)
                title = one_line(arranger.curve(curves[0]).label)
                changed = OwnChart(title, curves=tuple(curves))
            self._take(layout.with_chart(place, changed))

        self.attempt(act)

    @Slot(object, object)
    def drop(self, plot: PlotRow, names: Sequence[str]) -> None:
        """Put channels into the chart that they were dropped on."""
        self.add([OwnCurve((name,)) for name in names], self._chart.rows.index(plot))

    def ask(self, row: int, of: Sequence[Channel] | None = None) -> None:
        """Ask for a curve, and put it into the chart of a row or a new one.

        Args:
            row: The row.
            of: Channels that it is to be computed of; None for one as it was measured.
        """
        if self.arranger is None:
            return
        dialog = CurveDialog(
            self.arranger, self.charts, row, self._context, self._window
        )
        if of is not None:
            dialog.compute(of)
        with shown(dialog) as answer:
            if answer.result() == CurveDialog.DialogCode.Accepted:
                self.add(answer.curves, answer.chart.currentIndex())

    def remove(self, row: int, curve: PlotCurve) -> None:
        """Take a curve out of its chart; without any the chart goes."""
        layout, places = self._now()
        arranger, place = self.arranger, places[row]
        if arranger is None:
            return
        chart, key = layout.charts[place], curve.curve.key

        def is_it(own: OwnCurve) -> bool:
            try:
                return arranger.curve(own).key == key
            except BadInput:
                return False

        left = tuple(own for own in chart.curves if not is_it(own))
        if len(left) == len(chart.curves):
            chart = replace(chart, without=(*chart.without, key))
        changed = layout.with_chart(place, replace(chart, curves=left))
        is_last = len(self._chart.rows[row].drawn) == 1
        self._layouts.show(layout.without_chart(place) if is_last else changed)

    def delete(self, row: int) -> None:
        """Take a chart away."""
        layout, places = self._now()
        self._layouts.show(layout.without_chart(places[row]))

    def move(self, row: int, by: int) -> None:
        """Put a chart higher (-1) or lower (1)."""
        layout, places = self._now()
        self._layouts.show(layout.moved(places[row], by))

    def rename(self, row: int) -> None:
        """Ask for another name of a chart."""
        layout, places = self._now()
        chart = layout.charts[places[row]]
        name, is_meant = QInputDialog.getText(
            self._window, "Rename chart", "Name of the chart:", text=chart.name
        )
        if is_meant and name.strip():
            named = replace(chart, title=one_line(name.strip())[:80])
            self._layouts.show(layout.with_chart(places[row], named))

    def _offer(self, plot: PlotRow, menu: QMenu) -> None:
        """Offer how a chart may be changed."""
        if self.arranger is None:
            return
        row = self._chart.rows.index(plot)
        menu.addSeparator()
        menu.addAction("Add &curve...", lambda: self.ask(row))
        removing = menu.addMenu("&Remove curve")
        for curve in (one for one in plot.drawn if one.is_listed):
            label = curve.entry.label.replace("&", "&&")
            removing.addAction(label, partial(self.remove, row, curve))
        menu.addSeparator()
        menu.addAction("&New chart...", lambda: self.ask(len(self._chart.rows)))
        menu.addAction("R&ename chart...", lambda: self.rename(row))
        up = menu.addAction("Move &up", lambda: self.move(row, -1))
        up.setEnabled(row > 0)
        down = menu.addAction("Move &down", lambda: self.move(row, 1))
        down.setEnabled(row + 1 < len(self._chart.rows))
        gone = menu.addAction("Dele&te chart", lambda: self.delete(row))
        gone.setEnabled(len(self._chart.rows) > 1)
