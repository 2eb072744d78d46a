"""Asks the sources of the bench in hand, and keeps what they answered; no widgets."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.bench.model import Bench, SourceConfig
from app.ui.bench.source_list import SourceLine, state_of
from app.ui.kit.background import Background
from app.ui.kit.rows_model import RowsModel

if TYPE_CHECKING:
    from app.operations.bench.check import SourceCheck


class SourceChecks(QObject):
    """Asks sources, and keeps in the lines of a table what they answered.

    Args:
        model: The lines.
        background: Where sources are asked.
        parent: What it belongs to.

    Signals:
        changed: Lines have other words, or sources are being asked, or no longer.
    """

    changed = Signal()

    def __init__(
        self, model: RowsModel[SourceLine], background: Background, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._background = background
        self._bench: Bench | None = None
        self._checking: set[str] = set()
        self._asked: dict[str, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether answers are still to come."""
        return bool(self._checking)

    def show_bench(self, bench: Bench) -> None:
        """List the sources; what was answered by those that are as they were stays."""
        self._bench = bench
        known = {_key(line.config): line for line in self._model.records}
        lines = []
        for config in bench.sources:
            old = known.get(_key(config), SourceLine(config))
            lines.append(replace(old, config=config))
        self._model.set_records(lines)

    def ask_all(self) -> None:
        """Ask every source, off the GUI thread."""
        bench = self._bench
        if bench is None or self._checking or not bench.sources:
            return
        self._begin(source.name for source in bench.sources)

        def look() -> "list[SourceCheck]":
            # Only now, and off the GUI thread: it takes what reaches devices.
            from app.operations.bench.check import check_bench  # noqa: PLC0415

            return check_bench(bench)

        self._background.run(look, self._take, self._give_up, lasting=True)

    def ask_one(self, name: str) -> None:
        """Ask one source, off the GUI thread."""
        bench = self._bench
        if bench is None or self._checking:
            return
        self._begin([name])

        def look() -> "list[SourceCheck]":
            from app.operations.bench.check import check_source  # noqa: PLC0415

            return [check_source(bench, name)]

        self._background.run(look, self._take, self._give_up, lasting=True)

    def _begin(self, names: Iterable[str]) -> None:
        self._checking = set(names)
        sources = self._bench.sources if self._bench is not None else ()
        self._asked = {source.name: _key(source) for source in sources}
        self._model.set_records(
            [
                SourceLine(line.config, "checking")
                if line.config.name in self._checking
                else line
                for line in self._model.records
            ]
        )
        self.changed.emit()

    def tell(self, name: str, check: "SourceCheck") -> None:
        """Show what a source answered that was asked elsewhere, as it is now."""
        self._model.set_records(
            [
                SourceLine(line.config, state_of(check), check)
                if line.config.name == name
                else line
                for line in self._model.records
            ]
        )
        self.changed.emit()

    @Slot(object)
    def _take(self, checks: "Sequence[SourceCheck]") -> None:
        """Show what was answered; a source that was changed meanwhile has no answer."""
        answers = {check.name: check for check in checks}
        lines = []
        for line in self._model.records:
            check = answers.get(line.config.name)
            same = self._asked.get(line.config.name) == _key(line.config)
            if check is not None and same:
                lines.append(SourceLine(line.config, state_of(check), check))
            else:
                lines.append(line)
        self._end(lines)

    def _give_up(self, error: Exception) -> None:
        self._end(self._model.records)
        self._background.failed.emit(error)

    def _end(self, lines: Sequence[SourceLine]) -> None:
        self._checking = set()
        self._model.set_records(
            [
                SourceLine(line.config) if line.state == "checking" else line
                for line in lines
            ]
        )
        self.changed.emit()


def _key(config: SourceConfig) -> str:
    return config.text
