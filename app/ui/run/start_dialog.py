"""What to run, on which bench, and what has to be typed before it starts."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QScrollArea,
    QWidget,
)

from app.bench.model import Bench
from app.plan.campaign import Campaign
from app.ui.bench.target.picker import pick_target
from app.ui.kit.context import Context
from app.ui.kit.widgets import DIALOG_MARGINS, column, make_note, row
from app.ui.run.control import RunPlan
from app.ui.run.preflight_start import StartPreflight
from app.ui.run.start_checks import StartChecks
from app.ui.run.start_form import StartForm
from instruments.errors import BenchError, one_line

_SETTLED_MS = 20
_TITLE_BAR = 40


class DialogHeight(QObject):
    """Fits a dialog to its texts, up to the whole screen; adjustSize stops at 2/3.

    Args:
        dialog: The dialog.
        form: The part of it whose texts wrap, with a grid.
    """

    def __init__(self, dialog: QDialog, form: QWidget) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        self._form = form
        self._area: QScrollArea | None = None
        # Not before the layouts know of another text.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_SETTLED_MS)
        self._later.timeout.connect(self._fit)

    def fit(self) -> None:
        """Fit it in a moment."""
        self._later.start()

    def scroll(self, part: QWidget) -> QScrollArea:
        """Let a part of the dialog scroll where the screen is too low for all of it."""
        self._area = area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(part)
        return area

    @Slot()
    def _fit(self) -> None:
        dialog, form, layout = self._dialog, self._form, self._dialog.layout()
        if layout is None:
            return
        room = dialog.screen().availableSize().height() - _TITLE_BAR
        form.setMinimumHeight(0)
        layout.activate()
        # -1 where nothing wraps; the least height would squeeze fields by some pixels.
        height = max(
            layout.totalHeightForWidth(dialog.width()), layout.totalSizeHint().height()
        )
        part = self._area.widget() if self._area is not None else None
        if self._area is not None and part is not None:
            wanted = max(part.heightForWidth(part.width()), part.sizeHint().height())
            height += wanted - self._area.sizeHint().height()
        dialog.resize(dialog.width(), min(height, room))
        # Its grid gives a text that wraps more than it has counted for it.
        missing = form.childrenRect().bottom() + 1 - form.height()
        if missing > 0:
            form.setMinimumHeight(form.height() + missing)
            dialog.resize(dialog.width(), min(height + missing, room))


_WIDTH, _LINES_WIDTH = 1160, 450
"""Pixels of the dialog, and of the pre-flight at its right; where the screen has less,
that stands below."""
_NARROW = 760
_TITLES = {True: "Queue a run", False: "Start run"}
"""By whether it waits for another."""


class StartDialog(QDialog):
    """Asks for campaign, target, folder and sources; all have a default.

    Start waits until a disk that is overwritten is armed, and a bucket with data named.
    Pressed while the campaign file is read, it is remembered until that is done.

    Args:
        bench: The bench to run on.
        out: Folder of the session file.
        context: What the parts of the window share.
        campaigns: What is offered; the first is chosen.
        parent: The window that waits.
        last: The campaign file to choose instead, where there is one.
        waits: Whether another run goes on, so that this one waits for its turn.

    Attributes:
        form: The choices.
        checks: What is found out about them.
        preflight: Whether the result will be valid.
        reason: Why the run cannot start as it stands.
    """

    def __init__(
        self,
        bench: Bench,
        out: Path,
        context: Context,
        *,
        campaigns: Sequence[Campaign],
        parent: QWidget | None = None,
        last: Path | None = None,
        waits: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(_TITLES[waits])
        self._waits = waits
        self._bench = bench
        self._context = context
        self._plan: RunPlan | None = None
        self._again: RunPlan | None = None
        self._awaited: Path | None = None  # the file that starts once it is read
        self.form = StartForm(bench, out, context, campaigns)
        self.checks = StartChecks(context, self)
        self.preflight = StartPreflight(self.form, context, self, later=waits)
        self.form.when.show_waits(waits=waits)
        self.form.when.when.currentIndexChanged.connect(self._defer)
        self.reason = make_note(name="What is missing")
        self.buttons = QDialogButtonBox()
        self._height = DialogHeight(self, self.form)
        self._build()
        self._defer()
        self.form.changed.connect(self._check)
        self.form.target.button.clicked.connect(self._aim)
        self.checks.changed.connect(self._allow)
        self.preflight.changed.connect(self._allow)
        self.preflight.target_wanted.connect(self._aim)
        self.preflight.left.connect(self.reject)
        self.form.describe()
        if last is not None:
            self.form.campaigns.add(last)

    def _build(self) -> None:
        self.form.add_row("Estimate", self.checks.estimate)
        self._build_buttons()
        bottom = row(self.reason, self.buttons, grows=self.reason, spacing=14)
        parts = (self.form, self.checks.arming, self.checks.erase, None)
        choices = column(*parts, spacing=12)
        room = self.screen().availableSize().width()
        wide = room >= _WIDTH
        ways = QBoxLayout.Direction
        inner = QWidget()
        middle = QBoxLayout(ways.LeftToRight if wide else ways.TopToBottom, inner)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(18)
        middle.addLayout(choices, 1)
        middle.addWidget(self.preflight.panel)
        if wide:
            self.preflight.panel.setFixedWidth(_LINES_WIDTH)
        else:
            inner = self._height.scroll(inner)
        margins = DIALOG_MARGINS
        column(inner, bottom, of=self, grows=inner, margins=margins, spacing=12)
        self.setMinimumWidth(_WIDTH if wide else min(_NARROW, room))
        # Only now, in its dialog: before, the box would give Cancel the Enter key.
        self._start.setDefault(True)
        self._start.setFocus()

    def _build_buttons(self) -> None:
        roles = QDialogButtonBox.ButtonRole
        self._start = self.buttons.addButton("Start", roles.AcceptRole)
        self._start.setIcon(self._context.icons.get("play", "accent_text"))
        self._start.setToolTip("Start recording (Enter)")
        self._cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        self._cancel.setToolTip("Start nothing (Escape)")
        self._cancel.setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @property
    def plan(self) -> RunPlan | None:
        """What was asked for, once the dialog was accepted."""
        return self._plan

    @property
    def error(self) -> str:
        """The sentence about what cannot be started, "" without one."""
        return self.form.complaint

    def set_plan(self, plan: RunPlan, error: BenchError | None) -> None:
        """Show the choices of a run that did not begin; a disk is armed again."""
        self.form.set_plan(plan, error)
        self._again = plan
        if plan.resume is not None:
            self.setWindowTitle(f"Resume {one_line(plan.resume.name)}")
            self.form.pin(plan.campaign.name)
            self.checks.left = plan.left
            self._check()

    def show_waits(self, *, waits: bool) -> None:
        """Follow another run: it has ended, or one has begun meanwhile."""
        if waits == self._waits:
            return
        self._waits = waits
        if self.windowTitle() == _TITLES[not waits]:
            self.setWindowTitle(_TITLES[waits])
        self.form.when.show_waits(waits=waits)
        self.preflight.show_later(later=waits)
        self._defer()
        self.checks.look_again()  # what has ended uses the disk no longer

    @property
    def _is_later(self) -> bool:
        return self._waits or self.form.when.moment is not None

    @Slot()
    def _defer(self) -> None:
        """Look for what must be free only where the run starts now."""
        self.checks.set_later(later=self._is_later)
        self._allow()

    @Slot()
    def _check(self) -> None:
        """Find out what the choices mean for disk, buckets, time and energy."""
        wish = self.form.wish
        awaited, self._awaited = self._awaited, None
        if wish is None:
            self.checks.forget()
        else:
            self.checks.check(wish)
        self._allow()
        if awaited is not None and awaited == self.form.campaigns.choice.file:
            self._start_read()

    def _start_read(self) -> None:
        """Do what Enter was pressed for, where Enter would do it now as well."""
        is_right = self.form.wish is not None and not self.error
        if is_right and self._start.isEnabled() and self._start.isDefault():
            self.accept()

    @Slot()
    def _allow(self) -> None:
        """Let the run start, or say why it cannot; be as high as what is said."""
        is_being_read = self.form.campaigns.choice.is_being_read
        chosen = self.form.wish is not None
        reason = self.checks.reason if chosen else ""
        self.form.target.show_as_disk(disk=self._is_disk)
        self.reason.setText(reason or self._promise)
        on_buttons = self.focusWidget() in self.buttons.buttons()
        self._start.setEnabled(is_being_read or (chosen and not reason))
        self._name_start(warned=self.preflight.panel.says_stop)
        if on_buttons and reason:
            self.checks.take_focus()
        if self.isVisible():
            self._height.fit()

    @property
    def _promise(self) -> str:
        """What Enter will come to, where its campaign is still being read."""
        if self._awaited is None:
            return ""
        does = "Goes into the queue" if self._is_later else "Starts"
        return f"{does} as soon as {one_line(self._awaited.name)} is read."

    def showEvent(self, event: QShowEvent) -> None:
        """Fit to what was said before it could be seen."""
        super().showEvent(event)
        self._height.fit()
        self.preflight.look()

    def _name_start(self, *, warned: bool) -> None:
        """Let Enter start what will be valid; what will not be wants a click."""
        waits = self._is_later
        text = "Add to queue" if waits else "Start"
        self._start.setText("Start anyway" if warned and not waits else text)
        keys = "Alt+S" if warned else "Enter"
        self._start.setToolTip(f"Start recording ({keys})")
        self._start.setShortcut("Alt+S")  # another text takes it away
        self._start.setIcon(
            self._context.icons.get("play", "text" if warned else "accent_text")
        )
        self._start.setAutoDefault(not warned)
        self._start.setDefault(not warned)
        self._cancel.setDefault(warned)
        if warned and self._start.hasFocus():
            self._cancel.setFocus()

    @property
    def _is_disk(self) -> bool:
        return self.form.target.names_device or self.checks.disk is not None

    @Slot()
    def _aim(self) -> None:
        chosen = pick_target(self._bench, self._context, self, aim=self.form.aim)
        if chosen is not None:
            self.form.target.set_aim(chosen)

    def accept(self) -> None:
        """Take what was entered; a mistake is said and nothing is started."""
        if self.checks.reason and self.form.wish is not None:
            return
        choice = self.form.campaigns.choice
        if choice.is_being_read:
            self._awaited = choice.file
            self._allow()
            return
        plan = self.form.read(disk=self._is_disk)
        if plan is None:
            return
        arming, erase = self.checks.arming.arming, self.checks.erase.erase
        self._plan = replace(
            plan,
            arming=arming,
            erase=erase,
            resume=self._again.resume if self._again else None,
            left=self._again.left if self._again else (),
            confirmed=self._again.confirmed if self._again else "",
            notes=self.preflight.panel.notes,
            after=self.preflight.work.free,
        )
        super().accept()

    def done(self, result: int) -> None:
        """End the pre-flight with the dialog, and start nothing later."""
        self._awaited = None
        self.preflight.work.stop()
        super().done(result)
