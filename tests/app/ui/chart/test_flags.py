"""Events as flags over the charts: which stand together, click, keys, and back."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.ui.chart.flag_strip import FlagStrip
from app.ui.chart.flags import Flag, clusters, flags_of
from app.ui.chart.layout.layouts import Layouts
from app.ui.kit.context import Context
from app.ui.kit.theme import Theme
from app.ui.session.page import SessionPage
from app.ui.session.record import Record, open_record
from instruments.reading import SECOND


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.session.close()


def flags(*seconds: float, level: str = "info") -> list[Flag]:
    return [
        Flag(x, round(x * SECOND), number, level, f"event {number}")
        for number, x in enumerate(seconds, 1)
    ]


@pytest.fixture
def strip(qtbot: QtBot, theme: Theme) -> FlagStrip:
    found = FlagStrip()
    qtbot.addWidget(found)
    found.set_tokens(theme.tokens)
    found.resize(1080, 16)
    found.set_range(0.0, 100.0, (66.0, 14.0))
    found.show()
    return found


def at(seconds: float) -> QPoint:
    """Where a moment is in the strip: ten pixels a second."""
    return QPoint(round(66 + 10 * seconds) + 2, 8)


def test_every_event_of_a_session_has_a_flag(record: Record) -> None:
    found = flags_of(record.layer)
    assert len(found) == len(record.session.events())
    assert {flag.level for flag in found} == {"info", "warning"}
    assert [one.t_ns for one in found] == sorted(one.t_ns for one in found)
    half = found[len(found) // 2].t_ns
    assert all(one.t_ns <= half for one in flags_of(record.layer, half))


def test_hundreds_of_flags_that_would_touch_stand_together(strip: FlagStrip) -> None:
    strip.set_flags(flags(*(0.1 * n for n in range(900))))
    assert len(strip.shown) <= 60
    assert sum(map(len, strip.shown)) == 900
    # Nearer they come apart, and what is out of sight is not painted.
    strip.set_range(10.0, 12.0, (66.0, 14.0))
    assert [len(one) for one in strip.shown] == [1] * len(strip.shown)
    assert 15 < len(strip.shown) < 25
    assert clusters([], 1.0) == []


def test_a_flag_in_view_is_shown_where_its_cluster_begins_before_the_view(
    qtbot: QtBot, strip: FlagStrip
) -> None:
    before, bad = flags(99.0)[0], Flag(100.5, 0, 9, "error", "mains: gone")
    strip.set_flags([before, bad, *flags(150.0)])
    strip.set_range(100.0, 200.0, (66.0, 14.0))
    assert [[one.x for one in cluster] for cluster in strip.shown] == [
        [99.0, 100.5],
        [150.0],
    ]
    # It stands at what is in view of it.
    chosen: list[int] = []
    strip.chosen.connect(lambda flag: chosen.append(flag.id))
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at(0.5))
    assert chosen == [9]


def test_clusters_stay_what_they_are_while_the_view_moves(strip: FlagStrip) -> None:
    strip.set_flags(flags(*(0.7 * n + 0.3 * (n % 3) for n in range(900))))
    seen: set[tuple[Flag, ...]] = set()
    for step in range(400):
        left = 100.0 + 0.1 * step
        strip.set_range(left, left + 100.0, (66.0, 14.0))
        seen.update(strip.shown)
    members = [one for cluster in seen for one in cluster]
    assert len(members) == len(set(members))


def test_a_click_chooses_what_matters_most_and_then_the_next(
    qtbot: QtBot, strip: FlagStrip
) -> None:
    calm, bad = flags(50.0, 50.5), Flag(50.7, 0, 9, "error", "mains: gone")
    strip.set_flags([*calm, bad])
    chosen: list[int] = []
    strip.chosen.connect(lambda flag: chosen.append(flag.id))
    for _ in range(4):
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at(50))
    assert chosen == [9, 1, 2, 9]
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at(80))
    assert len(chosen) == 4


@pytest.mark.qt_log_ignore("does not support raise")  # of tips, offscreen
def test_keys_go_from_flag_to_flag(qtbot: QtBot, strip: FlagStrip) -> None:
    strip.set_flags(flags(10.0, 40.0, 90.0))
    chosen: list[int] = []
    seen: list[float | None] = []
    strip.chosen.connect(lambda flag: chosen.append(flag.id))
    strip.hovered.connect(seen.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        qtbot.keyClick(strip, key)
    assert seen[:2] == [10.0, 40.0]
    assert chosen == [2]
    assert "event 2" in strip.accessibleDescription()


def test_a_flag_leads_to_its_row_and_the_row_back(
    qtbot: QtBot, context: Context, recorded: Path
) -> None:
    page = SessionPage(context, Layouts())
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.set_record(open_record(recorded / "first.bayscope"))
    chart, log = page.pane.chart, page.happenings.log
    qtbot.waitUntil(lambda: bool(chart.flags.flags) and log.model.rowCount() > 0)
    wanted = next(one for one in chart.flags.flags if one.level == "warning")
    chart.flags.chosen.emit(wanted)
    assert page.tabs.currentWidget() is page.happenings
    place = log._table.currentIndex().row()
    assert log.model.records[place].id == wanted.id
    log._table.activated.emit(log._table.currentIndex())
    assert page.tabs.currentIndex() == 0
    assert page.playhead.position == wanted.t_ns
    assert chart.flags._at == wanted
    # The mouse on a flag shows its moment in all charts.
    chart.flags.hovered.emit(wanted.x)
    assert chart.crosshair.at == wanted.x
    assert context.background.close(120)  # what still reads would miss its session
    page.shut()
