"""Asking while a person types: once a question, and only the last answer counts."""

import threading

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.ui.kit.background import Background
from app.ui.kit.question import Question


def test_only_the_last_of_several_questions_is_answered(
    qtbot: QtBot, background: Background
) -> None:
    place = QObject()
    question = Question(background, place)
    answers: list[object] = []
    question.answered.connect(answers.append)
    may_end = threading.Event()

    def slow() -> str:
        may_end.wait(60)
        return "slow"

    with qtbot.waitSignal(question.answered):
        assert question.ask("quick", lambda: "quick")
        assert not question.ask("quick", lambda: "again"), "it was asked already"
    assert not question.is_open
    question._later.setInterval(0)
    question.ask("slow", slow)
    qtbot.waitUntil(lambda: not question._later.isActive())
    with qtbot.waitSignal(question.answered):
        question.ask("other", lambda: "other")
    may_end.set()
    assert background.close(120)
    assert answers == ["quick", "other"]


def test_a_failure_is_told_and_what_is_forgotten_is_asked_anew(
    qtbot: QtBot, background: Background
) -> None:
    place = QObject()
    question = Question(background, place, pause_ms=0)

    def fail() -> None:
        raise OSError("no disk")

    with qtbot.waitSignal(question.failed) as failed:
        question.ask(1, fail)
    assert str(failed.args[0]) == "no disk"
    assert not question.ask(1, fail)
    question.forget()
    assert not question.is_open
    with qtbot.waitSignal(question.answered):
        assert question.ask(1, lambda: None)


def test_one_at_a_time_asks_the_last_of_those_that_waited(
    qtbot: QtBot, background: Background
) -> None:
    place = QObject()
    question = Question(background, place, one_at_a_time=True, pause_ms=0)
    asked: list[str] = []
    begun, may_end = threading.Event(), threading.Event()

    def slow() -> None:
        asked.append("slow")
        begun.set()
        may_end.wait(60)

    question.ask("slow", slow)
    qtbot.waitUntil(begun.is_set)
    for text in ("s", "se", "sea"):
        question.ask(text, lambda text=text: asked.append(text))  # type: ignore[misc]
        qtbot.waitUntil(lambda: not question._later.isActive())
    assert asked == ["slow"]
    with qtbot.waitSignal(question.answered):
        may_end.set()
    assert asked == ["slow", "sea"]
