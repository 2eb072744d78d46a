"""A real campaign on the simulated bench, started, followed and stopped here."""
# mypy: disallow-untyped-calls=False

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.operations.run.run import RunResult
from app.plan.campaign import parse_campaign
from app.plan.cleanness import NEAR_LIMIT, UNCLEAN
from app.plan.limits import FOREIGN, NEAR
from app.plan.verdict import Verdict
from app.record.store import Result, Session, Writer
from app.ui.run import live_view
from app.ui.run.control import RunPlan
from app.ui.run.start_dialog import StartDialog
from app.ui.session.record import Record, open_record
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND, Reading, Status
from tests.app.ui.dialogs import choose_campaign, once_open
from tests.app.ui.sample import NOISE, START, begin_sample

SHORT = """
name = "Short"
[[step]]
label = "Rest"
engine = "idle"
runtime = "2s"
[[step]]
label = "Read"
engine = "fio"
runtime = "3s"
[step.fio]
rw = "read"
bs = "1m"
"""
LONG = 'name = "Long"\n[[step]]\nlabel = "Rest"\nengine = "idle"\nruntime = "300s"\n'


def plan(window: MainWindow, text: str, folder: Path) -> RunPlan:
    bench = window.pages.bench.bench.with_target(folder / "scratch.dat", 16 * 2**20)
    return RunPlan(parse_campaign(text, "test.toml"), bench, folder / "out")


