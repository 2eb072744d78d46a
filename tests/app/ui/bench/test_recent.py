"""The bench of last time is opened again, and the last ones are at hand."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.plan.campaign import parse_campaign
from app.ui.bench import recent as recent_module
from app.ui.bench.recent import RecentBenches, last_bench
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.run.control import RunPlan
from app.ui.window.main_window import MainWindow
from app.ui.window.status_line import StatusLine

REST = """
name = "Rest"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1m"
"""


def write(path: Path, name: str) -> Path:
    path.write_text(default_bench().text.replace("Simulated bench", name))
    return path


def offered(recent: RecentBenches) -> list[str]:
    recent.fill()
    actions = recent.menu.actions()
    return [action.text().partition("   ")[0] for action in actions if action.text()]


def test_the_last_bench_is_opened_again(
    window: MainWindow, settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    assert last_bench(settings)[0].name == "Simulated bench"
    view = window.pages.bench
    for name in ("one", "two"):
        path = write(tmp_path / f"{name}.toml", name.capitalize())
        with qtbot.waitSignal(view.bench_chosen):
            view.dialogs.open(path)
    again = Settings(settings.path)
    bench, trouble = last_bench(again)
    assert (bench.name, trouble) == ("Two", None)
    assert bench.file == str(tmp_path / "two.toml")
    assert offered(view.recent) == ["&1  two", "&2  one", "&Simulated bench"]
    with qtbot.waitSignal(view.bench_chosen):
        view.recent.menu.actions()[1].trigger()
    assert view.bench.name == "One"
    assert last_bench(settings)[0].name == "One"
    view.recent.fill()
    view.recent.menu.actions()[-1].trigger()
    assert view.bench.is_simulated
    assert last_bench(settings)[0].name == "Simulated bench"


def test_a_bench_that_is_gone_or_damaged_is_told(
    window: MainWindow, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    view = window.pages.bench
    path = tmp_path / "mine.toml"
    view.file.save(path)
    path.write_text("name = \n")
    bench, trouble = last_bench(settings)
    assert bench.is_simulated
    assert "mine.toml, line 1" in str(trouble)
    assert "The simulated bench is open instead." in str(trouble)
    path.unlink()
    bench, trouble = last_bench(settings)
    assert bench.name == "Simulated bench"
    assert "no longer exists" in str(trouble)
    view.recent.fill()
    first = view.recent.menu.actions()[0]
    qtbot.waitUntil(lambda: first.text().endswith(", gone"))
    assert not first.isEnabled()


def test_a_bench_on_a_server_that_is_gone_does_not_keep_the_window_away(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = threading.Event()
    monkeypatch.setattr(recent_module, "load_bench", lambda _: back.wait())
    monkeypatch.setattr(recent_module, "_PATIENCE_S", 0.1)
    path = write(tmp_path / "mine.toml", "Mine")
    settings.put("bench", str(path))
    bench, trouble = last_bench(settings)
    back.set()
    assert bench.is_simulated
    assert str(trouble).startswith(f"{path}: it took longer than 0.1 s")
    assert "The simulated bench is open instead." in str(trouble)


def test_the_status_line_names_the_bench_of_the_run(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    other = replace(default_bench(), name="Other bench")
    window.starter.begin(RunPlan(parse_campaign(REST, "rest.toml"), other, tmp_path))
    assert window.status.state.text().startswith("Running on Other bench")
    assert "open bench: Simulated bench" in window.status.state.text()
    with qtbot.waitSignal(window.run.finished):
        qtbot.waitUntil(lambda: window.pages.live.record is not None)
        window.run.stop()
    assert window.status.state.text().startswith("Simulated bench")


def test_a_run_on_the_bench_in_hand_is_no_news(qtbot: QtBot, context: Context) -> None:
    line = StatusLine(context)
    qtbot.addWidget(line)
    line.show_bench(default_bench(), changed=True, runs_on="Simulated bench")
    assert line.state.text().startswith("Simulated bench *")
