"""The ranging pass on the simulated meter over its socket, without a load."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.analysis.rules.row_figures import RANGING
from app.bench.build import build_sources
from app.campaign.run.ranging_pass import RangingPass
from app.plan.step import Step
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.errors import BenchError
from instruments.reading import SECOND
from instruments.simulated.process import SimulatorProcess
from tests.app.operations.benches import bench_at
from tests.app.record.recording import INFO
from workloads.base import Workload

STEPS = (
    Step("Idle", "idle", 60.0),
    Step("Read", "fio", 60.0),
    Step("Cool-down", "cooldown", 60.0),
)


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    made = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    made.start()
    yield made
    made.close()


def no_load(label: str, step: Step) -> Workload:
    raise BenchError("there is no target", where=f"{label} {step.runtime_s:g} s")


def test_each_step_gets_ranges_that_are_journalled(
    recorder: Recorder, tmp_path: Path
) -> None:
    told: list[str] = []
    with SimulatorProcess(speedup=50) as simulator:
        for source in build_sources(bench_at(simulator, tmp_path)):
            recorder.watch(source)
        RangingPass(
            recorder,
            make_load=no_load,
            is_over=lambda: False,
            seconds=2.0,
            progress=told.append,
        ).run(STEPS)
        recorder.close()
    assert told == ["Idle", "Read"]
    with Session.open(recorder.path) as session:
        ranges = [j.detail for j in session.journal() if j.action == "ranges"]
        events = [e.message for e in session.events() if e.source == "ranging"]
        tried = json.loads(session.artefact(RANGING))
        start, end = tried.pop("Idle")
    assert end - start >= 2 * SECOND
    assert tried == {}  # what was not run has no window
    assert ranges[0].startswith("mains, Idle: 300 V for 23")
    assert " A RMS and " in ranges[0]
    assert events == ["Read: ranging Read 2 s: there is no target."]


def test_without_such_a_meter_it_says_so(recorder: Recorder) -> None:
    RangingPass(
        recorder,
        make_load=no_load,
        is_over=lambda: False,
        seconds=2.0,
    ).run(STEPS)
    recorder.close()
    with Session.open(recorder.path) as session:
        [event] = [e.message for e in session.events() if e.source == "ranging"]
    assert "no meter of this bench" in event
