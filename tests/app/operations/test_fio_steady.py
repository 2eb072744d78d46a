"""fio's own steady state in a whole run, and ours beside it."""

from pathlib import Path

from app.bench.file import parse_bench
from app.operations.run.run import run_campaign
from app.plan.campaign import parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session

BENCH = """
name = "Bench"
[dut]
name = "Files"
target = ["{folder}/a.dat", "{folder}/b.dat"]
size = "16m"
"""

STEP = """
name = "Steady"
[[step]]
label = "Until steady"
engine = "fio"
runtime = "300s"
{keys}
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 200
ss = "iops:40%"
ss_dur = 3
"""


def test_a_load_ends_when_fio_finds_it_steady_and_ours_is_noted(tmp_path: Path) -> None:
    bench = parse_bench(BENCH.format(folder=tmp_path), "bench.toml")
    campaign = parse_campaign(STEP.format(keys=""), "campaign.toml")
    done = run_campaign(campaign, bench, tmp_path / "out")
    assert done.verdict is Verdict.PASS
    with Session.open(done.session) as session:
        [step] = session.steps()
        found = {result.name: result for result in session.results(step.id)}
    duration = found["duration_s"].value
    assert duration is not None
    assert 2.5 < duration < 240  # and not to the end
    assert found["fio_steady"].value == 1
    assert found["fio_steady"].note == "fio: attained on 2 of 2 devices"
    note = str(found["fio_steady.dev02"].note)
    assert note.startswith("fio: iops:40")
    assert (
        "Bayscope agrees on performance" in note or "Bayscope finds performance" in note
    )
