"""When a run starts, in which length, and what is run when it has ended."""

import shlex
from collections.abc import Sequence
from datetime import datetime, timedelta

from PySide6.QtCore import QDateTime, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDateTimeEdit,
    QLabel,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from app.ui.kit.combo_box import ComboBox
from app.ui.kit.entry_form import EntryForm
from instruments.errors import BadInput

_MOST = 100_000


class WhenFields(QWidget):
    """The fields; those of one row each are added to a form.

    Signals:
        changed: The run is to be of another length.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.hide()  # A holder: its fields stand in the form.
        self.when = ComboBox()
        self.when.addItems(["Now", "At a time"])
        self.when.setAccessibleName("Start")
        self.when.setToolTip("Start it now, or let it wait (Alt+W)")
        soon = datetime.now().astimezone() + timedelta(hours=1)
        self.at = QDateTimeEdit(QDateTime.fromSecsSinceEpoch(round(soon.timestamp())))
        self.at.setDisplayFormat("ddd yyyy-MM-dd HH:mm")
        self.at.setCalendarPopup(True)
        self.at.setAccessibleName("Time of the start")
        self.at.setToolTip("When it starts; local time")
        self.at.setEnabled(False)
        self.when.currentIndexChanged.connect(self._choose)
        self.go_on = QCheckBox("even after a failure")
        self.go_on.setChecked(True)
        self.go_on.setToolTip(
            "Start even if the previous run did not pass; after a run that was stopped "
            "it waits in any case"
        )
        self.shorten = QSpinBox()
        self.shorten.setRange(1, _MOST)
        self.shorten.setPrefix("times / ")
        self.shorten.setSpecialValueText("no, full times")
        self.shorten.setAccessibleName("Rehearsal: times divided by")
        self.shorten.setToolTip(
            "A rehearsal divides all times by this; its values mean nothing (Alt+H)"
        )
        self.shorten.valueChanged.connect(self.changed)
        self.then = QLineEdit()
        self.then.setPlaceholderText("A command, when it has ended")
        self.then.setAccessibleName("Command at the end")
        self.then.setToolTip(
            "Run without a shell, and not after a stop; BAYSCOPE_VERDICTS, "
            "BAYSCOPE_SESSIONS and "
            "BAYSCOPE_EXIT_CODE are set in its environment"
        )

    def add_to(self, form: EntryForm) -> None:
        """Add the rows to a form."""
        form.add_row("Start &when", self.when, self.at, self.go_on, buddy=self.when)
        rehearsal = QLabel("Re&hearsal")
        rehearsal.setBuddy(self.shorten)
        form.add_fields(
            "Then ru&n", {self.then: "the command"}, rehearsal, self.shorten
        )

    def show_waits(self, *, waits: bool) -> None:
        """Name the first choice for a run that waits for another, or does not."""
        self.when.setItemText(0, "When its turn comes" if waits else "Now")

    def show_choices(
        self, at: datetime | None, shorten: float, then: Sequence[str], *, go_on: bool
    ) -> None:
        """Show what was chosen before; a time that is past is asked for again."""
        self.when.setCurrentIndex(0 if at is None else 1)
        if at is not None:
            self.at.setDateTime(QDateTime.fromSecsSinceEpoch(round(at.timestamp())))
        self.shorten.setValue(round(shorten))
        self.then.setText(shlex.join(then))
        self.go_on.setChecked(go_on)

    @Slot(int)
    def _choose(self, index: int) -> None:
        self.at.setEnabled(index == 1)

    @property
    def moment(self) -> datetime | None:
        """When it starts; None for now, or its turn."""
        if self.when.currentIndex() == 0:
            return None
        return datetime.fromtimestamp(
            self.at.dateTime().toSecsSinceEpoch()
        ).astimezone()

    def read(self) -> tuple[datetime | None, tuple[str, ...]]:
        """Read time and command.

        Raises:
            BadInput: The time is past, or there is no such program.
        """
        from app.operations.queueing import parse_command  # noqa: PLC0415

        moment = self.moment
        if moment is not None and moment <= datetime.now().astimezone():
            raise BadInput(
                "the time of the start is past",
                where="Start when",
                way_out="Choose a later time, or start it now.",
            )
        text = self.then.text().strip()
        return moment, tuple(parse_command(text, "Then run")) if text else ()
