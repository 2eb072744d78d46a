"""The switch of the simulated bench, on a real socket."""

from collections.abc import Iterator

import pytest

from instruments.errors import BadInput, SourceError
from instruments.simulated.bench import BenchConfig
from instruments.simulated.server import SimulatedBench
from instruments.switch.simulated import DRIVER, SimulatedSwitch
from instruments.tools.hosts import LocalHost


@pytest.fixture
def switch() -> Iterator[SimulatedSwitch]:
    with SimulatedBench(BenchConfig()) as bench:
        address = f"127.0.0.1:{bench.enclosure_port}"
        settings = DRIVER.settings("power", {"address": address}, LocalHost())
        made = DRIVER.build(settings)
        assert isinstance(made, SimulatedSwitch)
        made.open()
        yield made
        made.close()
        made.close()


def test_it_switches_and_reads_back(switch: SimulatedSwitch) -> None:
    assert switch.state("") == "on"
    assert switch.act("off", "") == "the device is off"
    assert switch.act("soft", "") == "the device is off, its BMC is on"
    assert switch.act("on", "") == "the device is on"
    assert switch.places() == ("",)


def test_it_has_no_outlets(switch: SimulatedSwitch) -> None:
    with pytest.raises(BadInput, match='no place "3"'):
        switch.act("off", "3")
    with pytest.raises(BadInput, match='no "cycle"'):
        switch.act("cycle", "")


def test_it_lights_a_slot_and_reads_back(switch: SimulatedSwitch) -> None:
    assert switch.act("locate", "7") == "the light of slot 7 is on"
    assert switch.act("locate-off", "7") == "the light of slot 7 is off"
    with pytest.raises(BadInput, match='"" is not a slot'):
        switch.act("locate", "")


def test_it_has_to_be_open() -> None:
    settings = DRIVER.settings("power", {"address": "127.0.0.1:1"}, LocalHost())
    with pytest.raises(SourceError, match="not open"):
        DRIVER.build(settings).state("")
