"""The bench in hand, and what its sources answered when they were asked; no widgets."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.bench.model import Bench
from app.ui.bench.file import BenchFile
from app.ui.bench.source_list import SourceLine, state_of
from app.ui.kit.background import Background

if TYPE_CHECKING:
    from app.operations.bench.check import SourceCheck


class BenchController(QObject):
    """Holds the bench in hand, asks its sources, and keeps a line for each.

    Args:
        bench: The bench to begin with.

    Attributes:
        file: The bench in hand, with its changes.
        lines: Its sources, with their answers.

    Signals:
        changed: Lines are others now, or sources are being asked, or no longer.
    """

    changed = Signal()

    def __init__(self, bench: Bench, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._asked: dict[str, str] = {}
        self.file = BenchFile(bench, self)
        self.lines: list[SourceLine] = []
        self.file.changed.connect(self._renew)
        self._renew()

    @property
    def is_asking(self) -> bool:
        """Whether answers are still to come."""
        return bool(self._asked)

    @Slot()
    def _renew(self) -> None:
        """List the sources; the answers of those that are as they were stay."""
        # By text, not by name: a source that was edited may answer differently.
        before = {line.config.text: line for line in self.lines}
        self._put(
            replace(before.get(config.text, SourceLine(config)), config=config)
            for config in self.file.bench.sources
        )

    def ask(self, name: str = "") -> None:
        """Ask one source, or all of them, unless some are being asked already."""
        bench = self.file.bench
        asked = [one for one in bench.sources if name in ("", one.name)]
        if self._asked or not asked:
            return
        self._asked = {source.name: source.text for source in asked}
        self._put(
            SourceLine(line.config, "checking")
            if line.config.name in self._asked
            else line
            for line in self.lines
        )

        def look() -> "list[SourceCheck]":
            # Only now, and off the GUI thread: it takes what reaches devices.
            from app.operations.bench.check import (  # noqa: PLC0415
                check_bench,
                check_source,
            )

            return [check_source(bench, name)] if name else check_bench(bench)

        self._background.run(look, self._take, self._fail, lasting=True)

    @Slot(str, object)
    def put_answer(self, name: str, check: "SourceCheck | None") -> None:
        """Keep what a source answered elsewhere, as it is now; None where untried."""
        if check is None:
            return
        self._put(
            SourceLine(line.config, state_of(check), check)
            if line.config.name == name
            else line
            for line in self.lines
        )

    def _take(self, checks: "list[SourceCheck]") -> None:
        """Keep the answers; a source that was changed meanwhile has none."""
        asked, self._asked = self._asked, {}
        answers = {check.name: check for check in checks}
        lines = []
        for line in self.lines:
            config, check = line.config, answers.get(line.config.name)
            if check is not None and asked.get(config.name) == config.text:
                lines.append(SourceLine(config, state_of(check), check))
            else:
                # One that was asked only as it was before is unknown again.
                is_open = line.state == "checking"
                lines.append(SourceLine(config) if is_open else line)
        self._put(lines)

    def _fail(self, error: Exception) -> None:
        self._take([])
        self._background.failed.emit(error)

    def _put(self, lines: Iterable[SourceLine]) -> None:
        self.lines = list(lines)
        self.changed.emit()
