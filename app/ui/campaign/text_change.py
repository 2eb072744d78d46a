"""A change from one text to another that can be undone."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QUndoCommand

Rows = Sequence[int]


class TextChange(QUndoCommand):
    """Puts a text where another one was; changes with the same word become one.

    Args:
        put: Takes the text that holds from now on, and the rows that it is about.
        title: What was done, as the menu says it.
        before: The text until now.
        after: The text from now on.
        merge: The word; "" for a change of its own.
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
