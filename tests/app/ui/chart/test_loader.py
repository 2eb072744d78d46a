"""What a chart reads, and when."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.ui.chart.data import Answer, Request
from app.ui.chart.loader import ChartLoader
from app.ui.kit.background import Background
from app.ui.session.record import Record, open_record


class Chart(QObject):
    """What a loader knows of a chart: a wish, and a place for answers."""

    def __init__(self, wish: Request | None) -> None:
        super().__init__()
        self.wish = wish
        self.answers: list[Answer] = []

    def wanted(self) -> Request | None:
        return self.wish


@pytest.fixture
def records(recorded: Path) -> Iterator[list[Record]]:
    names = ("first", "second")
    found = [open_record(recorded / f"{name}.bayscope") for name in names]
    yield found
    for record in found:
        record.close()


def request(record: Record) -> Request:
    shown = ("Power", "Active power")
    return Request((record.layer,), (shown,), (0.0, 84.0), None, 500)


def loader_of(chart: Chart, background: Background) -> ChartLoader:
    loader = ChartLoader(background, chart.wanted, chart)
    loader.loaded.connect(chart.answers.append)
    return loader


def test_many_wishes_become_one_request(
    records: list[Record], background: Background, qtbot: QtBot
) -> None:
    chart = Chart(request(records[0]))
    loader = loader_of(chart, background)
    for _ in range(50):
        loader.refresh()
    qtbot.waitUntil(lambda: len(chart.answers) == 1)
    assert chart.answers[0].lines


def test_a_replay_reads_no_curve_twice(
    records: list[Record], background: Background, qtbot: QtBot
) -> None:
    chart = Chart(request(records[0]))
    loader = loader_of(chart, background)
    loader.refresh()
    qtbot.waitUntil(lambda: len(chart.answers) == 1)
    chart.wish = replace(request(records[0]), limit=records[0].layer.start + 10**9)
    loader.refresh()
    qtbot.waitUntil(lambda: len(chart.answers) == 2)
    assert chart.answers[1].lines == {}
    loader.forget()
    loader.refresh()
    qtbot.waitUntil(lambda: len(chart.answers) == 3)
    assert chart.answers[2].lines


def test_a_session_closed_while_it_is_read_is_no_error(
    records: list[Record], background: Background, qtbot: QtBot
) -> None:
    """The user opens another session before the first one was read."""
    first, second = records
    go = threading.Event()
    for _ in range(3):  # every worker waits, so that the read comes after the close
        background.run(partial(go.wait, 10), lambda _: None)
    chart = Chart(request(first))
    loader = loader_of(chart, background)
    loader.refresh()
    qtbot.waitUntil(lambda: loader._busy)
    first.close()
    chart.wish = request(second)
    go.set()
    qtbot.waitUntil(lambda: len(chart.answers) == 1)


def test_a_session_that_cannot_be_read_is_an_error(
    records: list[Record], qtbot: QtBot
) -> None:
    work = Background()
    chart = Chart(request(records[0]))
    loader = loader_of(chart, work)
    records[0].close()
    with qtbot.waitSignal(work.failed):
        loader.refresh()
    assert chart.answers == []
    assert work.close(120)


def test_nothing_is_read_while_nobody_looks(
    records: list[Record], background: Background, qtbot: QtBot
) -> None:
    chart = Chart(None)
    loader = loader_of(chart, background)
    loader.refresh()
    qtbot.waitUntil(lambda: not loader._timer.isActive())
    assert not loader._busy
    chart.wish = request(records[0])
    loader.refresh()
    qtbot.waitUntil(lambda: len(chart.answers) == 1)
