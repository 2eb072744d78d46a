"""Calibrating: real bursts of fio on a scratch file, told to a real simulator."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.operations.run import targets as module
from app.operations.run.targets import calibrate
from instruments.errors import BenchError
from instruments.simulated.client import LineClient
from instruments.simulated.process import SimulatorProcess
from workloads.target.scratch import Scratch, prepare


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorProcess]:
    with SimulatorProcess(speedup=50) as running:
        yield running


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    made = prepare(
        tmp_path / "scratch.dat", 16 * 2**20, threading.Event(), lambda _: None
    )
    yield made
    made.close()


def full_scale(simulator: SimulatorProcess) -> list[float]:
    client = LineClient(simulator.enclosure_address)
    try:
        return [float(one) for one in client.ask("SIMulate:FULL?").split(",")]
    finally:
        client.close()


def test_reads_stand_for_writes_where_nothing_may_be_written(
    simulator: SimulatorProcess, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.5)
    before = scratch.path.read_bytes()
    told: list[float] = []
    calibrate(
        simulator.enclosure_address,
        scratch,
        writes=False,
        stop=threading.Event(),
        progress=told.append,
    )
    assert told == [0.0, 0.25, 0.5, 0.75, 1.0]
    read_bytes, write_bytes, read_ios, write_ios = full_scale(simulator)
    assert read_bytes == write_bytes > 1e6
    assert read_ios == write_ios > 100
    assert scratch.path.read_bytes() == before


def test_a_stop_leaves_the_scale_as_it_was(
    simulator: SimulatorProcess, scratch: Scratch
) -> None:
    before = full_scale(simulator)
    stop = threading.Event()
    stop.set()
    calibrate(
        simulator.enclosure_address,
        scratch,
        writes=True,
        stop=stop,
        progress=lambda _: None,
    )
    assert full_scale(simulator) == before


def test_a_fio_that_fails_says_what_it_was_for(
    simulator: SimulatorProcess,
    scratch: Scratch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = tmp_path / "tools" / "fio"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'fio: out of luck' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:/usr/bin:/bin")
    with pytest.raises(BenchError, match=r"^calibrating the simulator: .*out of luck"):
        calibrate(
            simulator.enclosure_address,
            scratch,
            writes=True,
            stop=threading.Event(),
            progress=lambda _: None,
        )
