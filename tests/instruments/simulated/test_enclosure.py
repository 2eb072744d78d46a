"""The enclosure's line protocol, line by line."""

import json
from pathlib import Path

import pytest

from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.enclosure import IDENTITY, EnclosurePort, is_simulate
from instruments.simulated.load import Rates


@pytest.fixture
def model() -> BenchModel:
    return BenchModel(BenchConfig(speedup=20, target=Path("/proc")))


@pytest.fixture
def port(model: BenchModel) -> EnclosurePort:
    return EnclosurePort(model)


def test_identity(port: EnclosurePort) -> None:
    assert port.handle("*IDN?\r\n") == IDENTITY


def test_temperatures_fans_and_noise_are_json(port: EnclosurePort) -> None:
    temperatures = json.loads(port.handle("TEMPerature?"))
    assert list(temperatures)[:2] == ["slot00", "slot01"]
    assert list(temperatures)[-3:] == ["slot59", "inlet", "exhaust"]
    assert temperatures["inlet"] == [26.0, "ok"]
    assert port.handle("temp?") == port.handle("TEMPERATURE?")
    assert set(json.loads(port.handle("FAN?"))) == {f"fan{n}" for n in range(1, 7)}
    noise = json.loads(port.handle("NOISE?"))
    assert noise["LAeq"][0] == pytest.approx(54, abs=1)
    assert noise["LAFmax"][0] >= noise["LAeq"][0] - 0.1


def test_full_scale_and_calibration(port: EnclosurePort) -> None:
    assert port.handle("SIM:CAL?") == "not calibrated"
    assert port.handle("SIMulate:FULL 1e9,5e8,40000,20000") == "OK"
    assert port.handle("SIM:FULL?") == "1000000000,500000000,40000,20000"
    assert json.loads(port.handle("SIM:LOAD?"))["full_scale"] == "set"
    assert port.handle("SIM:CAL STARt") == "OK"
    assert port.handle("SIM:CAL?") == "calibrating"
    assert port.handle("SIM:CAL STOP") == "OK"
    assert port.handle("SIM:CAL?") == "calibrated"
    assert port.handle("SIM:CAL STOP") == "ERROR no calibration was started"


def test_faults(port: EnclosurePort, model: BenchModel) -> None:
    assert port.handle("SIM:FAUL?") == "meter=none,enclosure=none"
    assert port.handle("SIMulate:FAULt silence,60,meter") == "OK"
    assert port.handle("SIM:FAUL?") == "meter=silence,enclosure=none"
    assert port.handle("SIM:FAUL late") == "OK"
    assert port.handle("SIM:FAUL?") == "meter=late,enclosure=late"
    assert port.handle("SIM:FAUL none") == "OK"
    assert port.handle("SIM:FAUL?") == "meter=none,enclosure=none"


def test_power_speedup_and_ambient(port: EnclosurePort, model: BenchModel) -> None:
    assert port.handle("SIM:POW?") == "on"
    assert port.handle("SIM:POW OFF") == "OK"
    assert port.handle("SIM:POW?") == "standby"
    assert json.loads(port.handle("TEMP?"))["slot00"] == [None, "standby"]
    assert port.handle("SIM:POW ON") == "OK"
    assert port.handle("SIM:POW?") == "starting"
    assert port.handle("SIM:SPE 50") == "OK"
    assert (port.handle("SIM:SPE?"), model.enclosure.speedup) == ("50", 50.0)
    assert port.handle("SIM:AMB 20.5") == "OK"
    assert port.handle("SIM:AMB?") == "20.5"
    assert port.handle("SIM:SHARe 0.5") == "OK"
    assert (port.handle("SIM:SHAR?"), model.acquisition.share) == ("0.5", 0.5)
    assert port.handle("SIM:CREst 4") == "OK"
    assert (port.handle("SIM:CRE?"), model.acquisition.crest) == ("4", 4.0)


def test_a_slot_can_fail_in_every_way_there_is(port: EnclosurePort) -> None:
    for status in ("absent", "stale", "error", "crit"):
        assert port.handle(f"SIM:SLOT 3,{status}") == "OK"
        value, said = json.loads(port.handle("TEMP?"))["slot03"]
        assert said == status
        assert (value is None) is (status != "crit")


def test_the_target_can_change(port: EnclosurePort, tmp_path: Path) -> None:
    assert "every fio" in port.handle("SIM:TARG?")
    assert port.handle(f"SIM:TARG {tmp_path}/scratch.dat") == "OK"
    assert port.handle("SIM:TARG?") != ""


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "is not known here"),
        ("TEMPERA?", "is not known here"),
        ("TEMP", "is not known here"),
        ("SIM:FULL 1,2,3", "expected read and write B/s"),
        ("SIM:FULL 1,2,3,x", "is not a number from"),
        ("SIM:CAL maybe", "expected STARt or STOP"),
        ("SIM:FAUL explode", "there are drop, reset"),
        ("SIM:FAUL drop,soon", "neither seconds nor meter nor enclosure"),
        ("SIM:FAUL drop,-1", "neither seconds nor meter nor enclosure"),
        ("SIM:POW maybe", "expected ON or OFF"),
        ("SIM:SPE 0", "is not a number from 0.1 to 1000"),
        ("SIM:AMB nan", "is not a number from"),
        ("SIM:SHAR 200", "is not a number from 0 to 100"),
        ("SIM:CRE 0.5", "is not a number from 1 to 100"),
        ("SIM:SLOT 60,absent", "is not a number from 0 to 59"),
        ("SIM:SLOT 1,fine", "not a valid Status"),
    ],
)
def test_what_is_not_understood_is_said(
    port: EnclosurePort, line: str, sentence: str
) -> None:
    answer = port.handle(line)
    assert answer.startswith("ERROR ")
    assert sentence in answer
    assert "\n" not in answer


def test_lines_that_steer_the_simulation() -> None:
    assert is_simulate("SIMulate:FAULt none")
    assert is_simulate(" sim:load?\n")
    assert not is_simulate("TEMP?")


def test_the_model_moves_with_the_time_that_passed(model: BenchModel) -> None:
    model.enclosure.ambient = 36.0
    before = model.enclosure.drives[0]
    model.advance(0.1)
    warmed = model.enclosure.drives[0] - before
    for _ in range(9):
        model.advance(0.1)
    assert model.enclosure.drives[0] - before > 5 * warmed > 0


def test_a_device_at_rest_follows_no_disk_of_this_machine(
    port: EnclosurePort, model: BenchModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = Rates(read_iops=20_000.0, read_bps=80e6)
    monkeypatch.setattr(model.reader, "rates", lambda _: busy)
    port.handle("SIMulate:FULL 1e9,5e8,20000,20000")

    def watts() -> float:
        model.advance(1.0)
        return model.enclosure.electric().active

    assert watts() > 620
    assert port.handle("SIMulate:REST 2") == "OK"
    assert watts() < 620
    assert port.handle("SIMulate:REST?") == "1"
    assert watts() < 620
    assert watts() > 620
