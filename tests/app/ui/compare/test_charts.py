"""Charts of sessions side by side."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.chart.layers import Layer
from app.ui.compare.lanes import Arrangement, Lanes
from app.ui.compare.view import CompareView
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND
from tests.app.ui.compare.compare_page import (
    all_drawn,
    chart_step,
    compared,
    drawn,
    edited,
    layers,
    two_meters,
    without,
)
from tests.app.ui.sample import (
    START,
    changed_copy,
    write_sample,
)


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


def test_the_measured_windows_of_both_are_shaded(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    first = view.folder / "first.bayscope"
    later = "window_start_ns = window_start_ns + 2000000000"
    compared(view, first, edited(first, tmp_path / "b.bayscope", later))(qtbot)
    chart_step(view, "Random read 4k", qtbot)
    marks = view.charts.pane.chart.rows[0].marks

    def shaded() -> list[tuple[str, float]]:
        found = [window.at(5, 0) for window in marks._windows]
        return [(one.layer, one.start) for one in found if one]

    qtbot.waitUntil(lambda: [name for name, _ in shaded()] == ["A", "B"])
    qtbot.waitUntil(lambda: shaded()[1][1] - shaded()[0][1] == pytest.approx(2))


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


def test_a_chart_with_nothing_in_the_step_takes_no_room(
    view: CompareView, qtbot: QtBot
) -> None:
    chart = view.charts.pane.chart
    chart_step(view, "Cool-down", qtbot)
    assert [row.row.name for row in chart.rows] == ["Power"]
    chart_step(view, "Sequential read 4M", qtbot)
    assert [row.row.name for row in chart.rows] == ["Performance", "Power"]


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


def test_what_comes_after_a_shorter_step_is_not_named(
    view: CompareView, qtbot: QtBot, tmp_path: Path
) -> None:
    short = write_sample(tmp_path / "short.bayscope", step_s=6, silence=False)
    compared(view, view.folder / "first.bayscope", short)(qtbot)
    qtbot.waitUntil(lambda: drawn(view))
    load = view.charts.pane.chart.rows[0]
    assert load.panel.title == "Throughput"
    named = [one.entry.label for one in load.drawn if one.is_listed]
    assert named == ["Write · A", "Write · B"]


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


def test_sessions_without_readings_say_so(
    window: MainWindow, qtbot: QtBot, published: list[Path]
) -> None:
    window.navigation.choose("Compare")
    view = window.pages.compare
    first, second, *_ = published
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
