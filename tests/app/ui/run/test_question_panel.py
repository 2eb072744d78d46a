"""Operator prompts in the window, and the verdict that stands large at the end."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.campaign.phases.steering import Question
from app.plan.campaign import load_campaign
from app.record.store import Session
from app.ui.kit.background import Background
from app.ui.run.control import RunPlan
from app.ui.run.question_panel import QuestionPanel
from app.ui.window.main_window import MainWindow

ASKED = """
name = "Asked"
[[step]]
label = "Insert"
engine = "prompt"
[step.prompt]
text = "Insert the drives of slots 1 to 15."
picture = "slots.png"
[[step]]
label = "Rest"
engine = "idle"
runtime = "300ms"
limits = ["power_w >= 1000000"]
"""


def write_picture(folder: Path) -> None:
    image = QImage(1200, 600, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkGreen)
    assert image.save(str(folder / "slots.png"))


def test_what_was_typed_stays_when_an_interlock_trips(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """It strikes in the midst of the answer: nothing is asked anew."""
    file = tmp_path / "asked.toml"
    file.write_text(ASKED.replace('limits = ["power_w >= 1000000"]', ""))
    window.starter.begin(
        RunPlan(load_campaign(file), window.pages.bench.bench, tmp_path, file=file)
    )
    window.navigation.choose("Live")
    panel, bar = window.pages.live.question, window.steering
    qtbot.waitUntil(panel.isVisible)
    qtbot.keyClicks(panel.answer, "slot 9 ")
    steering = window.run.steering
    assert steering is not None
    steering.hold("hot", "slot07 is too hot")
    qtbot.waitUntil(lambda: "slot07 is too hot" in bar.text.text())
    qtbot.keyClicks(panel.answer, "is stiff")
    assert panel.answer.text() == "slot 9 is stiff"
    qtbot.keyClick(panel.answer, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bar.word.text() == "Paused by an interlock")
    with qtbot.waitSignal(window.run.finished) as finished:
        steering.release("hot")
    assert finished.args is not None
    with Session.open(finished.args[0].session) as session:
        assert [row.label for row in session.steps()] == ["Insert", "Rest"]
        told = [row.detail for row in session.journal() if row.action == "answered"]
    assert told == ["Insert: slot 9 is stiff"]


def test_an_operator_answers_from_the_page_of_the_run(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_picture(tmp_path)
    file = tmp_path / "asked.toml"
    file.write_text(ASKED)
    window.starter.begin(
        RunPlan(load_campaign(file), window.pages.bench.bench, tmp_path, file=file)
    )
    window.navigation.choose("Bench")
    bar = window.steering
    qtbot.waitUntil(lambda: bar.word.text() == "Operator input needed")
    button, _ = window.navigation._buttons["Live"]
    assert button.text() == "Live (!)"
    assert "slots 1 to 15" in bar.text.text()
    bar.look.click()
    panel = window.pages.live.question
    assert panel.isVisible()
    qtbot.waitUntil(lambda: not panel.picture.pixmap().isNull())
    assert panel.picture.pixmap().width() <= 300
    panel.answer.setText("slot 9 is stiff")
    with qtbot.waitSignal(window.run.finished) as finished:
        qtbot.keyClick(panel.answer, Qt.Key.Key_Return)
    assert not panel.isVisible()
    assert button.text() == "Live"
    assert finished.args is not None
    with Session.open(finished.args[0].session) as session:
        told = [row.detail for row in session.journal() if row.action == "answered"]
    assert told == ["Insert: slot 9 is stiff"]
    verdict = window.pages.live.verdict
    qtbot.waitUntil(verdict.report.isVisible)
    assert verdict.word.text() == "FAIL"
    assert verdict.reasons.text().startswith("Rest: ")
    verdict.report.click()
    qtbot.waitUntil(lambda: window.pages.sessions.record is not None)
    page = window.pages.sessions.page
    assert page.tabs.currentWidget() is page.report


def test_what_is_missing_is_said_and_the_answer_kept(
    qtbot: QtBot, background: Background, tmp_path: Path
) -> None:
    panel = QuestionPanel(background)
    qtbot.addWidget(panel)
    panel.show()
    panel.ask(Question(1, "Insert drives.", "none.png"), tmp_path)
    missing = f"The picture {tmp_path / 'none.png'} cannot be shown"
    qtbot.waitUntil(lambda: panel.picture.text().startswith(missing))
    panel.answer.setText("yes")
    with qtbot.waitSignal(panel.answered) as told:
        panel.done.click()
    assert told.args == [1, "yes"]
    assert not panel.done.isEnabled()
    panel.ask(Question(2, "Insert drives.", "none.png", "slot03 is absent"), tmp_path)
    assert panel.missing.text() == "Not yet: slot03 is absent"
    assert panel.answer.text() == "yes"
    assert panel.done.isEnabled()
    panel.answer.setText("it is stuck")
    with qtbot.waitSignal(panel.answered) as told:
        panel.refuse.click()
    assert told.args == [2, "no, it is stuck"]
    assert not panel.done.isEnabled()
    panel.ask(Question(3, "And now?", "none.png"), None)
    assert panel.answer.text() == ""
    with qtbot.waitSignal(panel.answered) as told:
        panel.refuse.click()
    assert told.args == [3, "no"]
    panel.ask(Question(4, "And now?", "none.png"), None)
    assert "beside a campaign file" in panel.picture.text()
    panel.answer.setText("slot 9 is")
    with qtbot.waitSignal(panel.lost) as lost:
        panel.ask(None, None)
    assert '"slot 9 is" was not stored' in lost.args[0]
    assert not panel.isVisible()


def test_what_takes_power_away_is_named_and_wants_a_yes(
    qtbot: QtBot, background: Background
) -> None:
    panel = QuestionPanel(background)
    qtbot.addWidget(panel)
    panel.show()
    answers: list[str] = []
    panel.answered.connect(lambda _, text: answers.append(text))

    def ask(number: int, typed: str) -> None:
        panel.ask(Question(number, "Off?", action="Switch off"), None)
        panel.answer.setText(typed)

    for number, typed in enumerate(("", "no, do not!", "it is still in use", "yes")):
        ask(number, typed)
        qtbot.keyClick(panel.answer, Qt.Key.Key_Return)
    assert answers == ["no", "no, do not!", "no, it is still in use", "yes"]
    assert (panel.done.text(), panel.refuse.text()) == ("Switch off", "Do &not")
    assert (panel.done.isDefault(), panel.refuse.isDefault()) == (False, True)
    ask(7, "drives are parked")
    panel.done.click()
    ask(8, "")
    panel.refuse.click()
    assert answers[4:] == ["yes, drives are parked", "no"]
    panel.ask(Question(9, "Insert drives."), None)
    assert (panel.done.text(), panel.refuse.text()) == ("D&one", "&Not done")
    assert (panel.done.isDefault(), panel.refuse.isDefault()) == (True, False)
