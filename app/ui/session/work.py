"""What a user does to a session that is stored: mark a moment, write its report."""

import getpass
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from app.ui.kit.context import Context
from instruments.reading import SECOND

if TYPE_CHECKING:
    from app.operations.sessions.apart import ExportPlan
    from app.operations.sessions.samples import Written
    from app.report.chart.panel import Panel
    from app.ui.chart.chart import Chart
    from app.ui.chart.part import Part
    from app.ui.session.record import Record
    from instruments.reading import Channel

    Answer = tuple[Record, list[Panel], list[Part], list[Channel]]

_SHORT_MS, _LONG_MS = 5_000, 15_000
_MARK_WIDTH = 420


def make_mark_dialog(window: QWidget, moment: str) -> QInputDialog:
    """Make the dialog that asks for a note, wide enough for one."""
    dialog = QInputDialog(window)
    dialog.setWindowTitle("Mark event")
    dialog.setLabelText(f"Note at {moment}:")
    dialog.setMinimumWidth(_MARK_WIDTH)
    dialog.resize(_MARK_WIDTH, dialog.sizeHint().height())
    return dialog


class SessionWork(QObject):
    """Asks, and does it off the GUI thread.

    Signals:
        said: What has been done, or is being done, and for how many milliseconds
            that is worth telling; 0 until something else is said.
        marked: A note has been stored.
    """

    said = Signal(str, int)
    marked = Signal()

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window

    def ask_mark(self, record: "Record", t_ns: int) -> None:
        """Ask for a note and store it at a moment of a session."""
        moment = f"{record.wall_time(t_ns):%H:%M:%S}"
        dialog = make_mark_dialog(self._window, moment)
        try:
            given, text = dialog.exec(), dialog.textValue().strip()
        finally:
            dialog.deleteLater()
        if given and text:
            self.mark(record, t_ns, text)

    def mark(self, record: "Record", t_ns: int, text: str) -> None:
        """Store a note at a moment of a session."""
        # Only now: reading and writing sessions takes numpy.
        from app.record.store import annotate  # noqa: PLC0415

        self._context.background.run(
            lambda: annotate(
                record.path,
                text,
                author=getpass.getuser(),
                realtime_ns=time.time_ns(),
                kind="mark",
                start_ns=t_ns,
            ),
            lambda _: self._tell_mark(text),
            lasting=True,
        )

    def _tell_mark(self, text: str) -> None:
        self.said.emit(f"Marked: {text}", _SHORT_MS)
        self.marked.emit()

    def ask_export(self, path: Path, *, form: str, spread: bool = False) -> None:
        """Ask for formats and write them; the tables look as those on the screen."""
        from app.ui.session.export_dialog import ask_for_export  # noqa: PLC0415

        background = self._context.background
        window = self._window
        plan = ask_for_export([path], background, window, form=form, spread=spread)
        if plan is not None:
            self.write_export(path, plan)

    def ask_samples(self, record: "Record", chart: "Chart") -> None:
        """Ask which samples are wanted, at first what the charts show; write them."""
        now = chart.part.now
        panels = [line.panel for line in chart.rows]
        self._context.background.run(
            lambda: (record, panels, _parts(record, now), record.session.channels()),
            self._show_samples,
            partial(self._give_up_samples, record, chart),
        )

    def _give_up_samples(
        self, record: "Record", chart: "Chart", error: Exception
    ) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        if any(layer.session is record.session for layer in chart.layers):
            self._context.background.failed.emit(error)

    def _show_samples(self, answer: "Answer") -> None:
        from app.ui.session.samples_dialog import Offer, SamplesDialog  # noqa: PLC0415

        record, panels, parts, channels = answer
        shown = frozenset(one.name for panel in panels for one in panel.channels)
        offer = Offer(record.path, channels, shown, parts)
        dialog = SamplesDialog(offer, self._context.background, self._window)
        dialog.written.connect(self._tell_samples)
        dialog.open()

    def _tell_samples(self, written: "Written") -> None:
        told = f"{written.rows:,} rows of samples written to {written.folder}"
        self.said.emit(told, _LONG_MS)

    def ask_import(self, paths: Sequence[Path], folder: Path) -> Path | None:
        """Ask what results made elsewhere are; get the session they become."""
        # Only now: the readers of a dozen formats take a while to import.
        from app.ui.imports.dialog import ask_for_import  # noqa: PLC0415

        return ask_for_import(paths, folder, self._context, parent=self._window)

    def write_export(self, path: Path, plan: "ExportPlan") -> None:
        """Write the files of an export, in another process."""
        # In a separate process: setting pages would hold the window up.
        from app.operations.sessions.apart import export_apart  # noqa: PLC0415

        self.said.emit(f"Exporting {path.name} ...", 0)

        def told(written: list[Path]) -> None:
            names = ", ".join(one.name for one in written)
            self.said.emit(f"Written to {plan.to}: {names}", _LONG_MS)

        self._context.background.run(
            lambda: export_apart([path], plan),
            told,
            self._export_failed,
            lasting=True,
        )

    def _export_failed(self, error: Exception) -> None:
        self.said.emit("", 0)
        self._context.background.failed.emit(error)


def _parts(record: "Record", now: "Part") -> "list[Part]":
    """Find the stretches of time that samples may be of; runs in a worker."""
    # Only now, and here: Arrow takes a while to import, and the charts take numpy.
    import app.operations.sessions.samples  # noqa: F401, PLC0415
    from app.ui.chart.layers import phases_of  # noqa: PLC0415
    from app.ui.chart.part import Part  # noqa: PLC0415

    layer = record.layer
    length = (layer.end - layer.start) / SECOND
    whole = Part(0.0, length, "Whole session", is_whole=True)
    windows = [
        Part(*step.window, f"{step.label}, measured window")
        for step in phases_of(layer)
        if step.window is not None
    ]
    first = () if now.is_whole else (now,)
    return list(dict.fromkeys((*first, whole, *windows)))
