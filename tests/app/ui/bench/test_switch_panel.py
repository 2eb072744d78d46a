"""Switches in the window: what is on, what is greyed, asked, done and written down."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.bench.model import Bench
from app.operations.bench.switching import journal_file
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from app.ui.bench.switch_panel import SwitchPanel
from app.ui.kit.context import Context
from tests.app.operations.bench.test_switch_check import MORE
from tests.app.operations.switch_bench import serve, switch_bench
from tests.app.record.recording import INFO
from tests.app.ui.dialogs import once_open, press
from tests.redfish_server import RedfishServer


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedfishServer]:
    yield from serve(monkeypatch)


@pytest.fixture
def bench(service: RedfishServer) -> Bench:
    return switch_bench(service, MORE)


@pytest.fixture
def panel(qtbot: QtBot, context: Context, bench: Bench) -> SwitchPanel:
    found = SwitchPanel(context)
    qtbot.addWidget(found)
    found.set_bench(bench)
    found.show()
    return found


def answer(name: str) -> list[str]:
    """Press a button of the next message; return what was asked."""
    asked: list[str] = []

    def note(box: QMessageBox) -> None:
        asked.append(box.text())
        press(name)(box)

    once_open(QMessageBox, note)
    return asked


def test_it_lists_what_is_on_and_what_may_be_done(
    panel: SwitchPanel, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(panel.model)
    with qtbot.waitSignal(panel.checked):
        panel.check()
    states = [line.state for line in panel.model.records]
    assert states == ["ok", "lost", states[2]]
    assert panel.model.records[0].summary == "on"
    buttons = panel.controls.buttons
    assert buttons["off"].isEnabled()
    assert not buttons["on"].isEnabled()
    assert 'add "on" to allow' in buttons["on"].toolTip()


def test_nothing_is_done_before_it_was_asked(
    panel: SwitchPanel, qtbot: QtBot, service: RedfishServer
) -> None:
    asked = answer("Cancel")
    qtbot.mouseClick(panel.controls.buttons["off"], Qt.MouseButton.LeftButton)
    assert "loses its power at once" in asked[0]
    assert not service.asked
    assert not journal_file().exists()


def test_what_was_done_is_told_marked_and_read_again(
    panel: SwitchPanel, qtbot: QtBot, service: RedfishServer, tmp_path: Path
) -> None:
    path = tmp_path / "s.bayscope"
    recorder = Recorder(path, INFO, clock=SystemClock())
    recorder.start()
    panel.work.recording = lambda: path
    asked = answer("Turn off")
    with qtbot.waitSignal(panel.checked):
        qtbot.mouseClick(panel.controls.buttons["off"], Qt.MouseButton.LeftButton)
    recorder.close()
    assert "A session is being recorded" in asked[0]
    assert service.tree["/Systems/1"]["PowerState"] == "Off"
    assert panel.controls.answer.text().endswith("the system is off")
    assert panel.model.records[0].summary == "off"
    with Session.open(path) as session:
        assert [annotation.kind for annotation in session.annotations()] == ["mark"]
    assert journal_file().exists()


def test_a_refusal_is_told_in_place(panel: SwitchPanel, qtbot: QtBot) -> None:
    panel.table.choose_row(2)
    with qtbot.waitSignal(panel.work.refused):
        qtbot.mouseClick(panel.controls.buttons["fan"], Qt.MouseButton.LeftButton)
    assert panel.controls.answer.property("tone") == "error"
    assert panel.controls.answer.text()
    assert panel.controls.buttons["fan"].isEnabled()


def test_places_are_fields_of_their_own(panel: SwitchPanel) -> None:
    panel.table.choose_row(1)
    assert set(panel.controls.places) == {"Power"}
    panel.table.choose_row(2)
    assert set(panel.controls.places) == {"Locate", "Fans"}
    wanted: list[tuple[str, str]] = []
    panel.controls.wanted.disconnect()
    panel.controls.wanted.connect(lambda *one: wanted.append(one))
    panel.controls.buttons["fan"].click()
    panel.controls.buttons["locate"].click()
    assert wanted == [("fan", "1"), ("locate", "0")]


def test_a_bench_without_switches_shows_none(panel: SwitchPanel, bench: Bench) -> None:
    panel.set_bench(replace(bench, switches=()))
    assert not panel.isVisible()
    assert panel.chosen is None
