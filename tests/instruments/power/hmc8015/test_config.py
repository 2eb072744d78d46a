"""What bench.toml may say of an HMC8015."""

import math
import re
import tomllib
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.power.hmc8015.config import Config, Mode
from instruments.power.hmc8015.driver import DRIVER, HMC8015, config_from
from instruments.power.hmc8015.functions import find_functions
from instruments.tools.hosts import LocalHost


def config(**given: object) -> Config:
    values = {"resource": "TCPIP::192.0.2.5::5025::SOCKET", **given}
    return config_from(DRIVER.settings("mains", values, LocalHost()))


def names(of: Config) -> str:
    return " ".join(of.named(function).quantity for function in of.resident)


def test_the_defaults() -> None:
    found = config()
    assert names(found) == "P S lambda U I Wh Q f I_peak_max"
    assert found.ranges == (300.0, 10.0)
    assert (found.crest_factor, found.mode, found.period_s) == (3, Mode.AC, 0.1)
    assert found == Config()


def test_functions_replace_the_usual_ones() -> None:
    assert names(config(functions=[])) == "P S lambda U I Wh"
    found = config(functions=["U_peak_max", "IPP", "P", "integration_time"])
    assert names(found) == "P S lambda U I Wh U_peak_max I_peak_max"


def test_direct_current_has_means() -> None:
    assert names(config(mode="dc")) == "P U I Wh I_peak_max"
    found = config(mode="dc", functions=["Ah", "U"])
    assert names(found) == "P U I Wh Ah U_rms"


@pytest.mark.parametrize(
    ("given", "where", "sentence"),
    [
        ({"functions": ["Q", "f", "phi", "U_thd"]}, "functions", r"4 .* room for 3"),
        ({"functions": ["wat"]}, "functions", "no function"),
        ({"extra": ["UK99"]}, "extra", "no function"),
        ({"current_range": "auto"}, "current_range", "0.005, .* 20 A"),
        ({"current_range": 16}, "current_range", "Expected"),
        ({"period": 0.01}, "period", "0.05"),
        ({"crest_factor": 4}, "crest_factor", "3, 6"),
        ({"mode": "auto"}, "mode", "ac, dc"),
        ({"step_ranges": ["Off 300 V"]}, "step_ranges", "Off = 300 V, 0.2 A"),
        ({"step_ranges": ["Off = 300 V, 0.3 A"]}, "step_ranges", "0.2, 0.5"),
        ({"step_ranges": ["Off = 3.0.0 V, 0.2 A"]}, "step_ranges", "Expected"),
    ],
)
def test_what_the_meter_cannot_do(
    given: dict[str, object], where: str, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence) as caught:
        config(**given)
    assert caught.value.where == where


@pytest.mark.parametrize("volts", [0.0, -300.0, 230.0, 1000.0, math.nan])
def test_voltage_ranges_that_the_meter_does_not_have(volts: float) -> None:
    with pytest.raises(BadInput, match="5, 15, 30, 60, 150, 300, 600 V"):
        Config(voltage_range=volts)


def test_steps_have_ranges_of_their_own() -> None:
    found = config(step_ranges=["Off = 300 V, 0.2 A", "Start up 2=300V,20A"])
    assert found.step_ranges == {"Off": (300.0, 0.2), "Start up 2": (300.0, 20.0)}


def test_a_source_is_built_with_its_beat() -> None:
    values = {"resource": "x", "period": 0.05, "extra": ["U_h1"]}
    source = DRIVER.build(DRIVER.settings("mains", values, LocalHost()))
    assert isinstance(source, HMC8015)
    assert source.period_s == 0.05
    assert source.channels[0].period_ns == 50_000_000
    assert "U_h1" not in {channel.quantity for channel in source.channels}


def test_the_default_accuracy_is_said_to_be_unverified() -> None:
    settings = DRIVER.settings("mains", {"resource": "x"}, LocalHost())
    assert settings.number("accuracy_reading") == pytest.approx(0.05)
    assert settings.number("accuracy_range") == pytest.approx(0.05)
    assert "unverified" in settings.text("accuracy_source")


def test_ten_functions_are_the_most() -> None:
    three = find_functions(["Q", "phi", "f"], "functions")
    assert len(Config(functions=three).resident) == 9  # and the time


def test_the_page_on_the_meter_has_a_bench_that_builds_and_names_every_key() -> None:
    page = (Path(__file__).parents[4] / "docs" / "hmc8015.md").read_text()
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert example is not None
    (keys,) = tomllib.loads(example[1])["power"]
    name, driver = keys.pop("name"), keys.pop("driver")
    assert driver == DRIVER.name
    source = DRIVER.build(DRIVER.settings(name, keys, LocalHost()))
    assert len(source.channels) == 11
    for option in DRIVER.options:
        assert option.key in page
