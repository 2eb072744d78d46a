"""The slot map of a session: it follows the playhead, and gaps say why."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.record.store import Session
from app.ui.kit.context import Context
from app.ui.session.record import Record, open_record
from app.ui.session.slots.page import SlotPage
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND, Channel, Status
from tests.app.ui.sample import START, begin_sample

LOST = Channel("enclosure", "temperature", "degC", "slot60")


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    path, writer = begin_sample(tmp_path / "gap.bayscope", step_s=6)
    writer.gap((LOST,), START, START + 40 * SECOND, Status.TIMEOUT, "no answer")
    writer.set_session(verdict="PASS", outcome="DONE", ended_ns=START + 42 * SECOND)
    writer.finish()
    found = open_record(path)
    yield found
    found.close()


@pytest.fixture
def page(qtbot: QtBot, context: Context, record: Record) -> Iterator[SlotPage]:
    found = SlotPage(context)
    qtbot.addWidget(found)
    found.resize(900, 600)
    found.set_record(record)
    found.show()
    qtbot.waitExposed(found)
    yield found
    found.shut()


def test_it_follows_the_playhead(page: SlotPage, qtbot: QtBot) -> None:
    page.show_at(START + 3 * SECOND)
    qtbot.waitUntil(lambda: len(page.state.known) == 60)
    early = page.state.slots["slot59"].temperature
    page.show_at(START + 20 * SECOND)
    page.show_at(START + 36 * SECOND)
    qtbot.waitUntil(lambda: page.state.slots["slot59"].temperature > early)
    assert page.summary.text() == page.state.summary
    assert "inlet" in page.summary.text()


def test_a_gap_says_its_reason(page: SlotPage, qtbot: QtBot) -> None:
    page.show_at(START + 10 * SECOND)
    qtbot.waitUntil(lambda: "slot60" in page.state.slots)
    assert page.map.tip_of("slot60") == "slot60: gap (timeout)"
    assert "60 of 61 slots read" in page.summary.text()
    assert not page.map.rect_of("slot60").isEmpty()


def test_the_chosen_slot_has_its_curve_below(page: SlotPage, qtbot: QtBot) -> None:
    def labels() -> list[str]:
        return [curve.label for curve, line in page.chart.rows[0].curves if line]

    page.show_at(START + 30 * SECOND)
    qtbot.waitUntil(lambda: labels() == ["All slots", "Inlet"])
    page.map._choose("slot17")
    qtbot.waitUntil(lambda: labels() == ["All slots", "Inlet", "Slot 17"])
    line = page.chart.rows[0].curves[2][1]
    assert line is not None
    assert line.x[-1] <= 30.0


def test_a_session_without_slots_says_so(
    page: SlotPage, recorded: Path, qtbot: QtBot
) -> None:
    page.set_record(None)
    assert page._stack.currentIndex() == 0


def test_layouts_come_from_the_sessions_bench(
    qtbot: QtBot, window: MainWindow, recorded: Path
) -> None:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(recorded / "first.bayscope")
    page = window.pages.sessions.page
    qtbot.waitUntil(lambda: page._record is not None)
    assert "guess" in page.slots.caption.text()
    assert page.slots.map.rect_of("slot00").y() > page.slots.map.rect_of("slot59").y()


def test_the_replay_is_offered_where_something_moves(
    qtbot: QtBot, window: MainWindow, recorded: Path
) -> None:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(recorded / "first.bayscope")
    page = window.pages.sessions.page
    qtbot.waitUntil(lambda: page._record is not None)
    shown = {}
    for index in range(page.tabs.count()):
        page.tabs.setCurrentIndex(index)
        shown[page.tabs.tabText(index).replace("&", "")] = page.replay.isVisible()
    assert shown == {
        "Charts": True,
        "Slots": True,
        "Report": False,
        "Figures": False,
        "Events and gaps": False,
    }


def test_the_map_is_of_the_moment_of_the_replay(
    qtbot: QtBot, window: MainWindow, recorded: Path
) -> None:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(recorded / "first.bayscope")
    page = window.pages.sessions.page
    qtbot.waitUntil(lambda: page._record is not None)
    page.tabs.setCurrentIndex(1)
    page.playhead.seek(START + 5 * SECOND)
    qtbot.waitUntil(lambda: page.slots.state.known.get("slot00") == 29.0)
    with Session.open(recorded / "first.bayscope") as session:
        assert session.info.dut in page.head.facts.text()
