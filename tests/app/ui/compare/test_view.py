"""Two sessions side by side."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.analysis.compare import Comparison, same_recording_told
from app.operations.sessions.comparison_file import write_comparison
from app.report.provenance import CHANGED
from app.ui.chart.plot_row import PlotRow
from app.ui.compare.model import LOAD_ROLE
from app.ui.compare.view import CompareView
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND, Identity
from tests.app.ui.sample import (
    MAINS,
    START,
    begin_sample,
    changed_copy,
    open_files,
    write_sample,
)


def names(view: CompareView) -> tuple[str, ...]:
    return tuple(one.session.info.name for one in view.pair or ())


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> CompareView:
    window.navigation.choose("Compare")
    found = window.pages.compare
    qtbot.waitUntil(lambda: found.pair is not None)
    found.compare(found.folder / "first.bayscope", found.folder / "second.bayscope")
    qtbot.waitUntil(lambda: names(found) == ("First run", "Second run"))
    return found


def two_meters(path: Path) -> Path:
    """Another device, at two meters of which one is called as that of the others."""
    path, writer = begin_sample(path, step_s=12, name="Shelf", silence=False)
    who = Identity("Bayscope", "HMC8015", "SIM-2", "1.0", "127.0.0.1", simulated=True)
    writer.add_source("mains2", "power", "simulated", who, "")
    second = tuple(replace(one, source="mains2") for one in MAINS[:2])
    times = START + np.arange(840, dtype=np.int64) * (SECOND // 10) + SECOND // 30
    values = np.full((840, 2), 300.0)
    writer.append_trace(second, times, times, values)
    writer.set_session(dut="Shelf A", verdict="PASS", ended_ns=START + 84 * SECOND)
    writer.finish()
    return path


def compared(view: CompareView, first: Path, second: Path, qtbot: QtBot) -> None:
    view.compare(first, second)
    both = (first, second)
    qtbot.waitUntil(lambda: view._pair is not None and view._pair.paths == both)


def all_drawn(row: PlotRow) -> bool:
    return all(one.line is not None for one in row.drawn if one.is_listed)


def drawn(view: CompareView) -> bool:
    rows = view.pane.chart.rows
    return bool(rows) and all(line is not None for r in rows for _, line in r.curves)


def test_both_tables_and_traces_are_shown(view: CompareView, qtbot: QtBot) -> None:
    assert view.differences.model.rowCount() == 7
    assert view.choice.step.currentText() == "Sequential write 4M"
    qtbot.waitUntil(lambda: drawn(view))
    power = view.pane.chart.rows[1]
    assert [curve.label for curve, _ in power.curves] == ["Power", "Power"]
    assert power.legend == ["Power · A", "Power · B"]
    view.pane.chart._stack.mouse.hovered.emit(6.0)
    assert all(float(one.split()[-1]) > 500 for one in power.legend)
    view.pane.chart._stack.mouse.left.emit()
    assert power.legend == ["Power · A", "Power · B"]
    assert view.chooser._fake.isVisible()


def test_no_curve_is_dropped_where_one_has_more_meters(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    one, two = view.folder / "first.bayscope", two_meters(tmp_path / "two.bayscope")
    for first, second, sums in ((one, two, "B"), (two, one, "A")):
        compared(view, first, second, qtbot)
        power = view.pane.chart.rows[1]
        qtbot.waitUntil(partial(all_drawn, power))
        listed = [each for each in power.drawn if each.is_listed]
        assert [each.entry.label for each in listed] == sorted(
            ["Power · A", "Power · B", f"mains · {sums}", f"mains2 · {sums}"],
            key=lambda label: (label[-1], label != f"Power · {label[-1]}", label),
        )
        [whole] = [e for e in listed if e.entry.label == f"Power · {sums}"]
        assert whole.line is not None
        assert np.nanmean(whole.line.mean) > 800
        told = view.differences.told
        assert told.isVisible()
        both = {"1 meter", "2 meters", "Simulated 60-bay JBOD", "Shelf A"}
        assert all(word in told.text() for word in both)
        assert view.pane.chart.rows[1].panel.title == "Active power"


def test_one_that_was_changed_after_its_run_is_told(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    """It is drawn first; the hash is checked aside."""
    first = view.folder / "first.bayscope"
    other = changed_copy(first, tmp_path / "other.bayscope")
    view.compare(first, other)
    qtbot.waitUntil(lambda: CHANGED in view.differences.told.text())
    assert f"B: {CHANGED}" in view.differences.told.text()


def test_traces_are_aligned_at_the_start_of_the_step(
    view: CompareView, qtbot: QtBot
) -> None:
    view.choice.step.setCurrentText("Random read 4k")
    view._overlay()
    qtbot.waitUntil(lambda: drawn(view))
    left, right = view.pane.chart.visible_range
    assert left == pytest.approx(-2, abs=0.1)
    assert right == pytest.approx(14, abs=0.1)
    assert view.pane.chart.layers[0].origin == START + 48 * 10**9
    performance = view.pane.chart.rows[0]
    assert performance.panel.title == "IOPS"
    listed = [one.entry.label for one in performance.drawn if one.has_values]
    assert listed == ["Read · A", "Read · B"]
    for one in performance.drawn:
        assert one.entry.isVisible() == one.has_values
        assert one.is_listed == one.has_values
    for _, line in view.pane.chart.rows[0].curves:
        assert line is not None
        assert line.x.min() > -2.6


def test_a_step_that_nobody_chose_is_not_kept(view: CompareView, qtbot: QtBot) -> None:
    view.choice.step.setCurrentText("Idle")
    folder = view.folder
    view.compare(folder / "second.bayscope", folder / "first.bayscope")
    qtbot.waitUntil(lambda: names(view) == ("Second run", "First run"))
    assert view.choice.step.currentText() == "Sequential write 4M"
    view.choice.step.setCurrentText("Idle")
    view.choice.step.activated.emit(view.choice.step.currentIndex())
    view.compare(folder / "first.bayscope", folder / "second.bayscope")
    qtbot.waitUntil(lambda: names(view) == ("First run", "Second run"))
    assert view.choice.step.currentText() == "Idle"


def test_a_row_of_the_table_chooses_the_step(view: CompareView, qtbot: QtBot) -> None:
    cell = view.differences.table.visualRect(view.differences.model.index(5, 0))
    qtbot.mouseClick(
        view.differences.table.viewport(), Qt.MouseButton.LeftButton, pos=cell.center()
    )
    assert view.choice.step.currentText() == "Mixed 4k/64k/256k/2M"


@pytest.mark.parametrize("width", [1280, 1440])
def test_the_table_needs_no_sideways_scrolling(
    view: CompareView, window: MainWindow, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 720)
    bar = view.differences.table.horizontalScrollBar()
    qtbot.waitUntil(lambda: view.differences.table.width() > width - 120)
    qtbot.waitUntil(lambda: view.differences.table.columnWidth(1) > 90)
    # A scroll bar at the side may come first: the columns are then shared out again.
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    assert view.differences.table.columnWidth(0) > 160


def test_the_row_of_the_step_shown_is_marked(view: CompareView) -> None:
    assert view.differences.table.chosen_row() == 1
    view.choice.step.setCurrentText("Random read 4k")
    view._overlay()
    assert view.differences.table.chosen_row() == 4


def test_the_charts_shown_can_be_chosen(view: CompareView, qtbot: QtBot) -> None:
    assert [row.row.name for row in view.pane.chart.rows] == ["Performance", "Power"]
    view.choice.quantity.setCurrentText("Noise")
    view._overlay()
    assert [row.row.name for row in view.pane.chart.rows] == ["Noise"]
    view.choice.quantity.setCurrentText("All charts")
    view._overlay()
    assert len(view.pane.chart.rows) == 4


def test_a_broken_session_leaves_none_open(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    good = write_sample(tmp_path / "good.bayscope", step_s=2)
    bad = tmp_path / "bad.bayscope"
    bad.write_bytes(b"nothing of the kind" * 200)
    window.navigation.choose("Compare")
    view = window.pages.compare
    qtbot.waitUntil(lambda: view.pair is not None)
    for first, second in ((good, bad), (bad, good)):
        view._empty.say("")
        view.compare(first, second)
        qtbot.waitUntil(lambda: "bad.bayscope" in view._empty._text.text())
        assert view._stack.currentWidget() is view._empty
        assert view.pair is None
        assert open_files(tmp_path) == []
    assert view.folder not in {
        Path(open_file).parent for open_file in open_files(view.folder)
    }
    view.compare(view.folder / "first.bayscope", view.folder / "second.bayscope")
    qtbot.waitUntil(lambda: view.pair is not None)
    assert view._stack.currentWidget() is not view._empty


def test_a_session_beside_itself_is_said_not_drawn(
    view: CompareView, qtbot: QtBot
) -> None:
    same = view.folder / "first.bayscope"
    view.compare(same, same)
    assert view._stack.currentWidget() is view._empty
    assert view._empty._title.text() == "A and B are the same session"
    assert view.pair is None
    assert not view.chooser._fake.isVisible()
    qtbot.waitUntil(lambda: open_files(view.folder) == [])
    view.compare(same, view.folder / "second.bayscope")
    qtbot.waitUntil(lambda: names(view) == ("First run", "Second run"))


def test_one_session_is_not_enough(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, recorded: Path
) -> None:
    shutil.copy(recorded / "first.bayscope", tmp_path / "only.bayscope")
    window.navigation.choose("Compare")
    view = window.pages.compare
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.chooser.count == 1)
    assert str(tmp_path) in view._empty.text
    assert view._stack.currentWidget() is view._empty
    assert view.pair is None


def test_a_comparison_is_exported_with_its_crossings(
    view: CompareView,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = ("Read: A and B are equally fast at about 90k",)
    doubts = view.differences.crossings.toPlainText().splitlines()
    assert [line.rpartition(": ")[2] for line in doubts] == [
        "IOPS, Bandwidth (MB/s).",
        "Power (W), Lambda, Energy (Wh).",
    ]
    assert view._pair is not None
    comparison = replace(view._pair.comparison, crossings=told)
    view._pair = replace(view._pair, comparison=comparison)
    view.differences.show_comparison(comparison)
    assert view.differences.crossings.toPlainText().splitlines() == [*doubts, *told]
    target = tmp_path / "both"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(target), "Text (*.txt)")
    )
    workers: list[str] = []

    def write(comparison: Comparison, path: Path) -> None:
        workers.append(threading.current_thread().name)
        write_comparison(comparison, path)

    monkeypatch.setattr("app.ui.compare.view.write_comparison", write)
    view.chooser._export.click()
    written = target.with_suffix(".txt")
    qtbot.waitUntil(written.exists, timeout=30_000)
    assert workers == ["bayscope-lasting"]  # two hashes take no worker from traces
    qtbot.waitUntil(lambda: told[0] in written.read_text(encoding="utf-8"))


def edited(first: Path, other: Path, change: str) -> Path:
    """Copy a session, and change its steps."""
    shutil.copy(first, other)
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute(f"UPDATE step SET {change}")
    return other


def test_a_row_says_that_the_loads_were_not_the_same(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first = view.folder / "first.bayscope"
    one = edited(first, tmp_path / "one.bayscope", "plan = '[fio]\nbs = \"4k\"\n'")
    second = view.folder / "second.bayscope"
    two = edited(second, tmp_path / "two.bayscope", "plan = '[fio]\nbs = \"64k\"\n'")
    compared(view, one, two, qtbot)
    model = view.differences.model
    told = "not the same load: bs 4k / 64k"
    assert [model.index(row, 0).data(LOAD_ROLE) for row in (0, 1)] == ["", told]
    assert told in model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "%" not in model.index(1, 3).data()
    words = view.differences.crossings.toPlainText()
    assert words.startswith("Sequential write 4M, Sequential read 4M, ")
    assert words.count(told) == 1, "rows that differ alike are named together"


def test_sessions_without_a_common_step_say_what_there_is(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first = view.folder / "first.bayscope"
    other = edited(first, tmp_path / "other.bayscope", "label = 'Other ' || id")
    compared(view, first, other, qtbot)
    assert "A has Idle, " in view.differences.told.text()
    assert "B has Other 1, " in view.differences.told.text()
    assert view.pane.isHidden(), "there is nothing to lay over each other"
    compared(view, first, view.folder / "second.bayscope", qtbot)
    assert not view.pane.isHidden()


def test_the_measured_windows_of_both_are_shaded(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first = view.folder / "first.bayscope"
    later = "window_start_ns = window_start_ns + 2000000000"
    compared(view, first, edited(first, tmp_path / "b.bayscope", later), qtbot)
    view.choice.choose("Random read 4k")
    marks = view.pane.chart.rows[0]._marks

    def shaded() -> list[tuple[str, float]]:
        found = [window.at(5, 0) for window in marks._windows]
        return [(one.layer, one.start) for one in found if one]

    qtbot.waitUntil(lambda: [name for name, _ in shaded()] == ["A", "B"])
    qtbot.waitUntil(lambda: shaded()[1][1] - shaded()[0][1] == pytest.approx(2))


def test_copies_are_told_apart_by_their_files_and_named_as_copies(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, recorded: Path
) -> None:
    first, copy = tmp_path / "first.bayscope", tmp_path / "copy.bayscope"
    for path in (first, copy):
        shutil.copy(recorded / "first.bayscope", path)
    window.navigation.choose("Compare")
    view = window.pages.compare
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.pair is not None)
    box = view.chooser.boxes[0]
    shown = [box.itemText(row) for row in range(box.count())]
    assert sorted(text.rpartition(" ")[2] for text in shown) == ["copy", "first"]
    assert view._pair is not None
    same = same_recording_told(view._pair.comparison)
    assert same
    assert same in view.differences.told.text()
    view.compare(first, recorded / "second.bayscope")
    qtbot.waitUntil(lambda: names(view) == ("First run", "Second run"))
    assert view._pair is not None
    assert same_recording_told(view._pair.comparison) == ""
