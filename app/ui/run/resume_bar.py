"""What was cut off, offered to go on, and what a start had to put right."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.kit.widgets import column, make_note, row

if TYPE_CHECKING:
    from app.operations.run.resume_offers import CutOff

_LEFT = "left_sessions"
_MOST_LEFT = 50
_ICON = 20
_AGE_MS = 30_000
"""How often the time since a run was cut off is updated."""


class SweptLine(QWidget):
    """What the start had to put right, whole, until it is dismissed.

    Attributes:
        text: A sentence a line.
        dismiss: Lets it go.
    """

    def __init__(self) -> None:
        super().__init__()
        self.text = make_note(look="")
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.dismiss = QPushButton("Dismiss")
        self.dismiss.setToolTip("Mark as read (Ctrl+Shift+D)")
        self.dismiss.setShortcut("Ctrl+Shift+D")
        self.dismiss.clicked.connect(lambda: self.show_told(()))
        row(self.text, self.dismiss, of=self, grows=self.text)
        self.hide()

    def show_told(self, told: Sequence[str]) -> None:
        """Say these sentences, nothing where there are none."""
        self.text.setText("\n".join(told))
        self.setVisible(bool(told))


class ResumeBar(QWidget):
    """Offers one session after the other; one that was left is not offered again.

    Whoever opens such a session is offered it all the same. What the start put right
    is said below until it is dismissed.

    Attributes:
        text: What was cut off.
        go_on: Goes on with it.
        open: Shows it.
        leave: Leaves it as it is.
        swept: What the start put right.

    Signals:
        wanted: The run of this one (Unfinished) is to go on.
        open_wanted: This session (Path) is to be shown.
    """

    wanted = Signal(object)
    open_wanted = Signal(object)

    def __init__(self, context: Context, settings: Settings) -> None:
        super().__init__()
        self._context = context
        self._settings = settings
        self._offers: list[CutOff] = []
        self._quiet = False
        self._icon = QLabel()
        self.text = make_note(look="")
        self.go_on = QPushButton("Resume")
        tip = "Run the remaining steps in the same session (Ctrl+G)"
        self.go_on.setToolTip(tip)
        self.go_on.setShortcut("Ctrl+G")
        self.go_on.setDefault(True)
        self.go_on.clicked.connect(self._want)
        self.open = QPushButton("Show")
        self.open.setToolTip("Show what was recorded (Ctrl+Shift+G)")
        self.open.setShortcut("Ctrl+Shift+G")
        self.open.clicked.connect(self._open)
        self.leave = QPushButton("Do not resume")
        tip = "Leave it as it is, and do not offer it again (Ctrl+Shift+L)"
        self.leave.setToolTip(tip)
        self.leave.setShortcut("Ctrl+Shift+L")
        self.leave.clicked.connect(self._leave)
        self.swept = SweptLine()
        self.swept.dismiss.clicked.connect(self._show)
        self._offer_row = QWidget()
        parts = (self._icon, self.text, self.go_on, self.open, self.leave)
        row(*parts, of=self._offer_row, grows=self.text, spacing=8)
        margins = (14, 6, 10, 6)
        column(self._offer_row, self.swept, of=self, margins=margins, spacing=6)
        self._build_age()
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        context.theme.changed.connect(self.recolour)
        self._show()

    def _build_age(self) -> None:
        """Update how long ago it was, from time to time."""
        age = QTimer(self)
        age.setInterval(_AGE_MS)
        age.timeout.connect(self._show)
        age.start()

    @property
    def offer(self) -> "CutOff | None":
        """What is offered now."""
        return self._offers[0] if self._offers else None

    def look_in(self, folder: Path) -> None:
        """Offer what was cut off in a folder; off the GUI thread."""
        left = self._left()

        def look() -> "list[CutOff]":
            # Only now, and off the GUI thread: it takes all that resumes a run.
            from app.operations.run.resume_offers import all_cut_off  # noqa: PLC0415

            return all_cut_off(folder, left)

        self._context.background.run(look, self._take)

    def look_at(self, path: Path) -> None:
        """Offer this session, where it was cut off; off the GUI thread."""

        def look() -> "CutOff | None":
            from app.operations.run.resume_offers import cut_off  # noqa: PLC0415

            return cut_off(path)

        self._context.background.run(look, self._take_one)

    def show_swept(self, told: Sequence[str]) -> None:
        """Say what was put right, a sentence each; nothing where there was nothing."""
        self.swept.show_told(told)
        self._show()

    def set_quiet(self, *, quiet: bool) -> None:
        """Offer nothing while a run goes on."""
        self._quiet = quiet
        self._show()

    def forget(self, path: Path) -> None:
        """Offer this session no longer: it goes on, or was left."""
        self._offers = [offer for offer in self._offers if offer.path != path]
        self._show()

    @Slot(object)
    def _take(self, found: "Sequence[CutOff]") -> None:
        known = {offer.path for offer in self._offers}
        self._offers += [one for one in found if one.path not in known]
        self._show()

    @Slot(object)
    def _take_one(self, found: "CutOff | None") -> None:
        if found is not None:
            others = [offer for offer in self._offers if offer.path != found.path]
            self._offers = [found, *others]
            self._show()

    def _show(self) -> None:
        offer = self.offer
        self._offer_row.setVisible(offer is not None)
        is_wanted = offer is not None or bool(self.swept.text.text())
        self.setVisible(is_wanted and not self._quiet)
        if offer is not None:
            from app.operations.run.resume_offers import sentence_of  # noqa: PLC0415

            more = len(self._offers) - 1
            others = f" {more} more after this one." if more else ""
            self.text.setText(sentence_of(offer) + others)
            self.text.setToolTip(str(offer.path))
            self.go_on.setVisible(offer.left is not None)
            self.recolour()

    def _left(self) -> list[Path]:
        return [Path(one) for one in self._settings.get_list(_LEFT) if one]

    @Slot()
    def _want(self) -> None:
        if self.offer is not None and self.offer.left is not None:
            self.wanted.emit(self.offer.left)

    @Slot()
    def _open(self) -> None:
        if self.offer is not None:
            self.open_wanted.emit(self.offer.path)

    @Slot()
    def _leave(self) -> None:
        if self.offer is not None:
            path = self.offer.path
            left = [path, *(one for one in self._left() if one != path)]
            self._settings.put(_LEFT, [*map(str, left[:_MOST_LEFT])])
            self.forget(path)

    @Slot()
    def recolour(self) -> None:
        """Draw the icon in the colours of the theme."""
        stuck = self.offer is not None and self.offer.left is None
        name = "triangle-alert" if stuck else "history"
        self._icon.setPixmap(self._context.icons.get(name, "warn").pixmap(_ICON, _ICON))
