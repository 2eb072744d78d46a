"""What a simulated bench does in place of hands and drive tools, in a whole run."""

from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.campaign.phases.operator import SIMULATION_NOTE, simulated_operator
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.operations.run.run import run_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.errors import BenchError
from tests.app.operations.benches import BENCH, campaign

HANDS = """
name = "Hands"
[[step]]
label = "Pull"
engine = "prompt"
runtime = "1m"
[step.prompt]
text = "Pull the drive of slot 07 out."
check = "*.temperature.slot07 absent"
simulated = "SIMulate:DRIVe 7,OUT"
[[step]]
label = "Rest"
engine = "command"
[step.command]
run = "sh -c 'sg_start --pc=3 ${BAYSCOPE_DRIVES%% *}'"
[[step]]
label = "Real drive"
engine = "command"
[step.command]
run = "sg_start --pc=3 /dev/sg3"
"""


def simulated(folder: Path) -> Bench:
    text = BENCH.format(target=folder / "scratch.dat", meter="simulated")
    return parse_bench(text, "bench.toml")


def test_the_simulator_does_what_is_asked_and_says_so(tmp_path: Path) -> None:
    steering = Steering()
    asked: list[str] = []

    def operate(progress: Progress) -> None:
        if (question := progress.question) is not None:
            asked.append(question.text)
            steering.answer(question.number, "done")

    result = run_campaign(
        campaign(HANDS),
        simulated(tmp_path),
        tmp_path / "out",
        progress=operate,
        steering=steering,
    )
    assert result.verdict is Verdict.ERROR
    assert asked[0] == f"Pull the drive of slot 07 out.\n{SIMULATION_NOTE}"
    with Session.open(result.session) as session:
        pull, rest, real = session.steps()
        noticed = [one.name for one in session.results(pull.id)]
        journal = [one.detail for one in session.journal() if one.action == "simulated"]
    assert pull.verdict == "PASS"
    assert noticed == ["detected_s"]
    assert rest.verdict == "PASS"
    assert rest.reason.endswith(", simulated")
    assert real.verdict == "ERROR"
    assert "/dev/sg3 is not a simulated drive" in real.reason
    assert journal[0] == "Pull: SIMulate:DRIVe 7,OUT"
    assert "simulated sg_start" in journal[1]


def test_a_bench_with_one_real_instrument_has_no_operator(
    tmp_path: Path,
) -> None:
    real = 'resource = "TCPIP::192.0.2.1::5025::SOCKET"'
    text = BENCH.format(target=tmp_path / "s", meter="simulated")
    bench = parse_bench(text.replace('resource = "simulated"', real), "bench.toml")
    with simulated_operator(bench, bench) as operator:
        assert operator.do is None
        assert not operator.env


def test_an_operator_that_reaches_nothing_say_so(tmp_path: Path) -> None:
    bench = simulated(tmp_path)
    ready = bench.at("TCPIP::127.0.0.1::1::SOCKET", "127.0.0.1:1")
    with simulated_operator(bench, ready) as operator:
        assert operator.do is not None
        with pytest.raises(BenchError, match="simulated bench"):
            operator.do(["SIMulate:DRIVe 7,OUT"])
