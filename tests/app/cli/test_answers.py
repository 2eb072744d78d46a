"""Prompts answered from the command line, through the real program's own words."""

import contextlib
import errno
import io
import os
import pty
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.campaign.phases.steering import Question, Steering
from app.campaign.run.progress import Progress
from app.cli.answers import Answers, parse_answers
from app.cli.main import run
from app.plan.campaign import parse_campaign
from app.record.store import Session
from app.report.document import build_document
from instruments.errors import Aborted, BadInput

ASKING = """
name = "Asking"
[[step]]
label = "Insert"
engine = "prompt"
[step.prompt]
text = "Insert the drives of slots 1 to 15."
[[step]]
label = "Idle"
engine = "idle"
runtime = "300ms"
"""

BENCH = """
name = "Bare"
[dut]
name = "Nothing"
target = "{folder}/scratch.dat"
size = "16m"
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["Insert"], '"Insert" answers no prompt'),
        (["Idle=done"], "Expected LABEL=TEXT, LABEL being * or Insert"),
        ([], 'the step "Insert" asks the operator, and nobody can answer here'),
    ],
)
def test_words_that_answer_nothing_are_refused(words: list[str], told: str) -> None:
    with pytest.raises(BadInput) as raised:
        parse_answers(words, parse_campaign(ASKING, "plan.toml"))
    assert told in str(raised.value)


def test_a_run_is_answered_without_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plan.toml").write_text(ASKING)
    (tmp_path / "bench.toml").write_text(BENCH.format(folder=tmp_path))
    given = ["--answer", "Insert=by Ann", "--out", str(tmp_path)]
    given += ["--operator", "Ann", "--note", "new cables"]
    plan, bench = str(tmp_path / "plan.toml"), str(tmp_path / "bench.toml")
    assert run(["run", plan, "--bench", bench, *given]) == 0
    assert "Insert the drives of slots 1 to 15.\n> by Ann" in capsys.readouterr().out
    [path] = tmp_path.glob("*.bayscope")
    with Session.open(path) as session:
        told = [row.detail for row in session.journal()]
        assert (session.info.operator, session.info.note) == ("Ann", "new cables")
        assert "Ann: new cables" in build_document(session).notes
    assert "Insert: by Ann" in told


def test_a_given_answer_is_not_given_again_where_the_bench_disagrees() -> None:
    steering = Steering()
    take = Answers(steering, {"*": "done"}).watch(lambda _: None)
    for number, missing in ((1, ""), (2, ""), (3, "it is in")):
        asked = Question(number, "Pull it.", missing=missing)
        take(Progress("recording", label="Pull", question=asked))
        assert steering.ended == ("" if number < 3 else "Pull: it is in")


class Asking:
    """A step that asks, in a thread of its own, as the runner does."""

    def __init__(self, steering: Steering, text: str) -> None:
        self.answer: str | None = None
        self._steering, self._text = steering, text
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def _ask(self) -> None:
        with contextlib.suppress(Aborted):
            self.answer = self._steering.ask(self._text)

    def snapshot(self) -> Progress:
        """Wait for the question to be asked, and get what shows it."""
        while (question := self._steering.question) is None:
            assert self._thread.is_alive()
            threading.Event().wait(0.01)
        assert question.text == self._text
        return Progress("recording", label="Cold", question=question)

    def end(self) -> None:
        self._thread.join(30)
        assert not self._thread.is_alive()


def test_the_end_of_the_input_is_no_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    steering = Steering()
    text = "The outlet 3 of pdu is switched off."
    asking = Asking(steering, text)
    Answers(steering, {}).watch(lambda _: None)(asking.snapshot())
    asking.end()
    assert asking.answer is None
    assert steering.ended == f"nobody answered, the input has ended: {text}"


class Gone:
    """A terminal that hung up."""

    def fileno(self) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def readline(self) -> str:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_terminal_that_is_gone_is_no_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Gone())
    steering = Steering()
    asking = Asking(steering, "Insert it.")
    Answers(steering, {}).watch(lambda _: None)(asking.snapshot())
    asking.end()
    assert asking.answer is None
    assert steering.ended == "nobody answered, the input has ended: Insert it."


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Standard input at a real terminal; get the end at which is typed."""
    typed, seen = pty.openpty()
    with os.fdopen(seen) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield typed
        os.write(typed, b"\x04")  # Ctrl-D lets the reader go
        for thread in threading.enumerate():
            if thread.name == "answers":
                thread.join(30)
    os.close(typed)


def test_the_first_enter_after_a_skip_answers_what_is_asked_then(
    terminal: int,
) -> None:
    steering = Steering()
    take = Answers(steering, {}).watch(lambda _: None)
    first = Asking(steering, "Insert it.")
    take(first.snapshot())
    steering.skip(0)
    first.end()
    assert first.answer is None

    steering.begin_step(1)
    again = Asking(steering, "Insert it.")
    take(again.snapshot())
    os.write(terminal, b"by Ann\n")
    again.end()
    assert again.answer == "by Ann"


def test_what_was_typed_before_a_question_does_not_answer_it(terminal: int) -> None:
    os.write(terminal, b"yes\nyes\n")
    steering = Steering()
    asking = Asking(steering, "The outlet 3 of pdu is switched off.")
    Answers(steering, {}).watch(lambda _: None)(asking.snapshot())
    os.write(terminal, b"no\n")
    asking.end()
    assert asking.answer == "no"


@pytest.mark.parametrize(
    ("options", "asks"),
    [
        ("", True),
        ('switch = "pdu"', True),
        ('switch = "pdu"\nask = false', False),
    ],
)
def test_a_cold_start_asks_as_a_prompt_does(options: str, *, asks: bool) -> None:
    plan = parse_campaign(
        'name = "x"\n[[step]]\nlabel = "Cold"\nengine = "startup"\nruntime = "5s"\n'
        f"[step.startup]\n{options}\n",
        "plan.toml",
    )
    if asks:
        with pytest.raises(BadInput, match="asks the operator"):
            parse_answers([], plan)
        assert parse_answers(["Cold=done"], plan) == {"Cold": "done"}
    else:
        assert parse_answers([], plan) == {}


def test_a_teardown_goes_on_where_nobody_answers() -> None:
    steering = Steering()
    steering.begin_teardown()
    take = Answers(steering, {"*": "done"}).watch(lambda _: None)
    asked = Question(1, "Switch the lamp off.", missing="it is on")
    take(Progress("recording", label="Lamp", question=asked))
    with pytest.raises(Aborted):
        steering.ask("Switch the lamp off.")


def test_a_pass_of_a_loop_has_the_answer_of_its_row() -> None:
    steering = Steering()
    given: list[str] = []
    asking = threading.Thread(target=lambda: given.append(steering.ask("Insert it.")))
    asking.start()
    while steering.question is None:
        threading.Event().wait(0.01)
    take = Answers(steering, {"Insert": "by Ann"}).watch(lambda _: None)
    asked = steering.question
    take(Progress("recording", label="Insert (pass 2)", question=asked, pass_number=2))
    asking.join(60)
    assert given == ["by Ann"]
