"""Prompts answered from the command line, through the real program's own words."""

import io
import threading
from pathlib import Path

import pytest

from app.campaign.progress import Progress
from app.campaign.steering import Question, Steering
from app.cli.answers import Answers, parse_answers
from app.cli.main import run
from app.plan.campaign import parse_campaign
from app.record.store import Session
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
    plan, bench = str(tmp_path / "plan.toml"), str(tmp_path / "bench.toml")
    assert run(["run", plan, "--bench", bench, *given]) == 0
    assert "Insert the drives of slots 1 to 15.\n> by Ann" in capsys.readouterr().out
    [path] = tmp_path.glob("*.bayscope")
    with Session.open(path) as session:
        told = [row.detail for row in session.journal()]
    assert "Insert: by Ann" in told


def test_a_given_answer_is_not_given_again_where_the_bench_disagrees() -> None:
    steering = Steering()
    take = Answers(steering, {"*": "done"}).watch(lambda _: None)
    for number, missing in ((1, ""), (2, ""), (3, "it is in")):
        asked = Question(number, "Pull it.", missing=missing)
        take(Progress("recording", label="Pull", question=asked))
        assert steering.ended == ("" if number < 3 else "Pull: it is in")


def test_the_end_of_the_input_is_no_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    steering = Steering()
    answers = Answers(steering, {})
    text = "The outlet 3 of pdu is switched off."
    answers.watch(lambda _: None)(
        Progress("recording", label="Cold", question=Question(1, text))
    )
    with pytest.raises(Aborted):
        steering.ask(text)
    assert steering.ended == f"nobody answered, the input has ended: {text}"


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
    take(Progress("recording", label="Insert (pass 2)", question=steering.question))
    asking.join(10)
    assert given == ["by Ann"]
