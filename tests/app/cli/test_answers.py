"""Prompts answered from the command line, through the real program's own words."""

from pathlib import Path

import pytest

from app.campaign.progress import Progress
from app.campaign.steering import Question, Steering
from app.cli.answers import Answers, parse_answers
from app.cli.main import run
from app.plan.campaign import parse_campaign
from app.record.store import Session
from instruments.errors import BadInput

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


def test_a_given_answer_is_not_given_twice_to_the_same_prompt() -> None:
    steering = Steering()
    take = Answers(steering, {"*": "done"}).watch(lambda _: None)
    for number in (1, 2):
        asked = Question(number, "Pull it.", missing="" if number == 1 else "it is in")
        take(Progress("recording", label="Pull", question=asked))
    assert steering.ended == "Pull: it is in"
