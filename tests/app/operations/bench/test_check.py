"""Checking a bench: the simulator's real sockets, and ones that nothing listens on."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.operations.bench.check import (
    SourceCheck,
    check_bench,
    check_dut,
    check_source,
    lacking_values,
)
from app.operations.bench.check_report import checks_as_json, checks_text
from instruments.errors import BenchError
from instruments.reading import Channel, Status
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


def test_what_failed_is_named_once(
    simulator: SimulatorProcess, tmp_path: Path, dead_meter: str
) -> None:
    dead = dead_meter
    failed, *others = check_bench(bench_at(simulator, tmp_path, dead))
    assert all(check.ok for check in others)
    assert str(failed.error).startswith(f"mains ({dead}): connection refused")
    text = checks_text([failed])
    assert text.startswith(f"mains (hmc8015, {dead}): FAILED\n  Connection refused")
    assert text.count(dead) == 1
    [plain] = checks_as_json([failed])
    assert plain["error"] == str(failed.error)


def test_the_target_is_looked_at_and_not_touched(tmp_path: Path) -> None:
    assert check_dut(bench(tmp_path)).ok
    assert not (tmp_path / "scratch.dat").exists()
    (tmp_path / "scratch.dat").write_text("mine")
    refused = check_dut(bench(tmp_path))
    text = checks_text([refused])
    assert "FAILED\n  This file holds data" in text
    assert text.count("scratch.dat") == 1


@pytest.mark.parametrize(("layout", "told"), [("8x8", True), ("4x15", False)])
def test_bays_that_are_not_as_many_as_drives_are_told(
    tmp_path: Path, layout: str, told: bool
) -> None:
    plain = bench(tmp_path)
    dut = replace(plain.dut, drives=60, layout=layout)
    check = check_dut(replace(plain, dut=dut))
    assert check.ok
    assert ("64 bays for 60 drives" in checks_text([check])) == told
    assert bool(checks_as_json([check])[0]["trouble"]) == told


def test_a_source_without_an_address_says_so() -> None:
    check = SourceCheck("x", "power", "test", "", error=BenchError("broken"))
    assert checks_text([check]) == "x (test): FAILED\n  Broken.\n"


def test_a_check_says_which_parts_of_a_device_are_read(
    tmp_path: Path, nobody: str
) -> None:
    text = "".join(
        f'[[power]]\nname = "{name}"\ndriver = "lmg"\naddress = "{nobody}"\n{more}'
        for name, more in (("one", ""), ("two", 'element = ["2", "3"]\n'))
    )
    text += '[[power]]\nname = "pdu"\ndriver = "snmp"\naddress = "127.0.0.1"\n'
    text += 'port = 9\nprofile = "apc-rpdu2"\noutlets = ["outlet3"]\n'
    config = parse_bench(
        f'name = "b"\n[dut]\nname = "d"\ntarget = "{tmp_path}/x"\nsize = "16m"\n{text}',
        "b",
    )
    parts = [dict(check_source(config, one).parts) for one in ("one", "two", "pdu")]
    assert parts == [
        {"element": ("1",)},
        {"element": ("2", "3")},
        {"outlets": ("3",)},
    ]


HOSTS = """
[[host]]
name = "pc"
driver = "local"
calibrated = 2026-01-31
measures = "server"
[[thermal]]
name = "shelf"
driver = "ses"
[[thermal]]
name = "bmc"
driver = "redfish"
address = "{nobody}"
user = "bench"
[[noise]]
name = "recording"
driver = "wav"
file = "/nowhere/fans.wav"
calibration = 100.0
"""


def test_rates_are_read_twice_and_failures_keep_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nobody: str
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    dut = f'[dut]\nname = "x"\ntarget = "{tmp_path / "x"}"\n'
    text = 'name = "Many"\n' + dut + HOSTS.format(nobody=nobody)
    checks = {one.name: one for one in check_bench(parse_bench(text, "b.toml"))}
    pc = checks["pc"]
    assert pc.ok, pc.error
    busy = {c.name: status for c, _, status in pc.values}["pc.cpu_busy"]
    assert busy is Status.OK
    assert pc.measures == "server"
    assert pc.age_days == (datetime.now().astimezone().date() - date(2026, 1, 31)).days
    assert not any(checks[name].ok for name in ("shelf", "bmc", "recording"))
    assert checks["bmc"].password == "missing"
    assert checks["recording"].address == "/nowhere/fans.wav"
    said = checks_text(list(checks.values()))
    assert "measures server" in said
    assert "calibrated 2026-01-31, " in said
    assert "no password is known" in said
    [plain] = checks_as_json([pc])
    assert plain["calibrated"] == "2026-01-31"
    assert plain["measures"] == "server"


def test_a_meter_without_its_main_value_is_not_ok() -> None:
    power, apparent = Channel("mains", "P", "W"), Channel("mains", "S", "VA")
    volts = (Channel("mains", "U", "V"), 230.0, Status.OK)
    nan = float("nan")
    lost = [volts, (power, nan, Status.NAN), (apparent, nan, Status.OVERRANGE)]
    assert lacking_values(lost) == "P (nan), S (overrange)"
    assert lacking_values([volts, (power, 500.0, Status.WARN)]) == ""
    outlet = (Channel("pdu", "P", "W", "outlet1"), nan, Status.NAN)
    assert lacking_values([outlet, (power, 1.0, Status.OK)]) == "", "one of two"
    assert lacking_values([(power, nan, Status.UNSUPPORTED)]) == "", "it said so"


def test_drives_that_come_in_turns_are_told() -> None:
    values = tuple(
        (Channel("smart", "temperature", "degC", f"slot{n:02d}"), 30.0, Status.OK)
        for n in range(8)
    )
    check = SourceCheck("smart", "thermal", "smart", "", values=values, later=180)
    assert check.turns == "8 of 188 were read, the others come in turns"
    assert f"  {check.turns}\n" in checks_text([check])
    [plain] = checks_as_json([check])
    assert (plain["places"], plain["places_later"]) == (8, 180)
    assert SourceCheck("smart", "thermal", "smart", "", values=values).turns == ""


def test_what_warns_is_shown_first_and_what_failed_is_counted() -> None:
    nan = float("nan")
    values = [
        (Channel("d", "temperature", "degC", f"slot{n}"), 30.0, Status.OK)
        for n in range(9)
    ]
    values += [
        (Channel("d", "temperature", "degC", "exhaust"), 55.0, Status.WARN),
        (Channel("d", "temperature", "degC", "cpu"), 91.0, Status.CRIT),
        (Channel("d", "temperature", "degC", "gone"), nan, Status.ERROR),
        (Channel("d", "smart_failing", "", "gone"), nan, Status.ERROR),
        (Channel("d", "temperature", "degC", "late"), nan, Status.TIMEOUT),
        (Channel("d", "temperature", "degC", "empty"), nan, Status.ABSENT),
        (Channel("d", "wear", "", "slot1"), nan, Status.ERROR),
    ]
    trouble = "/dev/sdb: reading it is not allowed"
    check = SourceCheck(
        "d", "thermal", "smart", "", values=tuple(values), trouble=trouble
    )
    lines = checks_text([check]).splitlines()
    assert lines[:5] == [
        "d (smart): OK, but 2 of 14 without a value, read in 0.0 ms",
        "  without a value: gone (error), late (timeout)",
        f"  {trouble}",
        "! d.temperature.cpu = 91 °C (crit)",
        "! d.temperature.exhaust = 55 °C (warn)",
    ]
    [plain] = checks_as_json([check])
    assert plain["lacking"] == {"gone": "error", "late": "timeout"}
    assert plain["places"] == 14
    assert plain["trouble"] == trouble
