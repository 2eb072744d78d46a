"""A document in hand: opened, saved, and not lost without asking; the last ones."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from app.ui.kit.background import Perform
from app.ui.kit.context import Context
from app.ui.kit.messages import ask, ask_to_save, make_wait_box
from app.ui.kit.settings import Settings
from instruments.errors import Aborted, BadInput, BenchError
from instruments.files.foreign_text import read_text

_T = TypeVar("_T")
_SUFFIX = ".toml"
_MOST = 6


class Document(Protocol):
    """What is in hand: a bench or a campaign."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def path(self) -> Path | None:
        """Where it lies, None where it was never saved."""

    @property
    def origin(self) -> str:
        """What it was called when it was read or saved; "" for a new one."""

    @property
    def text(self) -> str:
        """What would be written now."""

    @property
    def saved(self) -> str:
        """What its file had when it was read or written last."""

    @property
    def has_changes(self) -> bool:
        """Whether something would be lost without saving."""

    def rename(self, name: str) -> None:
        """Call it something else."""

    def save(self, path: Path, perform: Perform) -> None:
        """Let it be written to a file; raises BadInput where that cannot be."""


class DocumentSaving(QObject):
    """Asks the user where and whether a document is saved, and saves it.

    Args:
        kind: What it is: "bench" or "campaign".
        folder: Gets the folder that is proposed where it was never saved.

    Signals:
        saved: It was written to this file (Path).
    """

    saved = Signal(object)

    def __init__(
        self,
        document: Document,
        kind: str,
        folder: Callable[[], Path],
        context: Context,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._document = document
        self._kind = kind
        self._folder = folder
        self._context = context
        self._window = window
        self._is_busy = False
        self._at = Path()  # what is waited for
        # What was to be written where, and nobody waited for: it may arrive yet.
        self._given_up: set[tuple[Path, str | None]] = set()
        self._overtaken: set[tuple[Path, str | None]] = set()
        self._is_late = False

    @property
    def folder(self) -> Path:
        """Where it lies, or would."""
        path = self._document.path
        return self._folder() if path is None else path.parent

    @property
    def _filter(self) -> str:
        return f"{'Benches' if self._kind == 'bench' else 'Campaigns'} (*{_SUFFIX})"

    def choose(self, title: str, filters: str = "") -> Path | None:
        """Ask which file to open, of this kind or of these filters."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, title, str(self.folder), filters or self._filter
        )
        return Path(name) if name else None

    @Slot()
    def save(self) -> bool:
        """Write it where it lies, or ask where; tell whether it was written."""
        path = self._document.path
        if self._is_busy:
            return False
        return self.save_as() if path is None else self._save(path)

    @Slot()
    def save_as(self) -> bool:
        """Ask where to write it; tell whether it was written.

        A copy is called by its file where it would have the name of its original: two
        of one name are not told apart in lists.
        """
        document, kind = self._document, self._kind
        is_copy = document.origin == document.name
        name = f"{document.name} copy" if is_copy else document.name
        proposed = self.folder / file_name(name, kind)
        if document.path is not None and not is_copy:
            proposed = document.path
        folder = proposed.parent
        try:
            with suppress(OSError):  # The dialog begins elsewhere, or saving says so.
                self._at = folder
                self._wait_for(lambda: folder.mkdir(parents=True, exist_ok=True))
        except Aborted:
            return False
        wanted = ask_where(self._window, f"Save the {kind}", proposed, self._filter)
        if wanted is None:
            return False
        if is_copy and wanted != document.path:
            document.rename(name if wanted.stem == proposed.stem else wanted.stem)
        return self._save(wanted)

    def _save(self, path: Path) -> bool:
        is_same = path == self._document.path  # else the file dialog has asked
        written = path, self._document.text
        is_begun = False
        try:
            if (
                is_same
                and self.is_changed_elsewhere()
                and not self.ask_of_change("", yes="Overwrite it")
            ):
                return False
            self._at, is_begun = path, True
            self._document.save(path, self._wait_for)
        except Aborted:  # the user knows
            if is_begun:
                self._given_up.add(written)
            return False
        except BenchError as error:
            self._context.background.failed.emit(error)
            return False
        self._overtaken |= self._given_up - {written}
        self._given_up.clear()
        self.saved.emit(path)
        return True

    def is_changed_elsewhere(self) -> bool:
        """Tell whether its file is not what was read or written here last.

        A save that nobody waited for, and that arrived, was written here, too: only
        where a later one was written before it, something is lost.

        Raises:
            Aborted: The program ends before that is known, or nobody waits for it.
        """
        path, saved = self._document.path, self._document.saved
        if path is None:
            return False
        self._at = path
        found = path, self._wait_for(lambda: _text_of(path, saved), reads=True)
        self._is_late = found in self._overtaken
        return found[1] != saved and found not in self._given_up

    def _wait_for(self, do: Callable[[], _T], *, reads: bool = False) -> _T:
        """Let a worker reach the file: its server may be slow, or gone."""
        self._is_busy = True
        try:
            return self._context.background.wait_for(do, reads=reads, box=self._box)
        finally:
            self._is_busy = False

    def ask_of_change(self, question: str, *, yes: str) -> bool:
        """Say what has changed its file, and ask what to do.

        Args:
            question: What is asked, after that.
            yes: What the button says that does it.
        """
        path = self._document.path
        name = "" if path is None else path.name
        change = f"Another program has changed {name} since it was opened here."
        if self._is_late:
            change = (
                f"A save that was given up has arrived in {name} after a later one."
            )
        return ask(
            self._context.icons,
            "Changed elsewhere",
            f"{change} {question}".strip(),
            yes=yes,
            no="Cancel",
            parent=self._window,
        )

    def _box(self) -> QDialog:
        """Say what waiting is for, and what becomes of it."""
        text = (
            f"{self._at} does not answer. Cancel waits no longer: what was to be "
            "written may still be when it answers again, whole or not at all."
        )
        return make_wait_box(self._context.icons, text, self._window)

    def may_leave(self) -> bool:
        """Ask what becomes of changes; tell whether it may be let go.

        While its file is written or read, as when the window is closed then, it stays.
        """
        if self._is_busy:
            return False
        if not self._document.has_changes:
            return True
        name, kind = self._document.name, self._kind
        wanted = ask_to_save(self._context.icons, name, self._window, kind=kind)
        return self.save() if wanted is None else wanted


def _text_of(path: Path, saved: str) -> str | None:
    """Get what a file has; runs in a worker.

    Returns:
        Its text, None where it cannot be read; what was saved where there is no file.
    """
    if not path.is_file():
        return saved
    try:
        return read_text(path)
    except BadInput:
        return None


class RecentFiles:
    """Keeps their paths in the settings.

    Args:
        key: Under which name.
    """

    def __init__(self, settings: Settings, key: str) -> None:
        self._settings = settings
        self._key = key

    @property
    def paths(self) -> list[Path]:
        """The files, the newest first."""
        return [Path(one) for one in self._settings.get_list(self._key) if one]

    def put(self, path: Path) -> None:
        """Put a file in front of the others."""
        kept = [path, *(one for one in self.paths if one != path)][:_MOST]
        self._settings.put(self._key, [*map(str, kept)])


def file_name(name: str, otherwise: str) -> str:
    """Make the name of a file of what something is called: "my-bench.toml"."""
    letters = "".join(c if c.isalnum() else " " for c in name.lower())
    return f"{'-'.join(letters.split()) or otherwise}{_SUFFIX}"


def ask_where(window: QWidget, title: str, path: Path, filters: str) -> Path | None:
    """Ask where to save; None where the user thinks better of it.

    Args:
        window: What waits.
        title: Of the dialog.
        path: What is proposed.
        filters: Which files are listed.
    """
    chosen, _ = QFileDialog.getSaveFileName(window, title, str(path), filters)
    if not chosen:
        return None
    wanted = Path(chosen)
    # Not every platform's dialog appends the suffix of its filter.
    return wanted if wanted.suffix else wanted.with_suffix(_SUFFIX)
