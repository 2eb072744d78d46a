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


def test_sessions_of_several_devices_say_which(qtbot: QtBot, context: Context) -> None:
    picker = Picker(context)
    qtbot.addWidget(picker)
    one = SessionSummary(Path("a"), "Demo", dut="Shelf A", started=SECOND)
    picker.offer([one])
    [item] = picker.sessions.items_shown
    assert "Shelf A" not in item.text()
    low = item.sizeHint().height()
    picker.offer([one, replace(one, path=Path("b"), dut="Shelf B")])
    lines = [item.text().splitlines()[-1] for item in picker.sessions.items_shown]
    assert lines == ["Shelf A", "Shelf B"]
    assert picker.sessions.items_shown[0].sizeHint().height() > low


def test_the_step_that_is_charted_is_in_sight(qtbot: QtBot, context: Context) -> None:
    picker = Picker(context)
    qtbot.addWidget(picker)
    labels = [f"Step {number}" for number in range(60)]
    picker.resize(270, 400)
    picker.show()
    picker.offer_steps(labels, "Step 50")
    steps = picker.steps
    assert picker.labels == ("Step 50",)
    assert steps.currentRow() == 50
    seen = steps.viewport().rect()
    qtbot.waitUntil(
        lambda: (
            seen.intersects(steps.visualItemRect(steps.item(50)))
            and not seen.intersects(steps.visualItemRect(steps.item(0)))
        )
    )
    picker.offer_steps(labels[10:], "Step 20")
    assert steps.currentItem().text() == "Step 50"
