"""The pre-flight in the start dialog: lines that help, and a start all the same."""
# mypy: disallow-untyped-calls=False

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.operations.bench.lock import only_program
from app.operations.preflight.finding import Finding, Help, Level, ok, stop, warn
from app.plan.campaign import parse_campaign
from app.record.store import Session
from app.ui.campaign.chooser import shipped_campaigns
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from app.ui.run import preflight_work
from app.ui.run.control import RunPlan
from app.ui.run.preflight_start import PreflightPanel, notes_of, summary
from app.ui.run.preflight_work import Flight, PreflightWork
from app.ui.run.start_dialog import StartDialog
from app.ui.window.main_window import MainWindow
from tests.app.ui.dialogs import choose_campaign, once_open

FOUND = [
    stop("Sources", "mains does not answer", Help.BENCH, "mains"),
    warn("CPU governor", "powersave", Help.COMMAND, "cpupower frequency-set"),
    ok("Disk space", "64 GiB are free"),
]
PLAN = """
name = "Short"
[[step]]
label = "Rest"
engine = "idle"
runtime = "300ms"
"""


def test_the_summary_counts_and_notes_leave_out_what_is_fine() -> None:
    assert summary(FOUND) == "1 stop, 1 warning, 1 OK"
    assert notes_of(FOUND) == [
        "STOP: Sources: mains does not answer",
        "Warning: CPU governor: powersave",
    ]
    assert notes_of(None) == ["the pre-flight had not ended"]


def test_lines_have_words_and_buttons(qtbot: QtBot, icons: Icons) -> None:
    panel = PreflightPanel(icons)
    qtbot.addWidget(panel)
    panel.show_looking()
    assert not panel.again.isEnabled()
    panel.show_found(FOUND)
    stops = [panel.says_stop]
    wanted: list[Finding] = []
    panel.help_wanted.connect(wanted.append)
    for button, _ in panel.helps:
        button.click()
    assert wanted == FOUND[:2]
    panel.show_trouble("the simulator did not start")
    assert [*stops, panel.says_stop] == [True, False]
    assert panel.notes == ["the pre-flight failed: the simulator did not start"]


@pytest.fixture
def dialog(qtbot: QtBot, context: Context, tmp_path: Path) -> StartDialog:
    bench = default_bench()
    campaigns = shipped_campaigns()
    found = StartDialog(bench, tmp_path, context, campaigns=campaigns)
    qtbot.addWidget(found)
    found.show()
    return found


def test_the_dialog_looks_by_itself(dialog: StartDialog, qtbot: QtBot) -> None:
    panel = dialog.preflight.panel
    with qtbot.waitSignal(dialog.preflight.work.found) as told:
        assert panel.found is None
    assert told.args is not None
    topics = {one.topic: one.level for one in told.args[0]}
    assert topics["Sources"] is Level.OK
    assert panel.found == told.args[0]
    assert dialog.preflight.work.free.is_set()
    assert dialog._start.text() == "Start"
    dialog.preflight.work.found.emit(FOUND)
    assert dialog._start.text() == "Start anyway"
    assert not dialog._start.isDefault()
    assert dialog._cancel.isDefault()
    assert dialog._start.isEnabled()
    [copy] = [b for b, one in panel.helps if one.help is Help.COMMAND]
    copy.click()
    assert QGuiApplication.clipboard().text() == "cpupower frequency-set"
    dialog.accept()
    assert dialog.plan is not None
    assert dialog.plan.notes == notes_of(FOUND)


def test_a_bench_that_another_program_runs_is_left_alone(
    dialog: StartDialog, qtbot: QtBot
) -> None:
    work = dialog.preflight.work
    with (
        only_program(default_bench()),
        qtbot.waitSignal(work.found) as told,
    ):
        dialog.preflight.look_again()
    assert told.args is not None
    [line] = told.args[0]
    assert line.level is Level.STOP
    assert "another Bayscope" in line.text


def test_a_look_waits_for_the_one_of_a_dialog_that_was_closed(
    qtbot: QtBot,
    background: Background,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, may_end = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> list[Finding]:
        began.set()
        may_end.wait(60)
        return FOUND

    monkeypatch.setattr(preflight_work, "preflight", slow)
    bench = default_bench()
    parent = QObject()
    first = PreflightWork(background, parent)
    assert first.look(Flight(parse_campaign(PLAN, "plan.toml"), bench, tmp_path))
    qtbot.waitUntil(began.is_set)
    first.stop()
    assert not first.free.is_set()
    second = PreflightWork(background, parent)
    assert second.look(Flight(parse_campaign(PLAN, "plan.toml"), bench, tmp_path))
    qtbot.waitUntil(lambda: not second._question._later.isActive())
    with qtbot.waitSignal(second.found) as told:
        may_end.set()
    assert told.args == [FOUND]


def test_help_leads_to_the_source_and_to_the_campaign(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    def press(dialog: StartDialog, finding: Finding) -> None:
        dialog.preflight.work.found.emit([finding])
        [(button, _)] = dialog.preflight.panel.helps
        button.click()

    noise = warn("Noise background", "none", Help.BENCH, "noise")
    once_open(StartDialog, lambda dialog: press(dialog, noise))
    window.start_run()
    chosen = window.pages.bench.chosen
    assert chosen is not None
    assert chosen.config.name == "noise"
    ranges = warn("Ranges", "none", Help.CAMPAIGN)
    once_open(StartDialog, lambda dialog: press(dialog, ranges))
    window.start_run()
    assert window.pages.currentWidget() is window.pages.campaigns
    qtbot.waitUntil(lambda: window.pages.campaigns.file.origin.startswith("Demo"))


def test_what_was_told_is_kept_by_the_session(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "short.toml"
    file.write_text(PLAN)

    def start(dialog: StartDialog) -> None:
        choose_campaign(dialog, file, qtbot)
        dialog.form.out.setText(str(tmp_path))
        dialog.preflight.work.found.emit(FOUND)
        dialog._start.click()

    once_open(StartDialog, start)
    with qtbot.waitSignal(window.run.finished) as finished:
        window.start_run()
    assert finished.args is not None
    with Session.open(finished.args[0].session) as session:
        told = [
            row.detail for row in session.journal() if row.action.startswith("told")
        ]
    assert told == notes_of(FOUND)


def test_a_bench_in_use_is_told_at_its_target(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    bench = window.pages.bench.bench.with_target(tmp_path / "scratch.dat", 16 * 2**20)
    plan = RunPlan(parse_campaign(PLAN, "short.toml"), bench, tmp_path)
    told: list[str] = []

    def look(dialog: StartDialog) -> None:
        told.append(dialog.form.mistakes[dialog.form.target].text())
        dialog.reject()

    with only_program(bench):
        window.starter.begin(plan)
        once_open(StartDialog, look)
        qtbot.waitUntil(lambda: bool(told))
    assert "another Bayscope (process" in told[0]
    assert told[0].endswith("Wait for its run to end, or stop it.")
