"""The campaign in hand: its text, every change to it, and what is wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from app.operations.editing.check import Checked, Mistake, check_campaign
from app.plan.blocks import read, split
from app.plan.campaign import Campaign
from app.plan.edit import NEW, put
from app.ui.kit.background import Background, Perform, at_once
from instruments.errors import BadInput
from instruments.files.whole_file import save_file

Rows = Sequence[int]


class TextChange(QUndoCommand):
    """Puts a text where another one was; changes with the same word become one.

    Args:
        put: Takes the text that holds from now on, and the rows that it is about.
        title: What was done, as the menu says it.
        before: The text until now.
        after: The text from now on.
        merge: The word; "" for its own change.
        rows: The rows that it was about, before and after it.
    """

    def __init__(
        self,
        put: Callable[[str, Rows], None],
        title: str,
        before: str,
        after: str,
        *,
        merge: str,
        rows: tuple[Rows, Rows] = ((), ()),
    ) -> None:
        super().__init__(title)
        self._put = put
        self._before = before
        self._after = after
        self._merge = merge
        self._rows = rows

    def id(self) -> int:
        """Let changes that have a word be merged."""
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Take a change of the same field into this one."""
        if not isinstance(other, TextChange) or other._merge != self._merge:  # noqa: SLF001 - of this class
            return False
        self._after = other._after  # noqa: SLF001 - of this class
        return True

    def redo(self) -> None:
        """Do it, and do it again."""
        self._put(self._after, self._rows[1])

    def undo(self) -> None:
        """Take it back."""
        self._put(self._before, self._rows[0])


_CHECK_MS = 120


class CampaignFile(QObject):
    """Holds the text of a campaign; whatever changes it can be undone.

    The text need not be a campaign without mistakes, nor TOML: then `values` are those
    of the last one that was since this campaign is in hand.

    Attributes:
        text: The text as it is now.
        saved: What its file had when it was read or written last.
        values: What stands in it, or stood in it when it was TOML last.
        trouble: Why forms cannot change it now: it is not TOML.
        path: Where it lies, None where it was never saved.
        is_shipped: Whether it is a template of Bayscope's, as it ships or changed.
        origin: What it was called when it was taken or saved; "" for a new one.
        stack: What was done and can be undone.

    Signals:
        changed: The text is another one, or it was saved.
        replaced: Another campaign is in hand.
        checked: What the text comes to is known (Checked).
        placed: These steps (list of int) are what a change was about, also where it
            was undone.
    """

    changed = Signal()
    replaced = Signal()
    checked = Signal(object)
    placed = Signal(object)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self.text = self.saved = NEW
        self.values: Mapping[str, object] = read(NEW)
        self.trouble: BadInput | None = None
        self.path: Path | None = None
        self.is_shipped = False
        self.origin = ""
        self._is_untouched = True
        self._checked = check_campaign(NEW)
        self._campaign = self._checked.campaign
        self.stack = QUndoStack(self)
        self._later = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._later.timeout.connect(self._check)

    @property
    def is_untouched(self) -> bool:
        """Whether it is what the program began with, and nobody changed it."""
        return self._is_untouched and not self.stack.count()

    @property
    def name(self) -> str:
        """What it is called."""
        found = self.values.get("name")
        otherwise = self.path.stem if self.path else "Unnamed"
        return found if isinstance(found, str) and found.strip() else otherwise

    @property
    def has_changes(self) -> bool:
        """Whether something would be lost without saving."""
        return self.text != self.saved

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """What was wrong with it when it was last looked at."""
        return self._checked.mistakes

    @property
    def campaign_before(self) -> Campaign | None:
        """What it came to when it was without mistakes last."""
        return self._campaign

    @property
    def writes(self) -> bool:
        """Whether it wrote to its target when it was looked at last."""
        return self._checked.writes

    def look(self) -> Checked:
        """Get what the text comes to, looked at now where that is not known."""
        if self._checked.text != self.text:
            self._take_checked(check_campaign(self.text))
        return self._checked

    def take(
        self,
        text: str,
        path: Path | None,
        *,
        shipped: bool = False,
        checked: Checked | None = None,
    ) -> None:
        """Take another campaign, as it was read from a file or ships.

        Args:
            text: All of it.
            path: Its file, None for one that ships.
            shipped: Whether it ships.
            checked: What it comes to, where that is known: of thousands of steps it
                takes longer than a window may stand still.
        """
        self._put_away(text, path, saved=text, shipped=shipped, checked=checked)

    def begin(self, text: str = NEW, path: Path | None = None) -> None:
        """Take a campaign that no file has, or not like this."""
        saved = NEW if text == NEW else ""  # an empty one is no loss
        self._put_away(text, path, saved=saved, shipped=False)

    def _put_away(
        self,
        text: str,
        path: Path | None,
        *,
        saved: str,
        shipped: bool,
        checked: Checked | None = None,
    ) -> None:
        self.stack.clear()
        self.saved, self.path, self.is_shipped = saved, path, shipped
        self._is_untouched = False
        self.values, self._campaign = {}, None
        self.set_text(text)
        self.origin = "" if not path and not shipped else self.name
        if checked is not None:
            self._take_checked(checked)
        self.look()
        self.replaced.emit()

    def change(
        self,
        title: str,
        edit: Callable[[str], str],
        *,
        merge: str = "",
        rows: tuple[Rows, Rows] = ((), ()),
    ) -> bool:
        """Change the text in a way that can be undone.

        Args:
            title: What was done, as the menu says it.
            edit: From text to text.
            merge: Changes with the same word that follow each other are undone as
                one; "" for its own change.
            rows: The steps that it is about, before and after it.

        Returns:
            Whether there is another text now.
        """
        try:
            after = edit(self.text)
        except BadInput as error:
            self._background.failed.emit(error)
            return False
        if after == self.text:
            return False
        self.stack.push(
            TextChange(self._put, title, self.text, after, merge=merge, rows=rows)
        )
        return True

    def set_text(self, text: str) -> None:
        """Show another version of it; for what is undone and done again."""
        self.text = text
        try:
            split(text)
            self.values, self.trouble = read(text), None
        except BadInput as error:
            self.trouble = error
        self._later.start()  # not at each key: a large campaign takes a while
        self.changed.emit()

    def _put(self, text: str, rows: Rows) -> None:
        self.set_text(text)
        if rows:
            self.placed.emit(list(rows))

    def rename(self, name: str) -> None:
        """Call it something else; one that is no TOML stays as it is."""
        if self.trouble is None:
            self.change("rename", lambda text: put(text, None, ("name",), name))

    def save(self, path: Path, perform: Perform = at_once) -> None:
        """Write it to a file, whole or not at all.

        Args:
            path: The file.
            perform: Writes.

        Raises:
            BadInput: It cannot be written there.
        """
        text = self.text
        perform(lambda: save_file(path, text.encode()))
        self.saved, self.path, self.is_shipped = text, path, False
        self.origin = self.name
        self.changed.emit()

    @Slot()
    def _check(self) -> None:
        text = self.text
        if self._checked.text != text:
            self._background.run(lambda: check_campaign(text), self._take_checked)

    @Slot(object)
    def _take_checked(self, found: Checked) -> None:
        if found.text == self.text:
            self._checked = found
            self._campaign = found.campaign or self._campaign
            self.checked.emit(found)
