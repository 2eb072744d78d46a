"""The bench page: sources, check, what is known of each, another bench."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.bench.edit import put_source, remove_source
from app.bench.file import parse_bench
from app.operations.bench.check import SourceCheck
from app.ui.bench.view import BenchView
from app.ui.window.main_window import MainWindow
from instruments.errors import BenchError

NOWHERE = """
name = "Nowhere"
[dut]
name = "No device"
target = "{folder}/none.dat"
size = "16m"
[[power]]
name = "gone"
driver = "hmc8015"
resource = "{meter}"
calibrated = 2020-02-29
"""


@pytest.fixture
def nowhere(tmp_path: Path, dead_meter: str) -> str:
    return NOWHERE.format(folder=tmp_path, meter=dead_meter)


@pytest.fixture
def view(window: MainWindow) -> BenchView:
    window.navigation.choose("Bench")
    return window.pages.bench


def states(view: BenchView) -> list[str]:
    return [line.state for line in view.model.records]


def facts(view: BenchView) -> dict[str, str]:
    return {name: text for name, text, _ in view.detail.facts}


def test_the_default_bench_is_shown_as_simulated(
    view: BenchView, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(view.model)
    sources = [line.config.name for line in view.model.records]
    assert sources == ["mains", "enclosure", "noise"]
    assert states(view) == ["unknown"] * 3
    assert view.head.chip.isVisible()
    assert not view.head.unsaved.isVisible()
    assert "scratch file" in view.head.facts.text()
    assert "has not been checked yet" in view.detail.answer.text()
    assert facts(view)["Driver"] == "Rohde & Schwarz HMC8015"
    assert facts(view)["Calibrated"] == "not set"


def test_check_asks_every_source(view: BenchView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view.check_button, Qt.MouseButton.LeftButton)
    assert not view.check_button.isEnabled()
    assert states(view) == ["checking"] * 3
    qtbot.waitUntil(lambda: states(view) == ["ok"] * 3)
    assert view.check_button.isEnabled()
    meter = view.model.records[0]
    assert "HMC8015" in meter.identity
    assert "(simulated)" in meter.identity
    assert meter.reading.startswith("P ")
    assert view.detail.values.rowCount() >= 5
    assert "," in view.detail.raw.toPlainText()
    assert facts(view)["One reading took"].endswith("ms")
    view.table.choose_row(1)
    assert view.detail.values.rowCount() >= 60
    assert "serial" in facts(view)["Identity"]


def test_one_source_is_asked_and_the_others_stay(view: BenchView, qtbot: QtBot) -> None:
    view.table.choose_row(2)
    view.bar.buttons["check_one"].click()
    assert states(view) == ["unknown", "unknown", "checking"]
    qtbot.waitUntil(lambda: states(view)[2] == "ok")
    assert states(view)[:2] == ["unknown", "unknown"]
    view.file.change(remove_source(view.bench, "mains"))
    assert states(view) == ["unknown", "ok"]
    assert view.head.title.text().endswith("*")


def test_a_source_that_does_not_answer_says_why(
    view: BenchView, qtbot: QtBot, nowhere: str
) -> None:
    view.file.take(parse_bench(nowhere, "nowhere.toml"))
    assert not view.head.chip.isVisible()
    view.check()
    qtbot.waitUntil(lambda: states(view) == ["lost"])
    assert "127.0.0.1" in view.detail.answer.text()
    assert "2020-02-29" in facts(view)["Calibrated"]
    assert "overdue by" in facts(view)["Calibrated"]
    assert view.model.index(0, 3).data() == "no answer"
    assert "connection refused" in view.model.index(0, 4).data().lower()


def test_a_source_that_was_changed_is_not_checked_any_more(
    view: BenchView, qtbot: QtBot
) -> None:
    view.check()
    qtbot.waitUntil(lambda: states(view) == ["ok"] * 3)
    keys = {"name": "mains", "driver": "hmc8015", "resource": "simulated"}
    view.file.change(
        put_source(view.bench, "power", {**keys, "period": 0.5}, instead_of="mains")
    )
    assert states(view) == ["unknown", "ok", "ok"]


def test_a_source_that_is_changed_while_it_is_asked_has_no_answer(
    view: BenchView, qtbot: QtBot, nowhere: str, dead_meter: str
) -> None:
    view.file.take(parse_bench(nowhere, "nowhere.toml"))
    view.check()
    keys = {"name": "gone", "driver": "hmc8015"}
    elsewhere = {**keys, "resource": "TCPIP::127.0.0.1::7::SOCKET"}
    view.file.change(put_source(view.bench, "power", elsewhere, instead_of="gone"))
    qtbot.waitUntil(view.check_button.isEnabled)
    assert states(view) == ["unknown"]
    assert dead_meter not in view.detail.answer.text()


def test_what_a_new_source_answered_when_it_was_tried_is_shown(
    view: BenchView,
) -> None:
    resource = "TCPIP::127.0.0.1::1::SOCKET"
    keys = {"name": "second", "driver": "hmc8015", "resource": resource}
    view.file.change(put_source(view.bench, "power", keys))
    check = SourceCheck(
        "second", "power", "hmc8015", "x", error=BenchError("nothing listens")
    )
    view.dialogs.put.emit("second", check)
    assert view.chosen is not None
    assert view.chosen.check is check
    assert view.chosen.state == "lost"
    assert states(view).count("unknown") == 3


def test_another_bench_is_opened(
    view: BenchView, window: MainWindow, qtbot: QtBot, tmp_path: Path, nowhere: str
) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(nowhere)
    with qtbot.waitSignal(view.bench_chosen):
        view.dialogs.open(file)
    assert view.bench.name == "Nowhere"
    assert view.file.path == file
    assert window.status.state.text().startswith("Nowhere")
    assert window.windowTitle() == "Bayscope"


def test_a_bench_without_sources_says_what_to_do(view: BenchView) -> None:
    bench = view.bench
    for source in bench.sources:
        bench = remove_source(bench, source.name)
    view.file.change(bench)
    assert "no sources yet" in view.detail.answer.text()
    assert not view.check_button.isEnabled()
    assert not view.bar.buttons["remove"].isEnabled()
    assert not view.bar.buttons["password"].isVisible()
