"""Sessions side by side."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog
from pytestqt.qtbot import QtBot

from app.analysis.compare import Comparison, same_recording_told
from app.operations.sessions.comparison_file import write_comparison
from app.operations.sessions.published import published_sessions
from app.report.provenance import CHANGED
from app.ui.chart.layers import Layer
from app.ui.chart.plot_row import PlotRow
from app.ui.compare.lanes import Arrangement, Lanes
from app.ui.compare.model import LOAD_ROLE, PARTS_ROLE
from app.ui.compare.view import CompareView
from app.ui.session.list import started_of
from app.ui.session.proof import ProofDialog
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
    return tuple(one.session.info.name for one in view.lanes.records)


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> CompareView:
    window.navigation.choose("Compare")
    found = window.pages.compare
    compared(found, found.folder / "first.bayscope", found.folder / "second.bayscope")(
        qtbot
    )
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


def compared(view: CompareView, *paths: Path) -> Callable[[QtBot], None]:
    """Compare files, and wait until their curves are asked for and tables are there."""

    def wait(qtbot: QtBot) -> None:
        view.compare(*paths)
        qtbot.waitUntil(lambda: view.lanes.paths == paths)
        qtbot.waitUntil(lambda: view.comparison is not None)
        qtbot.waitUntil(lambda: len(layers(view)) == len(paths))
        sessions = [record.session for record in view.lanes.records]
        qtbot.waitUntil(lambda: [one.session for one in layers(view)] == sessions)

    return wait


def layers(view: CompareView) -> tuple[Layer, ...]:
    return view.charts.pane.chart.layers


def chart_step(view: CompareView, label: str, qtbot: QtBot) -> None:
    number = view.charts._number
    view.picker.choose_step(label)
    assert view.picker.labels == (label,)
    qtbot.waitUntil(lambda: view.charts._number > number)
    starts = [
        step.start_ns
        for record in view.lanes.records
        for step in record.session.steps()
        if step.label == label
    ]
    qtbot.waitUntil(lambda: [one.origin for one in layers(view)] == starts)


def all_drawn(row: PlotRow) -> bool:
    return all(one.line is not None for one in row.drawn if one.is_listed)


def drawn(view: CompareView) -> bool:
    rows = view.charts.pane.chart.rows
    return bool(rows) and all(line is not None for r in rows for _, line in r.curves)


def test_both_tables_and_traces_are_shown(view: CompareView, qtbot: QtBot) -> None:
    assert view.differences.model.rowCount() == 7
    assert view.picker.labels == ("Sequential write 4M",)
    qtbot.waitUntil(lambda: drawn(view))
    power = view.charts.pane.chart.rows[1]
    assert [curve.label for curve, _ in power.curves] == ["Power", "Power"]
    assert power.legend == ["Power · A", "Power · B"]
    view.charts.pane.chart._stack.mouse.hovered.emit(6.0)
    assert all(float(one.split()[-1]) > 500 for one in power.legend)
    view.charts.pane.chart._stack.mouse.left.emit()
    assert power.legend == ["Power · A", "Power · B"]
    assert view.picker._fake.isVisible()


def test_no_curve_is_dropped_where_one_has_more_meters(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    one, two = view.folder / "first.bayscope", two_meters(tmp_path / "two.bayscope")
    for first, second, sums in ((one, two, "B"), (two, one, "A")):
        compared(view, first, second)(qtbot)
        power = view.charts.pane.chart.rows[1]
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
        assert not told.isHidden()
        both = {"1 meter", "2 meters", "Simulated 60-bay JBOD", "Shelf A"}
        assert all(word in told.text() for word in both)
        assert view.charts.pane.chart.rows[1].panel.title == "Active power"


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
    chart_step(view, "Random read 4k", qtbot)
    qtbot.waitUntil(lambda: drawn(view))
    left, right = view.charts.pane.chart.visible_range
    assert left == pytest.approx(-2, abs=0.1)
    assert right == pytest.approx(14, abs=0.1)
    assert view.charts.pane.chart.layers[0].origin == START + 48 * 10**9
    performance = view.charts.pane.chart.rows[0]
    assert performance.panel.title == "IOPS"
    listed = [one.entry.label for one in performance.drawn if one.has_values]
    assert listed == ["Read · A", "Read · B"]
    for one in performance.drawn:
        assert one.entry.isVisible() == one.has_values
        assert one.is_listed == one.has_values
    for _, line in view.charts.pane.chart.rows[0].curves:
        assert line is not None
        assert line.x.min() > -2.6


def test_a_row_of_the_table_chooses_the_step(view: CompareView, qtbot: QtBot) -> None:
    view.tabs.setCurrentWidget(view.differences)
    cell = view.differences.table.visualRect(view.differences.model.index(5, 0))
    qtbot.mouseClick(
        view.differences.table.viewport(), Qt.MouseButton.LeftButton, pos=cell.center()
    )
    assert view.picker.labels == ("Mixed 4k/64k/256k/2M",)


def test_a_cell_leads_to_its_samples_in_both_sessions(
    view: CompareView, window: MainWindow, qtbot: QtBot
) -> None:
    view.tabs.setCurrentWidget(view.differences)
    model, table = view.differences.model, view.differences.table
    heads = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(4)]
    column = next(n for n, head in enumerate(heads) if head.startswith("Power"))
    cell = table.visualRect(model.index(5, column)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    qtbot.waitUntil(lambda: bool(window.findChildren(ProofDialog)))
    (dialog,) = window.findChildren(ProofDialog)
    pages = [dialog.pages.tabText(n) for n in range(dialog.pages.count())]
    assert {"Explanation A", "Samples A", "Explanation B", "Samples B"} <= set(pages)
    accept = QDialogButtonBox.ButtonRole.AcceptRole
    (show,) = (
        b for b in dialog.buttons.buttons() if dialog.buttons.buttonRole(b) == accept
    )
    show.click()
    assert view.tabs.currentWidget() is view.charts
    assert view.picker.labels == ("Mixed 4k/64k/256k/2M",)
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))


def test_a_label_leads_to_no_samples(view: CompareView, qtbot: QtBot) -> None:
    model, table = view.differences.model, view.differences.table
    with qtbot.assertNotEmitted(view.differences.cell_wanted):
        table.activated.emit(model.index(5, 0))
        table.activated.emit(model.index(5, model.columnCount() - 1))  # the verdict


def test_the_row_of_the_step_shown_is_marked(view: CompareView, qtbot: QtBot) -> None:
    assert view.differences.table.chosen_row() == 1
    chart_step(view, "Random read 4k", qtbot)
    assert view.differences.table.chosen_row() == 4


def test_the_charts_shown_can_be_chosen(view: CompareView, qtbot: QtBot) -> None:
    assert [row.row.name for row in view.charts.pane.chart.rows] == [
        "Performance",
        "Power",
    ]
    rows = lambda: [row.row.name for row in view.charts.pane.chart.rows]  # noqa: E731
    view.charts.quantity.setCurrentText("Noise")
    view._overlay()
    qtbot.waitUntil(lambda: rows() == ["Noise"])
    view.charts.quantity.setCurrentText("All charts")
    view._overlay()
    qtbot.waitUntil(lambda: len(rows()) == 4)


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
        "Noise (dB(A)), Ambient (°C), Drive min (°C), Drive max (°C) and 2 more.",
        "Power (W), Lambda, Energy (Wh).",
    ]
    assert view.comparison is not None
    comparison = replace(view.comparison, crossings=told)
    view.comparison = comparison
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
    view.picker._export.click()
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
    compared(view, one, two)(qtbot)
    model = view.differences.model
    told = "not the same load: bs 4k / 64k"
    assert [model.index(row, 0).data(LOAD_ROLE) for row in (0, 1)] == ["", told]
    assert told in model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "%" not in model.index(1, 3).data()
    words = view.differences.crossings.toPlainText()
    assert words.startswith("Sequential write 4M, Sequential read 4M, ")
    assert words.count(told) == 1, "rows that differ alike are named together"


def test_the_measured_windows_of_both_are_shaded(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first = view.folder / "first.bayscope"
    later = "window_start_ns = window_start_ns + 2000000000"
    compared(view, first, edited(first, tmp_path / "b.bayscope", later))(qtbot)
    chart_step(view, "Random read 4k", qtbot)
    marks = view.charts.pane.chart.rows[0]._marks

    def shaded() -> list[tuple[str, float]]:
        found = [window.at(5, 0) for window in marks._windows]
        return [(one.layer, one.start) for one in found if one]

    qtbot.waitUntil(lambda: [name for name, _ in shaded()] == ["A", "B"])
    qtbot.waitUntil(lambda: shaded()[1][1] - shaded()[0][1] == pytest.approx(2))


def test_four_sessions_are_ticked_by_the_keyboard(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for number in range(4):
        write_sample(tmp_path / f"s{number}.bayscope", step_s=4, name=f"Run {number}")
    window.navigation.choose("Compare")
    view = window.pages.compare
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.picker.count == 4)
    ticks = view.picker.sessions
    ticks.setFocus()
    for row in range(4):
        ticks.setCurrentRow(row)
        qtbot.keyClick(ticks, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(names(view)) == 4 and view.comparison is not None)
    qtbot.waitUntil(lambda: [one.name for one in layers(view)] == list("ABCD"))
    assert view.differences.view.currentText() == "Power (W), all sessions"
    assert view.differences.model.columnCount() == 5
    view.differences.view.setCurrentText("D against A, all metrics")
    view.differences._choose_view()
    cell = view.differences.model.index(1, 1).data(PARTS_ROLE)
    assert cell.places == (0, 3)
    # The first one is the baseline; another one can be pinned.
    last = names(view)[-1]
    ticks.setCurrentRow(3)
    view.picker._pin.click()
    qtbot.waitUntil(lambda: names(view)[0] == last)
    # Taking ticks away closes what is not compared any more.
    for row in range(4):
        ticks.setCurrentRow(row)
        qtbot.keyClick(ticks, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: view._stack.currentWidget() is view._empty)
    qtbot.waitUntil(lambda: open_files(tmp_path) == [])


def test_one_session_is_charted_and_says_that_another_is_needed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, recorded: Path
) -> None:
    shutil.copy(recorded / "first.bayscope", tmp_path / "only.bayscope")
    window.navigation.choose("Compare")
    view = window.pages.compare
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.picker.count == 1)
    qtbot.waitUntil(lambda: str(tmp_path) in view._empty.text)
    view.compare(tmp_path / "only.bayscope")
    qtbot.waitUntil(lambda: len(layers(view)) == 1)
    assert not view.tabs.isTabEnabled(view.tabs.indexOf(view.differences))


def test_a_broken_session_leaves_none_open(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    good = write_sample(tmp_path / "good.bayscope", step_s=2)
    bad = tmp_path / "bad.bayscope"
    bad.write_bytes(b"nothing of the kind" * 200)
    window.navigation.choose("Compare")
    view = window.pages.compare
    for first, second in ((good, bad), (bad, good)):
        view._empty.say("")
        view.compare(first, second)
        qtbot.waitUntil(lambda: "bad.bayscope" in view._empty._text.text())
        assert view._stack.currentWidget() is view._empty
        assert view.lanes.records == ()
        qtbot.waitUntil(lambda: open_files(tmp_path) == [])
    compared(view, view.folder / "first.bayscope", view.folder / "second.bayscope")(
        qtbot
    )
    assert view._stack.currentWidget() is view.tabs


def test_sessions_are_aligned_by_what_is_chosen_and_shifted(
    view: CompareView, qtbot: QtBot
) -> None:
    def origins() -> list[float]:
        return [(one.origin - START) / SECOND for one in layers(view)]

    qtbot.waitUntil(lambda: origins() == [12.0, 12.0])
    for text, wanted in (
        ("measured window", [13.9, 13.9]),
        ("campaign start", [0.0, 0.0]),
        ("wall clock", [0.0, 0.0]),
    ):
        view.charts.align.setCurrentText(text)
        view._overlay()
        qtbot.waitUntil(
            partial(lambda w: origins() == pytest.approx(w, abs=0.6), wanted)
        )
    view.charts.align.setCurrentText("step start")
    view._overlay()
    qtbot.waitUntil(lambda: origins() == [12.0, 12.0])
    # A drag with Ctrl shifts the session that is marked.
    item = next(
        one
        for one in view.picker.sessions.items_shown
        if one.data(Qt.ItemDataRole.UserRole).stem == "second"
    )
    view.picker.sessions.setCurrentItem(item)
    assert view.charts._shifted.text() == "Shift B"
    view.charts.pane.chart.dragged.emit(1.5, True)
    qtbot.waitUntil(lambda: origins() == [12.0, 10.5])
    assert view.charts.shift.value() == 1.5


def test_the_marked_session_stays_marked_in_a_list_that_came_anew(
    view: CompareView, qtbot: QtBot
) -> None:
    shown = view.picker.sessions
    qtbot.waitUntil(lambda: view.picker.count == 2)

    def marked() -> str:
        return str(shown.currentIndex().data(Qt.ItemDataRole.UserRole).stem)

    for stem, text in (("second", "Shift B"), ("first", "Shift A")):
        [row] = [
            number
            for number, item in enumerate(shown.items_shown)
            if item.data(Qt.ItemDataRole.UserRole).stem == stem
        ]
        shown.setCurrentRow(row)
        view._take_list(list(reversed(view.picker._summaries)))
        assert shown.currentRow() != row
        assert (marked(), view.charts._shifted.text()) == (stem, text)
    # One that is gone is marked no longer, and cannot be shifted.
    [first] = [one for one in view.picker._summaries if one.path.stem == "first"]
    view._take_list([one for one in view.picker._summaries if one is not first])
    assert marked() == "second"
    assert view.charts._place == view.picker.current


def test_a_chart_with_nothing_in_the_step_takes_no_room(
    view: CompareView, qtbot: QtBot
) -> None:
    chart = view.charts.pane.chart
    chart_step(view, "Cool-down", qtbot)
    assert [row.row.name for row in chart.rows] == ["Power"]
    chart_step(view, "Sequential read 4M", qtbot)
    assert [row.row.name for row in chart.rows] == ["Performance", "Power"]


def without(path: Path, label: str, copy: Path) -> Path:
    """Copy a session that has no step of this label."""
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE step SET label = ? WHERE label = ?", ("X", label))
    return copy


def test_a_session_keeps_its_colour_where_another_lacks_the_step(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first, second = (view.folder / f"{one}.bayscope" for one in ("first", "second"))
    lacking = without(first, "Sequential write 4M", tmp_path / "lacking.bayscope")
    view.compare(lacking, first, second)
    chart = view.charts.pane.chart

    def drawn_in(*letters: str) -> bool:
        known = [one for row in chart.rows for one in row.drawn]
        colours = {one.entry.label[-1]: one.pen.color().name() for one in known}
        lane = chart._theme.tokens.lane
        return colours == {one: lane("ABC".index(one)).name() for one in letters}

    assert view.picker.labels == ("Sequential write 4M",)
    qtbot.waitUntil(lambda: drawn_in("B", "C"))
    view.picker.choose_step("Random read 4k")
    qtbot.waitUntil(lambda: drawn_in("A", "B", "C"))
    view.picker.choose_step("Sequential write 4M")
    qtbot.waitUntil(lambda: drawn_in("B", "C"))
    view.compare(lacking, first)
    qtbot.waitUntil(lambda: drawn_in("B"))


@pytest.mark.parametrize("kept", ["first", "second"])
def test_what_is_left_is_read_no_more_until_the_others_are_laid(
    view: CompareView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    chart = view.charts.pane.chart
    qtbot.waitUntil(lambda: len(chart.layers) == 2 and drawn(view))
    go_on, lay = threading.Event(), Lanes.layers

    def laid_late(lanes: Lanes, wanted: Arrangement) -> tuple[list[Layer], list[str]]:
        assert go_on.wait(60)
        return lay(lanes, wanted)

    old = view.lanes.records
    monkeypatch.setattr(Lanes, "layers", laid_late)
    view.compare(view.folder / f"{kept}.bayscope")
    qtbot.waitUntil(lambda: any(one.session._is_closed for one in old))
    chart.refresh()  # as a resized window does; an error that is shown fails the test
    loader = chart._loader
    qtbot.waitUntil(lambda: not (loader._busy or loader._timer.isActive()))
    assert not any(one.session._is_closed for one in chart.layers)
    go_on.set()
    qtbot.waitUntil(lambda: len(chart.layers) == 1 and drawn(view))


def test_sessions_that_are_chosen_before_the_folder_is_read_stand_once(
    window: MainWindow, qtbot: QtBot, recorded: Path, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        shutil.copy(recorded / f"{name}.bayscope", tmp_path)
    paths = [tmp_path / f"{name}.bayscope" for name in ("first", "second")]
    window.navigation.choose("Compare")
    view = window.pages.compare
    view.set_folder(tmp_path)
    view.compare(*paths)
    ticks = view.picker.sessions
    assert [one.text() for one in ticks.items_shown] == ["first", "second"]
    qtbot.waitUntil(lambda: bool(view.picker._summaries))
    assert sorted(map(str, ticks.chosen)) == sorted(map(str, paths))
    assert view.picker.count == 2
    # A narrow list cuts the end: what tells them apart stands first.
    listed = view.picker._summaries
    texts = [one.text() for one in ticks.items_shown]
    for text, one in zip(texts, listed, strict=True):
        assert text.startswith(started_of(one))


def test_each_has_charts_of_its_own_on_one_scale(
    view: CompareView, qtbot: QtBot
) -> None:
    view.charts.apart.setChecked(True)
    chart = view.charts.pane.chart
    qtbot.waitUntil(lambda: len(chart.rows) == 4)
    qtbot.waitUntil(
        lambda: all(any(one.line is not None for one in r.drawn) for r in chart.rows)
    )

    def ranges() -> list[list[float]]:
        power = [row for row in chart.rows if row.panel.title == "Active power"]
        return [row._plot.getViewBox().viewRange()[1] for row in power]

    qtbot.waitUntil(lambda: len(ranges()) == 2 and ranges()[0] == ranges()[1])
    for row in chart.rows:
        assert len({one.entry.label[-1] for one in row.drawn if one.is_listed}) == 1


def test_the_difference_is_charted_from_samples_of_both(
    view: CompareView, qtbot: QtBot
) -> None:
    view.charts.difference.setChecked(True)
    chart = view.charts.pane.chart
    qtbot.waitUntil(lambda: len(chart.rows) == 4)
    power = chart.rows[3]
    assert power.panel.title == "Active power less A"
    qtbot.waitUntil(lambda: power.drawn[1].line is not None)
    line = power.drawn[1].line
    assert line is not None
    assert power.drawn[0].line is None
    middle = (line.x > 3) & (line.x < 10)
    # The second one does ten percent more, at more power.
    assert 5 < float(np.nanmean(line.mean[middle])) < 40


def test_a_difference_is_of_what_the_chart_above_it_shows(
    view: CompareView, qtbot: QtBot
) -> None:
    chart = view.charts.pane.chart
    qtbot.waitUntil(lambda: len(chart.rows) == 2)
    chart.show_panel("Throughput")
    view.charts.difference.setChecked(True)
    qtbot.waitUntil(lambda: len(chart.rows) == 4)

    def shown() -> list[str]:
        return [row.panel.title for row in chart.rows]

    assert shown()[:2] == ["Throughput", "Throughput less A"]
    chart.rows[0].show_panel("IOPS")
    assert shown()[:2] == ["IOPS", "IOPS less A"]
    chart.rows[1].show_panel("Throughput")
    assert shown()[:2] == ["Throughput", "Throughput less A"]
    # It stays so when the same steps are laid otherwise.
    chart.show_panel("IOPS")
    view.charts.apart.setChecked(True)
    qtbot.waitUntil(lambda: len(chart.rows) == 6)
    assert set(shown()) >= {"IOPS", "IOPS less A"}
    assert not set(shown()) & {"Throughput", "Throughput less A"}


def test_an_empty_difference_says_why(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    lacking = changed_copy(view.folder / "first.bayscope", tmp_path / "no.bayscope")
    with closing(sqlite3.connect(lacking)) as connection, connection:
        connection.execute(
            "UPDATE channel SET quantity = 'Q', unit = 'var' WHERE quantity = 'P'"
        )
    compared(view, view.folder / "first.bayscope", lacking)(qtbot)
    view.charts.difference.setChecked(True)
    chart = view.charts.pane.chart
    qtbot.waitUntil(lambda: len(chart.rows) == 4)
    chart.show_panel("Active power")
    qtbot.waitUntil(chart.rows[3]._why_empty.isVisible)
    # Only one has the step: that is said above the charts.
    other = without(lacking, "Sequential write 4M", tmp_path / "other.bayscope")
    view.compare(view.folder / "first.bayscope", other)
    qtbot.waitUntil(view.charts._remarks.isVisible)


def test_a_difference_ends_with_the_shorter_step(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    short = write_sample(tmp_path / "short.bayscope", step_s=6, silence=False)
    compared(view, short, view.folder / "first.bayscope")(qtbot)
    qtbot.waitUntil(lambda: drawn(view))
    view.charts.difference.setChecked(True)
    chart = view.charts.pane.chart
    qtbot.waitUntil(lambda: len(chart.rows) == 4)
    power = chart.rows[3]
    assert power.panel.title == "Active power less A"
    qtbot.waitUntil(lambda: len(power.drawn) == 2 and power.drawn[1].line is not None)
    line = power.drawn[1].line
    assert line is not None
    known = line.x[np.isfinite(line.mean)]
    # The other one goes on for longer, while the first one runs its next step.
    assert -0.5 < known[0] < 1
    assert 5 < known[-1] < 6.5


def test_what_differs_and_the_notes_stand_in_tables(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    lines = {line.head: line.values[:2] for line in view.facts.model.records}
    assert lines["Campaign"] == ("First run", "Second run")
    assert "Device under test" not in lines
    notes = [line.values[0] for line in view.notes.model.records]
    assert view.comparison is not None
    assert notes == [note for one in view.comparison.about for note in one.notes]
    one, two = view.folder / "first.bayscope", two_meters(tmp_path / "two.bayscope")
    compared(view, one, two)(qtbot)
    lines = {line.head: line.values[:2] for line in view.facts.model.records}
    assert lines["Device under test"] == ("Simulated 60-bay JBOD", "Shelf A")
    assert lines["Power mains2: serial"] == ("-", "SIM-2")


@pytest.mark.parametrize("width", [1280, 1440])
def test_the_table_shows_more_than_two_rows_in_a_small_window(
    view: CompareView, window: MainWindow, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 720)
    view.tabs.setCurrentWidget(view.differences)
    table = view.differences.table
    qtbot.waitUntil(table.isVisible)
    qtbot.waitUntil(
        lambda: (
            table.visualRect(view.differences.model.index(6, 0)).bottom()
            < table.viewport().height()
        )
    )


def test_copies_are_told_apart_by_their_files_and_named_as_copies(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, recorded: Path
) -> None:
    first, copy = tmp_path / "first.bayscope", tmp_path / "copy.bayscope"
    for path in (first, copy):
        shutil.copy(recorded / "first.bayscope", path)
    window.navigation.choose("Compare")
    view = window.pages.compare
    view.set_folder(tmp_path)
    qtbot.waitUntil(lambda: view.picker.count == 2)
    shown = [item.text() for item in view.picker.sessions.items_shown]
    assert sorted(text.partition(" ")[0] for text in shown) == ["copy", "first"]
    compared(view, first, copy)(qtbot)
    assert view.comparison is not None
    same = same_recording_told(view.comparison)
    assert same
    assert same in view.differences.told.text()


def test_sessions_without_a_common_step_say_what_there_is(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first = view.folder / "first.bayscope"
    other = edited(first, tmp_path / "other.bayscope", "label = 'Other ' || id")
    view.compare(first, other)
    qtbot.waitUntil(lambda: "A has Idle, " in view.differences.told.text())
    assert "B has Other 1, " in view.differences.told.text()
    # Any step of one can be laid over any of another.
    for item in view.picker.steps.items_shown:
        wanted = item.text() in ("Random read 4k", "Other 5")
        state = Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked
        item.setCheckState(state)
    qtbot.waitUntil(lambda: len(layers(view)) == 2)
    assert [one.name for one in layers(view)] == ["A Random read 4k", "B Other 5"]


def test_steps_of_one_session_are_laid_over_each_other(
    view: CompareView, qtbot: QtBot
) -> None:
    view.compare(view.folder / "first.bayscope")
    qtbot.waitUntil(lambda: len(view.lanes.records) == 1)
    for item in view.picker.steps.items_shown:
        is_on = item.text() in ("Random read 4k", "Sequential write 4M")
        state = Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked
        item.setCheckState(state)
    wanted = ["A Sequential write 4M", "A Random read 4k"]
    qtbot.waitUntil(lambda: [one.name for one in layers(view)] == wanted)


def test_sessions_without_readings_say_so(window: MainWindow, qtbot: QtBot) -> None:
    window.navigation.choose("Compare")
    view = window.pages.compare
    first, second, *_ = published_sessions()
    view.compare(first, second)
    qtbot.waitUntil(lambda: view.comparison is not None)
    empty = view.charts._empty
    qtbot.waitUntil(lambda: view.charts._stack.currentWidget() is empty)
    assert view.differences.model.rowCount() > 0


def test_sessions_without_steps_are_laid_over_each_other_whole(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    """As imported readings are."""
    copies = []
    for name in ("first", "second"):
        copy = tmp_path / f"{name}.bayscope"
        shutil.copy(view.folder / f"{name}.bayscope", copy)
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute("DELETE FROM result")
            connection.execute("DELETE FROM step")
        copies.append(copy)
    view.compare(*copies)
    qtbot.waitUntil(lambda: [one.session.path for one in layers(view)] == copies)
    assert [one.origin for one in layers(view)] == [START, START]
