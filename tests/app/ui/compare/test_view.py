"""Sessions side by side."""
# mypy: disallow-untyped-calls=False

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.analysis.compare_notes import same_recording_told
from app.operations.sessions.comparison_file import FORMS, comparison_name
from app.report.provenance import CHANGED
from app.ui.compare.model import LOAD_ROLE, PARTS_ROLE
from app.ui.compare.view import CompareView
from app.ui.kit.settings import Settings
from app.ui.kit.tables import Looked
from app.ui.session.export_dialog import ExportDialog
from app.ui.session.list import started_of
from app.ui.window.main_window import MainWindow
from tests.app.ui.compare.compare_page import (
    chart_step,
    compared,
    drawn,
    edited,
    layers,
    names,
    two_meters,
)
from tests.app.ui.dialogs import once_open
from tests.app.ui.sample import (
    changed_copy,
    open_files,
    write_sample,
)
from tests.load_hosts import with_hosts


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


def test_one_that_was_changed_after_its_run_is_told(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    """It is drawn first; the hash is checked aside."""
    first = view.folder / "first.bayscope"
    other = changed_copy(first, tmp_path / "other.bayscope")
    view.compare(first, other)
    qtbot.waitUntil(lambda: CHANGED in view.differences.told.text())
    assert f"B: {CHANGED}" in view.differences.told.text()


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
    inspector = view.differences.inspector
    pages = inspector.pages
    qtbot.waitUntil(pages.isVisible)
    titles = [pages.tabText(n) for n in range(pages.count())]
    assert {"Explanation A", "Samples A", "Explanation B", "Samples B"} <= set(titles)
    assert [layer.name for layer in inspector.chart.layers] == ["A", "B"]
    assert {layer.lane for layer in inspector.chart.layers} == {0, 1}
    for layer in inspector.chart.layers:  # both windows begin at the same place
        step = next(s for s in layer.session.steps() if s.label == model.labels[5])
        assert layer.origin == step.window_start_ns
    assert {shown for _, shown in inspector.chart.plots.panels} == {"Active power"}
    assert view.tabs.currentWidget() is view.differences
    assert view.picker.labels == ("Mixed 4k/64k/256k/2M",)
    view.tabs.setCurrentWidget(view.charts)
    power = view.charts.pane.chart.rows[1]

    def are_marked() -> bool:
        return len(power.drawn) == 2 and all(one.counted for one in power.drawn)

    qtbot.waitUntil(are_marked)
    inspector.fold()
    assert not any(one.counted for one in power.drawn)


def test_the_row_of_a_host_leads_to_its_step_and_its_result(
    view: CompareView, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    paths = [tmp_path / "one.bayscope", tmp_path / "two.bayscope"]
    for path, name in zip(paths, ("first", "second"), strict=True):
        shutil.copy(view.folder / f"{name}.bayscope", path)
        with_hosts(path, {"load1": 600.0, "load2": 400.0})
    compared(view, *paths)(qtbot)
    model, table = view.differences.model, view.differences.table
    step = "Sequential write 4M"
    view.picker.choose_step("Idle")
    at = model.labels.index(f"{step}, load2")
    table.choose_row(at)
    qtbot.waitUntil(lambda: view.picker.labels == (step,))
    assert table.currentIndex().row() == at
    asked: list[object] = []
    view.differences.cell_wanted.connect(lambda *what: asked.append(what))
    column = next(n for n in range(9) if model.metric_at(n) == "iops")
    table.activated.emit(model.index(at, column))
    assert asked == [(step, "iops.load2", [0, 1], Looked.ASKED)]
    pages = view.differences.inspector.pages
    qtbot.waitUntil(lambda: bool(pages.count()))
    assert pages.tabText(0) == "Explanation A"


def test_a_label_leads_to_no_samples(view: CompareView, qtbot: QtBot) -> None:
    model, table = view.differences.model, view.differences.table
    with qtbot.assertNotEmitted(view.differences.cell_wanted):
        table.activated.emit(model.index(5, 0))
        table.activated.emit(model.index(5, model.columnCount() - 1))  # the verdict


def test_the_row_of_the_step_shown_is_marked(view: CompareView, qtbot: QtBot) -> None:
    assert view.differences.table.chosen_row() == 1
    chart_step(view, "Random read 4k", qtbot)
    assert view.differences.table.chosen_row() == 4


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
    monkeypatch.setattr("app.ui.session.export_dialog._pages_of", lambda *_: [])

    def fill(dialog: ExportDialog) -> None:
        assert list(dialog.formats) == list(FORMS)
        for name, box in dialog.formats.items():
            box.setChecked(name in ("md", "csv"))
        dialog.language.setCurrentIndex(dialog.language.findData("de"))
        dialog.folder.setText(str(tmp_path / "out"))
        dialog.accept()

    once_open(ExportDialog, fill)
    view.picker._export.click()
    written = tmp_path / "out" / f"{comparison_name(['first', 'second'])}.md"
    qtbot.waitUntil(written.with_suffix(".csv").exists, timeout=120_000)
    assert "Zusammenfassung" in written.read_text(encoding="utf-8")


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
    # What has to be said moves nothing of the bar, and does not speak of steps.
    at = view.charts.difference.mapTo(view, QPoint())
    view.charts.difference.setChecked(True)
    qtbot.waitUntil(view.charts._remarks.isVisible)
    assert view.charts._remarks.text() == "Tick a second session to see differences."
    qtbot.waitUntil(lambda: view.charts._remarks.y() > view.charts._stack.y())
    assert view.charts.difference.mapTo(view, QPoint()) == at


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


def test_the_marked_session_stays_marked_in_a_list_that_came_anew(
    view: CompareView, qtbot: QtBot
) -> None:
    shown = view.picker.sessions
    # Those that are compared stand in it before the folder is read.
    qtbot.waitUntil(lambda: len(view.picker._summaries) == 2)

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
    # A narrow list cuts long names: what tells them apart has a line of its own.
    listed = view.picker._summaries
    texts = [one.text() for one in ticks.items_shown]
    for text, one in zip(texts, listed, strict=True):
        assert text.splitlines()[1].startswith(started_of(one))


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
    qtbot.waitUntil(lambda: "(A: Idle, " in view.differences.told.text())
    assert "B: Other 1, " in view.differences.told.text()
    # Any step of one can be laid over any of another.
    for item in view.picker.steps.items_shown:
        wanted = item.text() in ("Random read 4k", "Other 5")
        state = Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked
        item.setCheckState(state)
    qtbot.waitUntil(lambda: len(layers(view)) == 2)
    assert [one.name for one in layers(view)] == ["A Random read 4k", "B Other 5"]


def test_the_part_that_was_chosen_outlives_the_program_and_a_session_alone(
    view: CompareView, settings: Settings, qtbot: QtBot
) -> None:
    first, second = sorted(view.folder.glob("*.bayscope"))[:2]
    view.keep_in(Settings(settings.path))
    qtbot.keyClick(view.tabs.tabBar(), Qt.Key.Key_Right)
    assert view.tabs.currentWidget() is view.differences
    view.compare(first)
    qtbot.waitUntil(lambda: view.lanes.paths == (first,))
    assert view.tabs.currentWidget() is not view.differences, "nothing to tell apart"
    compared(view, first, second)(qtbot)
    assert view.tabs.currentWidget() is view.differences
    view.tabs.setCurrentWidget(view.charts)
    other = Settings(settings.path)
    assert other.get("comparison") == "charts"
    other.put("comparison", "results")
    view.keep_in(other)
    assert view.tabs.currentWidget() is view.results
