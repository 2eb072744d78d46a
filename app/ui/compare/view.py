"""Any number of sessions on the screen: charts, tables, what differs, notes."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from app.analysis.compare import Comparison
from app.operations.sessions.compare import compare_sessions
from app.record.store import SessionSummary
from app.report.provenance import change_of
from app.ui.chart.layout.layouts import Layouts
from app.ui.compare.charts import CompareCharts
from app.ui.compare.differences import CompareDifferences
from app.ui.compare.facts import CompareFacts, CompareNotes
from app.ui.compare.lanes import NAMES, Lanes, open_lanes
from app.ui.compare.picker import Picker
from app.ui.compare.results import CompareResults
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.focus import lead_focus
from app.ui.kit.messages import tell
from app.ui.kit.settings import Settings
from app.ui.kit.tables import Looked
from app.ui.kit.widgets import named, row, split
from app.ui.session.folder import SessionFolder
from instruments.errors import BenchError

_PART = "comparison"
"""Key of the settings for the part that was chosen last."""
_INSPECTOR = "compare_inspector"
_PARTS = ("charts", "table", "results", "differences", "notes")
_CHOOSE = "Tick the sessions to compare"
_WHAT = (
    "Two to eight, at the left. Charts lay their traces over each other, the table "
    "has each difference with its significance, and what differs in their set-ups is "
    "listed. The first one is the baseline A."
)


def checked(lanes: Lanes, comparison: Comparison) -> Comparison:
    """Compare all with their hashes, which takes a while; runs in a worker.

    Raises:
        BadInput: One of them is damaged.
    """
    changes = [change_of(record.session) for record in lanes.records]
    about = tuple(
        replace(one, warnings=(*one.warnings, change)) if change else one
        for one, change in zip(comparison.about, changes, strict=True)
    )
    return replace(comparison, about=about)


class CompareView(QWidget):
    """Lists to tick at the left; charts, table, what differs and notes beside them.

    Attributes:
        picker: The lists.
        charts: The charts over time.
        differences: The figures, and the words about them.
        results: Results over what was swept, and other figures.
        facts: What differs in the set-ups.
        notes: What is to be known of each session.
        tabs: What holds the five.
        comparison: What is in the tables; None while it is worked out.
    """

    def __init__(
        self, context: Context, folder: Path, layouts: Layouts | None = None
    ) -> None:
        super().__init__()
        self._background = context.background
        self._lanes = Lanes()
        self._is_opening = False
        self.comparison: Comparison | None = None
        self._listing = SessionFolder(context.background, folder, self)
        self._listing.listed.connect(self._take_list)
        self._listing.lost.connect(self._show_lost)
        self.picker = Picker(context)
        self.picker.chosen.connect(self._compare)
        self.picker.steps_chosen.connect(self._overlay)
        self.picker.export_wanted.connect(self.export)
        self.picker.sessions.currentRowChanged.connect(self._mark)
        self.charts = CompareCharts(context, layouts or Layouts())
        self.charts.changed.connect(self._overlay)
        self.differences = CompareDifferences(context)
        self.differences.step_chosen.connect(self.picker.choose_step)
        self.differences.cell_wanted.connect(self._explain)
        self.differences.inspector.told.connect(self.charts.pane.chart.mark)
        self.results = CompareResults(context)
        self.facts = CompareFacts(context)
        self.notes = CompareNotes(context)
        self.tabs = named(QTabWidget(), "Parts of the comparison")
        self._wanted: int | None = None  # the tab, which one session may not have
        self._settings: Settings | None = None
        self._empty = EmptyState(context.icons, "columns-2", _CHOOSE, _WHAT)
        self._stack = QStackedWidget()
        self._build()

    def _build(self) -> None:
        for page, text, tip in (
            (self.charts, "&Charts", "Traces over time, laid over each other (Alt+C)"),
            (self.differences, "&Table", "One row per step, with differences (Alt+T)"),
            (self.results, "&Results", "Over what was swept, and others (Alt+R)"),
            (self.facts, "What di&ffers", "Device, bench, options, versions (Alt+F)"),
            (self.notes, "N&otes", "What is missing, thin or went wrong (Alt+O)"),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(page, text), tip)
        self.tabs.tabBar().setAccessibleName("Parts of the comparison")
        self.tabs.currentChanged.connect(self._want)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.tabs)
        across = split(self.picker, self._stack, sizes=(270, 920))
        across.setStretchFactor(1, 1)
        row(across, of=self)
        lead_focus(self, self.picker)

    def keep_in(self, settings: Settings) -> None:
        """Begin with the part that was chosen last; keep which one it is."""
        kept = settings.get(_PART)
        self._settings = settings
        self._wanted = _PARTS.index(kept) if kept in _PARTS else None
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(self._wanted or 0)
        self.differences.inspected.keep_in(settings, _INSPECTOR)

    @Slot(int)
    def _want(self, index: int) -> None:
        """Remember the part that was chosen."""
        self._wanted = index
        if self._settings is not None:
            self._settings.put(_PART, _PARTS[index])

    @property
    def lanes(self) -> Lanes:
        """The sessions that are open."""
        return self._lanes

    @property
    def folder(self) -> Path:
        """Where sessions are offered from."""
        return self._listing.path

    def set_folder(self, folder: Path) -> None:
        """Offer the sessions of another folder, and none until it is read."""
        self._listing.choose(folder)
        self.picker.choose([])
        self.picker.offer([])
        self._show_none(_CHOOSE, f"Reading {folder} ...")
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """List the folder again."""
        self._listing.refresh()

    @Slot(object)
    def _take_list(self, found: list[SessionSummary]) -> None:
        is_other = self.picker.offer(found)
        if is_other:
            self._mark()
        if is_other or not self.picker.paths:
            self._compare()

    @Slot(str)
    def _show_lost(self, text: str) -> None:
        """Say why the folder cannot be read, where nothing is shown of it."""
        if not self.picker.paths:
            self._show_none("The folder cannot be read", text)

    def compare(self, *paths: Path) -> None:
        """Show these files, listed or not; the first one is the baseline."""
        self.picker.choose(paths)
        self._compare()

    @Slot()
    def _compare(self) -> None:
        paths = self.picker.paths
        if not paths:
            few = self.picker.count < 2
            self._show_none(
                "Comparing needs two sessions" if few else _CHOOSE,
                _few(self.folder) if few else _WHAT,
            )
        elif paths != self._lanes.paths and not self._is_opening:
            self._is_opening = True
            known, wanted = self._lanes, self._wanted
            self._background.run(
                lambda: _opened(paths, known, wanted),
                self._take_lanes,
                partial(self._give_up_opening, paths),
                drop=lambda answer: answer[0].without(known).close(),
            )

    def _give_up_opening(self, paths: tuple[Path, ...], error: Exception) -> None:
        """Say which one cannot be opened, where the same are still ticked."""
        self._is_opening = False
        if paths == self.picker.paths:
            self._give_up(error)
        else:
            self._compare()

    def _give_up(self, error: Exception) -> None:
        self._show_none("These sessions cannot be compared", str(error))
        if not isinstance(error, BenchError):
            self._background.failed.emit(error)

    def _show_none(self, title: str, text: str) -> None:
        """Say why nothing is compared; what was shown is closed."""
        self.charts.clear()
        self.results.clear()
        old = self._keep(Lanes())
        self.picker.show_state(simulated=False, shown=False)
        self.picker.offer_steps([], "")
        self._empty.set_title(title)
        self._empty.say(text)
        self._stack.setCurrentIndex(0)
        self._let_go(old)

    def _keep(self, lanes: Lanes) -> Lanes:
        """Have these open; get those that are not wanted any more."""
        old, self._lanes = self._lanes.without(lanes), lanes
        self.comparison = None
        self.differences.inspector.forget()
        return old

    def _let_go(self, old: Lanes) -> None:
        """Close sessions, once no chart wants them: one would miss what it reads."""
        if old.records:
            self.charts.leave(old)
            self._background.release(old.close)

    @Slot(object)
    def _take_lanes(self, answer: tuple[Lanes, int]) -> None:
        lanes, usual = answer
        self._is_opening = False
        if lanes.paths != self.picker.paths:
            self._background.release(lanes.without(self._lanes).close)
            self._compare()
            return
        old = self._keep(lanes)
        simulated = any(record.is_simulated for record in lanes.records)
        self.picker.show_state(simulated=simulated, shown=False)
        self.picker.offer_steps(lanes.steps(), lanes.first_load())
        self.charts.forget_shifts()
        self.charts.offer(lanes.rows())
        self._stack.setCurrentIndex(1)
        several = len(lanes.records) > 1
        wanted = usual if self._wanted is None else self._wanted
        with QSignalBlocker(self.tabs):  # Qt leaves a tab that is disabled
            for page in (self.differences, self.facts, self.notes):
                self.tabs.setTabEnabled(self.tabs.indexOf(page), several)
            if self.tabs.isTabEnabled(wanted):
                self.tabs.setCurrentIndex(wanted)
        self._mark()
        self._overlay()
        self._let_go(old)
        if several:
            self._background.run(
                lambda: (lanes, compare_sessions(lanes.paths, verify=False)),
                self._take_comparison,
                partial(self._fail, lanes),
                lasting=True,
                reads=True,
            )

    @Slot(object)
    def _take_comparison(self, answer: tuple[Lanes, Comparison]) -> None:
        """Fill the tables, and look whether one was changed after its run."""
        lanes, comparison = answer
        if lanes is not self._lanes:
            return
        self.comparison = comparison
        self.differences.show_comparison(comparison)
        self.differences.mark(self.picker.labels)
        self.facts.show_comparison(comparison)
        count = self.notes.show_comparison(comparison)
        self.tabs.setTabText(
            self.tabs.indexOf(self.notes), f"N&otes ({count})" if count else "N&otes"
        )
        simulated = any(record.is_simulated for record in lanes.records)
        self.picker.show_state(simulated=simulated, shown=True)
        self._background.run(
            lambda: (lanes, checked(lanes, comparison)),
            self._take_check,
            partial(self._fail, lanes),
            lasting=True,
            reads=True,
        )

    @Slot(object)
    def _take_check(self, answer: tuple[Lanes, Comparison]) -> None:
        lanes, comparison = answer
        if lanes is self._lanes and comparison != self.comparison:
            self.comparison = comparison
            self.differences.warn(comparison)

    def _fail(self, lanes: Lanes, error: Exception) -> None:
        """Say that one cannot be read, where these are still shown."""
        if lanes is self._lanes:
            self._give_up(error)

    @Slot()
    def _mark(self) -> None:
        """Let the session that is marked be the one that is shifted."""
        self.charts.mark(self.picker.current)

    @Slot()
    def _overlay(self) -> None:
        """Lay the ticked steps over each other."""
        if self._lanes.records:
            labels = self.picker.labels
            self.charts.show_lanes(self._lanes, labels)
            self.results.show_lanes(self._lanes, labels)
            self.differences.mark(labels)

    @Slot(str, str, object, object)
    def _explain(
        self, label: str, name: str, places: Sequence[int], how: Looked
    ) -> None:
        records = {NAMES[place]: self._lanes.records[place] for place in places}
        self.differences.inspector.explain(records, label, name, how)

    @Slot()
    def export(self) -> None:
        """Ask for formats, looks and folder, and write the comparison."""
        from app.operations.sessions.apart import export_apart  # noqa: PLC0415
        from app.ui.session.export_dialog import ask_for_export  # noqa: PLC0415

        if self.comparison is None:
            return
        paths, background = self._lanes.paths, self._background
        plan = ask_for_export(paths, background, self, form="", folder=self.folder)
        if plan is not None:
            background.run(
                lambda: export_apart(paths, plan), self._tell_written, lasting=True
            )

    def _tell_written(self, files: Sequence[Path]) -> None:
        names = ", ".join(path.name for path in files)
        tell(self, f"Written to {files[0].parent}: {names}")

    def showEvent(self, event: QShowEvent) -> None:
        """Offer what has come since."""
        super().showEvent(event)
        self.refresh()

    def shut(self) -> None:
        """Let go of charts and sessions; called once, when no work is going on."""
        self.charts.pane.chart.close_plots()
        self.differences.inspector.shut()
        self._background.release(self._lanes.close)


def _opened(
    paths: Sequence[Path], known: Lanes, wanted: int | None
) -> tuple[Lanes, int]:
    """Open sessions; runs in a worker.

    Returns:
        They, and the part to begin with: the one that is wanted; as long as none was
        chosen, the results of sessions with a sweep, which are what it was run for.
    """
    lanes = open_lanes(paths, known)
    if wanted is None:
        wanted = _PARTS.index("results" if lanes.has_sweep() else "charts")
    return lanes, wanted


def _few(folder: Path) -> str:
    return (
        f"{folder} has fewer than two. Start a run, or choose another folder in "
        "Sessions."
    )