def begin_long(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    window.starter.begin(plan(window, LONG, folder))
    live = window.pages.live
    qtbot.waitUntil(lambda: live.record is not None)


def cards(window: MainWindow) -> dict[str, str]:
    found = window.pages.live.panel.readouts.cards
    return {one._readout.caption: one.shown.value for one in found}


def test_a_campaign_is_recorded_and_shown_as_it_happens(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    results: list[RunResult] = []
    window.run.finished.connect(results.append)
    live = window.pages.live
    tops: list[int] = []
    live.watcher.read.connect(
        lambda _: None if results or not live.record else tops.append(live._stack.y())
    )
    window.starter.begin(plan(window, SHORT, tmp_path))
    assert window.pages.currentWidget() is live
    assert not window.tools.start.isEnabled()
    assert window.tools.stop.isEnabled()
    assert window.focusWidget().accessibleName() == "Live"
    assert live._empty._title.text() != "Nothing is being recorded"
    assert "Short" in live._empty.text
    qtbot.waitUntil(lambda: live.record is not None)
    qtbot.waitUntil(
        lambda: "running" in [line.state for line in live.panel.steps.model.records],
    )
    qtbot.waitUntil(lambda: bool(cards(window).get("Power")))
    assert "to go" in live.panel.steps._text.text()
    qtbot.waitUntil(lambda: bool(cards(window).get("Read throughput")))
    qtbot.waitUntil(lambda: bool(results))
    assert results[0].exit_code == 0
    assert len(set(tops)) == 1  # no verdict of a step moves what is below it
    qtbot.waitUntil(
        lambda: (
            [line.state for line in live.panel.steps.model.records] == ["PASS", "PASS"]
        )
    )
    qtbot.waitUntil(lambda: len(live.panel.pane.chart.rows) == 4)
    assert live.panel.log.model.rowCount() > 0
    assert live.panel.pane._fake.isVisible()
    assert "PASS" in live.panel.steps._text.text()
    assert window.tools.start.isEnabled()
    with Session.open(results[0].session) as session:
        assert session.state == "complete"
        assert len(session.report_table()) == 2
    window.navigation.choose("Sessions")
    sessions = window.pages.sessions
    qtbot.waitUntil(lambda: sessions.record is not None)
    assert sessions.record is not None
    assert sessions.record.path == results[0].session


def test_stop_ends_the_run_and_keeps_the_data(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    begin_long(window, tmp_path, qtbot)
    live = window.pages.live
    assert live.record is not None
    window.work.mark(live.record, live.playhead.position, "door opened")
    qtbot.waitUntil(
        lambda: (
            "door opened" in [record.message for record in live.panel.log.model.records]
        )
    )
    with qtbot.waitSignal(window.run.finished) as finished:
        window.tools.stop.trigger()
        assert window.steering.word.text() == "Stop the run?"
        window.steering.yes.click()
        assert not window.tools.stop.isEnabled()
        assert "Stopping" in window.pages.live.panel.steps._text.text()
    assert finished.args[0].exit_code == 4
    qtbot.waitUntil(lambda: live.panel.readouts.title == "Last readings")
    assert not window.tools.mark.isEnabled()
    assert window.tools.report.isEnabled()
    with Session.open(finished.args[0].session) as session:
        assert session.info.verdict == "ABORTED"
        assert session.extent()[1] > 0


@pytest.mark.parametrize("answer", ["Stop and close", "Keep running"])
def test_closing_during_a_run_asks_first(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, answer: str
) -> None:
    begin_long(window, tmp_path, qtbot)
    asked: list[str] = []

    def reply(dialog: QMessageBox) -> None:
        asked.append(dialog.text())
        texts = {button.text(): button for button in dialog.buttons()}
        assert dialog.defaultButton() is texts["Keep running"]
        assert all(text.icon().isNull() for text in texts.values())
        texts[answer].click()

    once_open(QMessageBox, reply)
    window.close()
    assert asked
    assert "kept" in asked[0]
    if answer == "Keep running":
        assert window.isVisible()
        assert window.run.is_running
        assert not window.run.is_stopping
    else:
        qtbot.waitUntil(lambda: not window.isVisible())
        assert not window.run.is_running


def test_launch_start_run_start(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Two clicks: Start run in the window, Start in the dialog."""
    file = tmp_path / "long.toml"
    file.write_text(LONG)

    def fill_and_start(dialog: StartDialog) -> None:
        choose_campaign(dialog, file, qtbot)
        dialog.form.target.setText(str(tmp_path / "scratch.dat"))
        dialog.form.out.setText(str(tmp_path / "out"))
        qtbot.keyClick(dialog, Qt.Key.Key_Return)

    once_open(StartDialog, fill_and_start)
    button = window.tools.widgetForAction(window.tools.start)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.run.is_running
    qtbot.waitUntil(lambda: window.pages.live.record is not None)


def test_a_bench_that_does_not_answer_is_a_sentence(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, recorded: Path
) -> None:
    wanted = plan(window, LONG, tmp_path)
    without = ["nobody", "noise"]
    wrong = RunPlan(wanted.campaign, wanted.bench, tmp_path / "out", without)
    window.navigation.choose("Sessions")
    asked: list[StartDialog] = []

    def look(dialog: StartDialog) -> None:
        asked.append(dialog)
        assert "nobody" in dialog.error
        assert dialog.form.campaigns.box.currentText().startswith("Long")
        assert dialog.form.out.text() == str(tmp_path / "out")
        assert dialog.form.target.text() == str(tmp_path / "scratch.dat")
        assert [box.isChecked() for box in dialog.form.sources] == [True, True, False]
        dialog.reject()

    with qtbot.waitSignal(window.run.failed) as failed:
        window.starter.begin(wrong)
        once_open(StartDialog, look)
    assert 'no source "nobody"' in str(failed.args[0])
    qtbot.waitUntil(lambda: bool(asked))
    assert window.tools.start.isEnabled()
    assert window.pages.currentWidget() is window.pages.sessions


def follow(window: MainWindow, folder: Path) -> tuple[Writer, live_view.LiveView]:
    """Begin a sample, and follow it on the page Live."""
    path, writer = begin_sample(folder / "now.bayscope", step_s=2, silence=False)
    window.navigation.choose("Live")
    window.pages.live.watch(path)
    return writer, window.pages.live


def test_a_session_recorded_elsewhere_is_followed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    writer, live = follow(window, tmp_path)
    qtbot.waitUntil(lambda: live.record is not None)
    end = START + 14 * SECOND
    for second in range(1, 6):
        t_ns = end + second * SECOND
        ok = (Status.OK, Status.OK)
        writer.append([Reading(NOISE, t_ns, t_ns, (70.0 + second, 75.0), ok)])
        writer.event(t_ns, "info", "noise", f"second {second}")
        writer.commit()
    qtbot.waitUntil(lambda: live.playhead.position >= end + 5 * SECOND)
    qtbot.waitUntil(lambda: cards(window).get("Noise") == "75.0")
    messages = [event.message for event in live.panel.log.model.records]
    assert messages[-5:] == [f"second {second}" for second in range(1, 6)]
    writer.finish()
    qtbot.waitUntil(lambda: not live.is_following)


def test_a_row_is_not_clean_as_soon_as_it_is_judged(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    writer, live = follow(window, tmp_path)
    qtbot.waitUntil(lambda: bool(live.panel.steps.model.records))
    step = writer.add_step(9, "Read", "fio", "")
    writer.result(step, Result(FOREIGN, 60.0, "%", 0, 1))
    writer.result(step, Result(NEAR, 1.0, "", 0, 1))
    end = START + 20 * SECOND
    writer.update_step(step, verdict="PASS", start_ns=START, end_ns=end)
    writer.commit()
    qtbot.waitUntil(lambda: live.panel.steps.model.records[-1].state == "PASS")
    marks = [line.marks for line in live.panel.steps.model.records[-2:]]
    assert marks == ["", f"{NEAR_LIMIT}{UNCLEAN}"]
    assert live.verdict.word.text() == f"PASS{NEAR_LIMIT}{UNCLEAN}"
    assert live.is_following
    writer.finish()
    qtbot.waitUntil(lambda: not live.is_following)


def test_charts_may_read_on_until_another_session_is_open(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, writer = begin_sample(tmp_path / "one.bayscope", step_s=2, silence=False)
    second, other = begin_sample(tmp_path / "two.bayscope", step_s=2, silence=False)
    live = window.pages.live
    chart = live.panel.pane.chart
    window.navigation.choose("Live")
    live.watch(first)
    qtbot.waitUntil(lambda: bool(chart.rows) and not live.watcher.is_busy)
    failed: list[Exception] = []
    live._background.failed.connect(failed.append)
    may_open = threading.Event()

    def open_late(path: Path) -> Record:
        assert may_open.wait(60)
        return open_record(path)

    monkeypatch.setattr(live_view, "open_record", open_late)
    live.watch(second)
    with qtbot.waitSignal(chart.loaded, timeout=60_000):
        chart.zoom.zoom_in()
    may_open.set()
    qtbot.waitUntil(lambda: [one.session.path for one in chart.layers] == [second])
    assert failed == []
    writer.finish()
    other.finish()


def test_the_end_is_shown_even_while_a_read_is_under_way(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    writer, live = follow(window, tmp_path)
    qtbot.waitUntil(
        lambda: bool(live.panel.steps.model.records) and not live.watcher.is_busy
    )
    live.watcher.stop()
    live.watcher.beat()
    # Once every worker is here that read is over, but its answer is not taken yet.
    meeting = threading.Barrier(4)
    for _ in range(3):
        live._background.run(meeting.wait, lambda _: None)
    meeting.wait(60)
    assert live.watcher.is_busy
    writer.update_step(1, verdict="FAIL")
    writer.event(START + 14 * SECOND, "info", "runner", "The very last")
    writer.finish()
    live._end(RunResult(writer.path, Verdict.FAIL, "too slow"))
    assert not live.watcher.is_beating
    qtbot.waitUntil(lambda: live.panel.steps.model.records[0].state == "FAIL")
    assert live.panel.log.model.records[-1].message == "The very last"
    assert not live.watcher.is_beating
