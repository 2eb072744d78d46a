"""The bench page: sources, check, another bench."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.bench import parse_bench
from app.ui.bench_view import BenchView
from app.ui.main_window import MainWindow

NOWHERE = """
name = "Nowhere"
[dut]
name = "No device"
target = "/tmp/none.dat"
size = "16m"
[[power]]
name = "gone"
driver = "hmc8015"
resource = "TCPIP::127.0.0.1::9::SOCKET"
"""


@pytest.fixture
def view(window: MainWindow) -> BenchView:
    return window.bench_page


def states(view: BenchView) -> list[str]:
    return [line.state for line in view.model.records]


def test_the_default_bench_is_shown_as_simulated(
    view: BenchView, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(view.model)
    sources = [line.config.name for line in view.model.records]
    assert sources == ["mains", "enclosure", "noise"]
    assert states(view) == ["unknown"] * 3
    assert view._fake.isVisible()
    assert "scratch file" in view._facts.text()
    assert "was not asked yet" in view._told.text()


def test_check_asks_every_source(view: BenchView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view.check_button, Qt.MouseButton.LeftButton)
    assert not view.check_button.isEnabled()
    assert states(view) == ["checking"] * 3
    qtbot.waitUntil(lambda: states(view) == ["ok"] * 3, timeout=30_000)
    assert view.check_button.isEnabled()
    meter = view.model.records[0]
    assert "HMC8015" in meter.identity
    assert "(simulated)" in meter.identity
    assert meter.reading.startswith("P ")
    assert view.values.rowCount() >= 5
    view.table.choose_row(1)
    assert view.values.rowCount() >= 60
    assert "serial" in view._told.text()


def test_a_source_that_does_not_answer_says_why(view: BenchView, qtbot: QtBot) -> None:
    view.set_bench(parse_bench(NOWHERE, "nowhere.toml"))
    assert not view._fake.isVisible()
    view.check()
    qtbot.waitUntil(lambda: states(view) == ["lost"], timeout=30_000)
    assert "127.0.0.1" in view._told.text()
    assert view.model.index(0, 3).data() == "no answer"


def test_another_bench_is_opened(
    view: BenchView, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(NOWHERE)
    with qtbot.waitSignal(view.bench_chosen):
        view.open(file)
    assert view.bench.name == "Nowhere"
    assert window._state.text().startswith("Nowhere")
