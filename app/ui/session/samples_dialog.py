"""Which samples of a session are written to files, as what, and where to."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QWidget,
)

from app.operations.sessions.samples import FORMATS, Written, export_samples
from app.report.samples.choice import Choice
from app.ui.chart.part import Part
from app.ui.kit.background import Background
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.option_field import CalmCombo
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    FolderField,
    column,
    make_button,
    make_form,
    make_note,
    named,
    row,
)
from instruments.errors import Aborted, BenchError, printable
from instruments.reading import SECOND, Channel
from instruments.sizes import counted

_GRIDS = {
    "As they were read": 0.0,
    "Means of 100 ms": 0.1,
    "Means of 1 s": 1.0,
    "Means of 5 s": 5.0,
    "Means of 10 s": 10.0,
    "Means of 1 min": 60.0,
    "Means of 10 min": 600.0,
}
_LIST_HEIGHT, _WIDTH = 190, 560
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


@dataclass(frozen=True, slots=True)
class Offer:
    """What there is to choose from.

    Attributes:
        path: The session.
        channels: All of its channels.
        shown: Names of those that the charts show.
        parts: Stretches of time; the first one is chosen.
    """

    path: Path
    channels: Sequence[Channel]
    shown: frozenset[str]
    parts: Sequence[Part]


class SamplesWork(QObject):
    """Writes samples once, off the GUI thread; it can be cancelled.

    Signals:
        told: How many channels are done, and of how many.
        done: They are written (Written).
        failed: They are not, with this exception; Aborted when it was cancelled.
    """

    told = Signal(int, int)
    done = Signal(object)
    failed = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._cancel = threading.Event()

    def start(
        self, path: Path, formats: Sequence[str], to: Path, choice: Choice
    ) -> None:
        """Begin."""
        cancel, told = self._cancel, self.told.emit

        def tell(done: int, total: int) -> None:
            if cancel.is_set():
                raise Aborted("the export was cancelled")
            told(done, total)

        self._background.run(
            lambda: export_samples(path, formats, to, choice, told=tell),
            self.done.emit,
            self.failed.emit,
            lasting=True,
        )

    def cancel(self) -> None:
        """Give up after the channel that is written now."""
        self._cancel.set()


class ChannelList(QWidget):
    """The channels with a tick each, a filter above and three buttons.

    Signals:
        changed: Others are ticked.
    """

    changed = Signal()

    def __init__(self, offer: Offer) -> None:
        super().__init__()
        self._channels, self._shown = offer.channels, offer.shown
        self.filter = named(QLineEdit(), "Filter of channels")
        self.filter.setPlaceholderText("Filter, such as mains.* or temperature")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter)
        self.list = named(QListWidget(), "Channels")
        self.list.setMinimumHeight(_LIST_HEIGHT)
        self.list.setUniformItemSizes(True)
        for channel in offer.channels:
            unit = f"   {channel.printed_unit}" if channel.unit else ""
            item = QListWidgetItem(printable(f"{channel.name}{unit}"), self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(_CHECKED)
        self.list.itemChanged.connect(self.changed)
        buttons = (
            make_button("&All", "Tick all listed channels", lambda: self._tick(None)),
            make_button(
                "&None",
                "Untick all listed channels",
                lambda: self._tick(frozenset()),
            ),
            make_button(
                "In the &charts",
                "Tick those that the charts show now",
                lambda: self._tick(self._shown),
            ),
        )
        head = row(self.filter, *buttons, grows=self.filter, spacing=6)
        column(head, self.list, of=self, grows=self.list, spacing=6)

    @property
    def chosen(self) -> list[Channel]:
        """The channels that are ticked."""
        return [
            channel
            for line, channel in enumerate(self._channels)
            if self.list.item(line).checkState() == _CHECKED
        ]

    def _tick(self, names: frozenset[str] | None) -> None:
        self.list.blockSignals(True)
        for line, channel in enumerate(self._channels):
            item = self.list.item(line)
            if not item.isHidden():
                wanted = names is None or channel.name in names
                item.setCheckState(_CHECKED if wanted else _UNCHECKED)
        self.list.blockSignals(False)
        self.list.viewport().update()
        self.changed.emit()

    @Slot(str)
    def _filter(self, text: str) -> None:
        wanted = text.strip().lower()
        pattern = wanted if "*" in wanted else f"*{wanted}*"
        for line, channel in enumerate(self._channels):
            fits = fnmatchcase(channel.name.lower(), pattern)
            self.list.item(line).setHidden(not fits)


class SamplesDialog(QDialog):
    """Asks for channels, a stretch of time, a grid, formats and a folder, and writes.

    Attributes:
        channels: The channels.
        part: The stretches of time.
        grid: Whether they are averaged.
        formats: The formats by their names.
        folder: Where to.
        buttons: Export and Cancel.

    Signals:
        written: The samples are written (Written).
    """

    written = Signal(object)

    def __init__(self, offer: Offer, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export samples")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._offer = offer
        self._work: SamplesWork | None = None
        self._background = background
        self.channels = ChannelList(offer)
        self.part = named(CalmCombo(), "Time span")
        for one in offer.parts:
            span = "" if one.is_whole else f": {one.span_text}"
            self.part.addItem(printable(f"{one.label}{span}"))
        self.grid = named(CalmCombo(), "Grid")
        self.grid.addItems(list(_GRIDS))
        self.grid.setToolTip(
            "Cells without a sample stay blank; sound levels are averaged by energy"
        )
        self.formats = {name: QCheckBox(text) for name, text in FORMATS.items()}
        self.formats["csv"].setChecked(True)
        self.folder = FolderField(offer.path.parent, "Folder of the files")
        self.amount = make_note(name="Size of the export")
        self.mistake = make_note("", "mistake", name="Mistake")
        self.mistake.hide()
        self.progress = named(QProgressBar(), "Progress of the export")
        self.progress.hide()
        self.buttons = DialogButtons(self, "Export")
        self.buttons.accepted.disconnect()
        self.buttons.accepted.connect(self._begin)
        self._build()
        self.channels.changed.connect(self._check)
        self.part.currentIndexChanged.connect(self._check)
        self.grid.currentIndexChanged.connect(self._check)
        for box in self.formats.values():
            box.toggled.connect(self._check)
        self._check()

    def _build(self) -> None:
        form = make_form(vertical=9)
        for text, widget in (("&Time", self.part), ("&Samples", self.grid)):
            form.addRow(text, widget)
        boxes = QWidget()
        column(*self.formats.values(), of=boxes, spacing=4)
        form.addRow("As", boxes)
        self.folder.add_to(form)
        self._fields = QWidget()
        column(self.channels, form, of=self._fields, grows=self.channels, spacing=12)
        heading = named(ElidedLabel(self._offer.path.name), "", look="muted")
        parts = (heading, self._fields, self.amount, self.mistake, self.progress)
        column(
            *(*parts, self.buttons),
            of=self,
            margins=DIALOG_MARGINS,
            grows=self._fields,
            spacing=12,
        )
        self.setMinimumWidth(_WIDTH)

    @property
    def choice(self) -> Choice:
        """Which samples are chosen."""
        part = self._offer.parts[self.part.currentIndex()]
        chosen = self.channels.chosen
        every = len(chosen) == len(self._offer.channels)
        return Choice(
            () if every else [channel.name for channel in chosen],
            from_s=0.0 if part.is_whole else max(0.0, part.start),
            until_s=None if part.is_whole else part.end,
            grid_ns=round(_GRIDS[self.grid.currentText()] * SECOND) or None,
        )

    @Slot()
    def _check(self) -> None:
        """Say about how much it is, and whether there is anything to write."""
        formats = [name for name, box in self.formats.items() if box.isChecked()]
        chosen = self.channels.chosen
        part = self._offer.parts[self.part.currentIndex()]
        seconds = part.end - part.start
        width = _GRIDS[self.grid.currentText()]
        count = sum(
            max(1, round(seconds / (width or one.period_ns / SECOND))) for one in chosen
        )
        about = counted(len(chosen), "channel")
        self.amount.setText(
            f"{about}, up to about {count:,} values" if chosen else about
        )
        self.buttons.yes.setEnabled(bool(formats and chosen))

    @Slot()
    def _begin(self) -> None:
        self.mistake.hide()
        try:
            choice, folder = self.choice, self.folder.path
        except BenchError as error:
            self._fail(error)
            return
        formats = [name for name, box in self.formats.items() if box.isChecked()]
        self._set_busy(busy=True)
        self._work = SamplesWork(self._background, self)
        self._work.told.connect(self._tell)
        self._work.done.connect(self._finish)
        self._work.failed.connect(self._fail)
        self._work.start(self._offer.path, formats, folder, choice)

    @Slot(int, int)
    def _tell(self, done: int, total: int) -> None:
        self.progress.setMaximum(max(1, total))
        self.progress.setValue(done)

    @Slot(object)
    def _finish(self, written: Written) -> None:
        self._work = None
        self.written.emit(written)
        self.accept()

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self._work = None
        self._set_busy(busy=False)
        if isinstance(error, BenchError):
            self.mistake.setText(str(error))
            self.mistake.show()
        else:
            self._background.failed.emit(error)

    def _set_busy(self, *, busy: bool) -> None:
        self._fields.setEnabled(not busy)
        self.buttons.yes.setEnabled(not busy)
        self.progress.setVisible(busy)
        self.progress.setMaximum(0)

    def reject(self) -> None:
        """Cancel the export where one goes on, else close."""
        if self._work is not None:
            self._work.cancel()
        else:
            super().reject()
