"""What the operator is asked: text, picture, what is still missing, and the answer."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QImage, QImageReader, QPixmap
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from app.campaign.phases.answer import is_no, is_yes
from app.campaign.phases.steering import Question
from app.ui.kit.background import Background
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.theme import tabular
from app.ui.kit.widgets import column, make_note, row
from instruments.files.foreign_text import why_no_file

_PICTURE = QSize(300, 190)


class QuestionPanel(QWidget):
    """A part of the page, not a dialog: charts and buttons stay in reach.

    Attributes:
        text: What is to be done.
        missing: What is still not so.
        picture: What shows it, or why there is none.
        answer: What was found, in free words.
        done: Answers; where the program is to do it, answers yes.
        refuse: Answers no, with what was typed.

    Signals:
        answered: The number of the question (int), and what was typed.
        lost: The sentence about an answer that was being typed when its question was
            closed.
    """

    answered = Signal(int, str)
    lost = Signal(str)

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._question: Question | None = None
        self._shown: tuple[str, Path | None] = ("", None)
        self.text = make_note(look="", name="What you are asked")
        self.text.setFont(tabular(14, QFont.Weight.DemiBold))
        self.missing = make_note("", "mistake", name="What is still missing")
        self.picture = WrappedLabel()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.picture.setMaximumWidth(_PICTURE.width())
        self.picture.setAccessibleName("Picture of what is to be done")
        self.answer = QLineEdit()
        self.answer.setAccessibleName("Your answer")
        self.answer.setToolTip("Kept in the journal of the session (Alt+Y)")
        self.answer.returnPressed.connect(self._enter)
        self.done = QPushButton("")
        self.done.clicked.connect(self._answer)
        self.refuse = QPushButton("")
        self.refuse.clicked.connect(self._refuse)
        self._build()
        self.hide()

    def _build(self) -> None:
        name = QLabel("&Your answer")
        name.setObjectName("muted")
        name.setBuddy(self.answer)
        parts = (name, self.answer, self.done, self.refuse)
        typed = row(*parts, grows=self.answer, spacing=8)
        words = column(self.text, self.missing, None, typed, spacing=8)
        margins = (16, 12, 16, 12)
        row(self.picture, words, of=self, grows=words, margins=margins, spacing=18)
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def question(self) -> Question | None:
        """What is asked, None for nothing."""
        return self._question

    def ask(self, question: Question | None, folder: Path | None) -> None:
        """Show a question, or none; what was typed for an earlier one goes.

        Args:
            question: What is asked.
            folder: Where its picture lies: beside the campaign's file.
        """
        if question == self._question:
            return
        before, self._question = self._question, question
        if before is not None and not (question is not None and question.missing):
            self._drop_typed()
        self.setVisible(question is not None)
        if question is None:
            return
        self.text.setText(question.text)
        missing = question.missing
        self.missing.setText(f"Not yet: {missing}" if missing else "")
        self.missing.setVisible(bool(missing))
        self.done.setEnabled(True)
        self.refuse.setEnabled(True)
        self._name_buttons(question.action)
        self._show_picture(question.picture, folder)
        if before is None and self.isVisible():
            self.answer.setFocus()

    def _drop_typed(self) -> None:
        """Clear the field; what was not sent is said once more."""
        typed = self.answer.text().strip()
        self.answer.clear()
        if typed and self.done.isEnabled():
            self.lost.emit(f'The question was closed; "{typed}" was not stored.')

    def _name_buttons(self, action: str) -> None:
        """Name them by what they do; what takes power away is not the default one."""
        self.done.setText(action or "D&one")
        self.refuse.setText("Do &not" if action else "&Not done")
        self.done.setDefault(not action)
        self.refuse.setDefault(bool(action))
        if action:
            self.done.setToolTip(f"{action}, at once (Tab, Space)")
            self.refuse.setToolTip("End this step without doing it (Alt+N, Enter)")
            hint = "yes, or why not; any other answer counts as no"
        else:
            self.done.setToolTip("It is done; continue the run (Alt+O, Enter)")
            told = "It is not so, or cannot be done: no PASS (Alt+N)"
            self.refuse.setToolTip(told)
            hint = "Your findings, if any; stored as you type them"
        self.answer.setPlaceholderText(hint)

    def _show_picture(self, name: str, folder: Path | None) -> None:
        self.picture.setVisible(bool(name))
        if (name, folder) == self._shown:
            return
        self._shown = (name, folder)
        self.picture.clear()
        if not name:
            return
        if folder is None and not Path(name).is_absolute():
            text = (
                f"The picture {name} belongs beside a campaign file; this run has none."
            )
            self.picture.setText(text)
            return
        path = (folder or Path()) / name
        self._background.run(lambda: _read(path), partial(self._take, path))

    def _take(self, path: Path, found: QImage | str) -> None:
        name, folder = self._shown
        if (folder or Path()) / name != path:
            return
        if isinstance(found, str):
            self.picture.setText(f"The picture {path} cannot be shown: {found}.")
        else:
            self.picture.setPixmap(QPixmap.fromImage(found))

    @Slot()
    def _enter(self) -> None:
        """Take Enter for the default button; what asks for a yes wants it typed."""
        typed, asks = self.answer.text().strip(), self._question
        if asks is not None and asks.action and not is_yes(typed):
            self._refuse()
        else:
            self._say(typed)

    @Slot()
    def _answer(self) -> None:
        typed, asks = self.answer.text().strip(), self._question
        is_bare = asks is not None and asks.action and not is_yes(typed)
        self._say(", ".join(filter(None, ("yes", typed))) if is_bare else typed)

    @Slot()
    def _refuse(self) -> None:
        typed = self.answer.text().strip()
        self._say(typed if is_no(typed) else ", ".join(filter(None, ("no", typed))))

    def _say(self, text: str) -> None:
        if self._question is not None and self.done.isEnabled():
            self.done.setEnabled(False)
            self.refuse.setEnabled(False)
            self.answered.emit(self._question.number, text)


def _read(path: Path) -> QImage | str:
    """Read a picture as large as it is shown, or say why not; runs in a worker."""
    if why := why_no_file(path):
        return why
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.width() > _PICTURE.width() or size.height() > _PICTURE.height():
        reader.setScaledSize(size.scaled(_PICTURE, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return reader.errorString() if image.isNull() else image
