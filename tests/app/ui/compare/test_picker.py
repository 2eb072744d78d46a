"""The list of sessions to compare: no two of them look alike."""

from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.record.store import SessionSummary
from app.ui.compare.picker import Picker
from app.ui.kit.context import Context
from instruments.reading import SECOND


def test_sessions_of_one_minute_show_their_seconds_and_how_they_ended(
    qtbot: QtBot, context: Context
) -> None:
    picker = Picker(context)
    qtbot.addWidget(picker)
    one = SessionSummary(Path("a"), "Demo", started=3 * SECOND, verdict="PASS")
    found = [
        one,
        replace(one, path=Path("b"), name="Demo (SHORTENED 1:10)", started=4 * SECOND),
        replace(one, path=Path("c"), started=5 * SECOND, verdict="ABORTED"),
        replace(one, path=Path("d"), started=6 * SECOND, unclean=2),
    ]
    picker.offer(found)
    picker.resize(270, 600)
    picker.grab()
    ticks = picker.sessions
    assert len({item.text() for item in ticks.items_shown}) == 4
    signs = {item.icon().cacheKey() for item in ticks.items_shown}
    assert len(signs) == 3, "PASS, ABORTED and not clean; two that passed are alike"
    # The line that tells them apart is whole, beside tick, letter and sign.
    room = ticks.viewport().width() - ticks.iconSize().width() - 40
    metrics = ticks.fontMetrics()
    for item in ticks.items_shown:
        assert metrics.horizontalAdvance(item.text().splitlines()[1]) < room
        assert item.toolTip().splitlines()[0] in item.text()
    tips = [item.toolTip().splitlines()[2] for item in ticks.items_shown]
    assert tips == ["PASS", "PASS", "ABORTED", "PASS, not clean"]
