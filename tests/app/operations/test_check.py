"""Checking a bench: the simulator's real sockets, and ones that nothing listens on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.operations import check as module
from app.operations.check import (
    SourceCheck,
    check_bench,
    check_dut,
    check_source,
    checks_as_json,
    checks_text,
)
from instruments.reading import Channel, Identity, Reading, Status
from instruments.simulated.process import SimulatorProcess
from tests.app.operations.benches import bench, bench_at


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorProcess]:
    with SimulatorProcess(speedup=50) as running:
        yield running


def test_each_source_is_identified_and_read(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    tried: list[str] = []
    checks = check_bench(bench_at(simulator, tmp_path), tried.append)
    assert tried == ["mains", "enclosure", "noise"]
    assert all(check.ok for check in checks)
    text = checks_text(checks)
    assert f"mains (hmc8015, {simulator.meter_resource}): OK, read in" in text
    assert "(simulated)" in text
    assert " more\n" in text
    assert check_source(bench_at(simulator, tmp_path), "noise").ok
    [mains, *_] = checks_as_json(checks)
    assert mains["ok"] is True
    assert mains["error"] is None


def test_what_failed_is_named_once(simulator: SimulatorProcess, tmp_path: Path) -> None:
    dead = "TCPIP::127.0.0.1::9::SOCKET"
    failed, *others = check_bench(bench_at(simulator, tmp_path, dead))
    assert all(check.ok for check in others)
    assert failed.error.startswith(f"mains ({dead}): nothing listens there")
    text = checks_text([failed])
    assert text.startswith(f"mains (hmc8015, {dead}): FAILED\n  Nothing listens there")
    assert text.count(dead) == 1
    [plain] = checks_as_json([failed])
    assert plain["error"] == failed.error


class Empty:
    """A source that answers and has no value."""

    name, section, driver, period_s = "ses", "thermal", "test", 1.0
    channels = (Channel("ses", "temperature", "degC", "slot00"),)
    closed = False

    def open(self) -> Identity:
        return Identity("", "shelf", "", "", "")

    def read(self) -> Reading:
        return Reading(self.channels, 0, 1, (float("nan"),), (Status.ABSENT,))

    def close(self) -> None:
        self.closed = True


def test_an_answer_without_a_value_is_no_success() -> None:
    source = Empty()
    check = module._check(source, "/dev/sg0")
    assert source.closed
    assert not check.ok
    text = checks_text([check])
    assert text.endswith("FAILED\n  It answers, but has no value (absent).\n")
    [plain] = checks_as_json([check])
    assert plain["values"] == {
        "ses.temperature.slot00": {"value": None, "unit": "degC", "status": "absent"}
    }


def test_the_target_is_looked_at_and_not_touched(tmp_path: Path) -> None:
    assert check_dut(bench(tmp_path)).ok
    assert not (tmp_path / "scratch.dat").exists()
    (tmp_path / "scratch.dat").write_text("mine")
    refused = check_dut(bench(tmp_path))
    text = checks_text([refused])
    assert "FAILED\n  This file holds data" in text
    assert text.count("scratch.dat") == 1


def test_a_source_without_an_address_says_so() -> None:
    check = SourceCheck("x", "power", "test", "", error="broken.")
    assert checks_text([check]) == "x (test, no address): FAILED\n  Broken.\n"
