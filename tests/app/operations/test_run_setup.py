"""A run that makes file systems: armed, journalled, and taken back at its end."""

import json
import uuid
from pathlib import Path

import pytest

from app.analysis.again.verify import Agreement, verify
from app.bench.file import parse_bench
from app.cli.main import run
from app.operations.run.arming import Arming
from app.operations.run.resume import unfinished
from app.operations.run.run import run_campaign
from app.plan.campaign import Campaign, parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.errors import BadInput
from instruments.tools.hosts import LocalHost
from tests.app.operations.killing import killed_when, program, running
from tests.workloads.setup_bench import disks
from workloads.guard.nodes import find_disk

BENCH = """
name = "Disks"
[dut]
name = "Two loops"
target = {targets}
[[host]]
name = "here"
driver = "local"
"""
PLAN = """
name = "File systems"
ranging = true
[[step]]
label = "make"
engine = "mkfs"
runtime = "60s"
[step.mkfs]
type = "ext4"
mount = "{place}"
[[step]]
label = "rest"
engine = "idle"
runtime = "1s"
"""


def plan(place: str) -> Campaign:
    return parse_campaign(PLAN.format(place=place), "campaign.toml")


def test_it_is_armed_journalled_and_taken_back(tmp_path: Path) -> None:
    place = f"/mnt/bs-run-{uuid.uuid4().hex[:8]}-{{n}}"
    with disks(tmp_path, 2) as paths:
        bench = parse_bench(BENCH.format(targets=json.dumps(paths)), "bench.toml")
        with pytest.raises(BadInput, match="2 of 2 disks cannot be used"):
            run_campaign(plan(place), bench, tmp_path / "out")
        words = tuple(find_disk(LocalHost(), path).word for path in paths)
        result = run_campaign(
            plan(place), bench, tmp_path / "out", arming=Arming(words)
        )
        assert place[:-3] not in Path("/proc/mounts").read_text()
    with Session.open(result.session) as session:
        steps = [(one.label, str(one.outcome), one.reason) for one in session.steps()]
        journal = [row.action for row in session.journal()]
        values = {one.name: one.value for one in session.results(session.steps()[0].id)}
        agreed = {one.name: one.agreement for one in verify(session)}
    assert [step[:2] for step in steps] == [("make", "DONE"), ("rest", "DONE")], steps
    assert result.verdict is Verdict.PASS
    assert journal.count("disk armed") == 2
    assert journal.count("set up") == journal.count("set-up undone") == 2
    assert values["disks"] == 2
    own = [agreed[name] for name in ("disks", "longest_s", "foreign_percent")]
    assert own == [Agreement.SAME] * 3


def test_a_file_as_target_is_refused_before_anything(tmp_path: Path) -> None:
    target = json.dumps([str(tmp_path / "scratch")])
    text = BENCH.format(targets=f'{target}\nsize = "16m"')
    with pytest.raises(BadInput, match='step "make": mkfs makes something of disks'):
        run_campaign(
            plan("/mnt/bay{n}"), parse_bench(text, "bench.toml"), tmp_path / "out"
        )
    assert not (tmp_path / "scratch").exists()


@pytest.mark.parametrize("is_swept", [False, True])
def test_what_a_killed_run_had_mounted_is_told_and_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_swept: bool
) -> None:
    """Its set-up step is run again: the disks are armed anew."""
    place = f"/mnt/bs-run-{uuid.uuid4().hex[:8]}"
    text = PLAN.format(place=f"{place}-{{n}}").replace('"1s"', '"3s"')
    (tmp_path / "plan.toml").write_text(text)
    with disks(tmp_path, 2) as paths:
        bench = BENCH.format(targets=json.dumps(paths))
        (tmp_path / "bench.toml").write_text(bench)
        arms = []
        for path in paths:
            arms += ["--arm", find_disk(LocalHost(), path).word]
        out = tmp_path / "out"
        plan, bench_file = tmp_path / "plan.toml", tmp_path / "bench.toml"
        argv = program("run", plan, "--bench", bench_file, "--out", out, *arms)
        session_file = killed_when(argv, out, running("rest"))
        assert f"{place}-2" in Path("/proc/mounts").read_text()
        if is_swept:
            # Any next start takes them back: the file says what was made, and who by.
            assert run(["drivers", "ses"]) == 0
            assert place not in Path("/proc/mounts").read_text()
            said = capsys.readouterr().err
            assert f"{place}-1" in said
            assert f"{place}-2" in said
            assert f"bayscope resume {session_file}" in said
            assert unfinished(session_file).warnings == []
            with Session.open(session_file) as session:
                told = [event.message for event in session.events()]
            assert [line for line in told if f"{place}-2" in line]
            return
        told = unfinished(session_file).warnings
        assert told == [f"{place}-{number} may still be mounted." for number in (1, 2)]
        arms += ["--overwrite-data", "ext4"]
        assert run(["resume", str(session_file), *arms]) == 0
        assert place not in Path("/proc/mounts").read_text()
    with Session.open(session_file) as session:
        steps = [(one.label, str(one.outcome), one.reason) for one in session.steps()]
        journal = [row.action for row in session.journal()]
    assert [step[:2] for step in steps] == [
        ("make (void 1)", "VOID"),
        ("make", "DONE"),
        ("rest (void 1)", "VOID"),
        ("rest", "DONE"),
    ]
    assert "undone before the run resumed" in steps[0][2]
    assert journal.count("set up") == journal.count("set-up undone") == 4
