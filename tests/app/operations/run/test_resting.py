"""Rows without a load, while others use the disk of the target or leave it alone."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.bench.build import trace_of
from app.bench.model import Bench
from app.campaign.run.progress import Progress
from app.operations.run.run import RunResult, run_campaign
from app.operations.run.targets import resting_paths
from app.operations.sessions.verifying import verify_session
from app.plan.campaign import Campaign
from app.record.store import Session
from app.report.document import build_document
from tests.app.operations.benches import READ, bench, campaign
from tests.workloads.guard.loops import loop

RESTS = """
[[step]]
label = "Idle"
engine = "idle"
runtime = "2s"
[[step]]
label = "Cool-down"
engine = "cooldown"
runtime = "2s"
rampdown = "500ms"
"""

FAR = """
[[step]]
label = "S3"
engine = "warp"
runtime = "2s"
[step.warp]
host = "h:9"
bucket = "own"
erase = "own"
"""


@contextmanager
def writing(path: Path, begin: threading.Event) -> Iterator[None]:
    """Write to a file or disk from `begin` on, and let each block reach its disk."""
    done = threading.Event()

    def write() -> None:
        begin.wait()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_DSYNC)
        try:
            while not done.wait(0.01):
                os.pwrite(handle, b"x" * 2**20, 0)
        finally:
            os.close(handle)

    other = threading.Thread(target=write)
    other.start()
    try:
        yield
    finally:
        done.set()
        begin.set()
        other.join()


def run(plan: Campaign, on: Bench, out: Path, used: Path) -> RunResult:
    """Run a campaign while somebody writes to `used` from its cool-down on."""
    begin = threading.Event()

    def look(progress: Progress) -> None:
        if progress.label == "Cool-down":
            begin.set()

    with writing(used, begin):
        return run_campaign(plan, on, out, progress=look)


def values_of(session: Session, label: str) -> dict[str, float | None]:
    [step] = [step for step in session.steps() if step.label == label]
    return {result.name: result.value for result in session.results(step.id)}


def test_a_rest_is_not_clean_while_others_use_the_disk(
    tmp_path: Path, own_disk: Path
) -> None:
    used = own_disk / "others.dat"
    result = run(campaign(READ + RESTS), bench(own_disk), tmp_path, used)
    path = result.session
    assert result.judged == f"{result.verdict}, not clean"
    with Session.open(path) as session:
        idle, cooling = (values_of(session, name) for name in ("Idle", "Cool-down"))
        unclean = session.unclean_steps()
        assert [s.label for s in session.steps() if s.id in unclean] == ["Cool-down"]
        document = build_document(session)
        [reason] = [s.reason for s in session.steps() if s.label == "Cool-down"]
    assert idle["foreign_write_bytes"] == idle["device_write_bytes"]
    assert (idle["foreign_mb_s"] or 0.0) < 1
    assert (cooling["foreign_mb_s"] or 0.0) >= 1
    assert (cooling["foreign_write_bytes"] or 0.0) >= 2e6
    assert "foreign_percent" not in cooling
    assert "not clean: other processes used its disk" in reason
    assert document.unclean == "1 row not clean"
    _, found, good = verify_session(path)
    assert good
    rows = found["results"]
    assert isinstance(rows, list)
    assert {row["agreement"] for row in rows} == {"same"}


def test_a_campaign_without_any_load_looks_at_the_disk_of_the_bench(
    tmp_path: Path,
) -> None:
    plan = campaign(f'name = "Rests"\n{RESTS}')
    with loop(tmp_path / "disk.img") as name:
        disk = Path(name)
        on = bench(tmp_path)
        on = replace(on, dut=replace(on.dut, targets=(disk,)))
        path = run(plan, on, tmp_path / "out", disk).session
    with Session.open(path) as session:
        assert values_of(session, "Idle")["foreign_write_bytes"] == 0
        assert (values_of(session, "Cool-down")["foreign_mb_s"] or 0.0) >= 1


def test_a_target_that_is_not_there_or_has_no_load_does_not_count(
    tmp_path: Path,
) -> None:
    on = bench(tmp_path)
    (target,) = on.dut.targets
    assert resting_paths(campaign(f'name = "Rests"\n{RESTS}'), on, ()) == (target,)
    assert trace_of([target]) is None
    plan = campaign(f'name = "Far"\n{RESTS}{FAR}')
    assert not resting_paths(plan, on, ())
    gone = replace(on, dut=replace(on.dut, targets=(tmp_path / "none*",)))
    assert not resting_paths(campaign(f'name = "Rests"\n{RESTS}'), gone, ())
