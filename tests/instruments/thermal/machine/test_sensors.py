"""A tool on the PATH that prints what `sensors -j` printed on real machines."""

import os
from math import isnan
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.thermal.machine.sensors import DRIVER, Sensors, list_values, parse
from instruments.tools.hosts import LocalHost
from tests.instruments.given import given
from tests.instruments.seen import Seen, seen_below

# Numbers of public outputs: Meliox/PVE-mods issues 1 and 88, lm-sensors issue 121.
NVME = """
   "nvme-pci-0100":{
      "Adapter": "PCI adapter",
      "Composite":{
         "temp1_input": 36.850,
         "temp1_max": 81.850,
         "temp1_min": -273.150,
         "temp1_crit": 84.850,
         "temp1_alarm": 0.000
      },
      "Sensor 1":{
         "temp2_input": 86.850,
         "temp2_max": 65261.850,
         "temp2_min": -273.150
      }
   }"""
BOARD = """
   "drivetemp-scsi-6-0":{
      "Adapter": "SCSI adapter",
      "temp1":{
         "temp1_input": 61.000,
         "temp1_max": 60.000,
         "temp1_crit": 70.000,
         "temp1_lcrit": -40.000
      }
   },
   "drivetemp-scsi-4-0":{
      "Adapter": "SCSI adapter",
      "temp1":{
         "temp1_input": 42.000,
         "temp1_max": 60.000
      }
   },
   "it8786-isa-0a40":{
      "Adapter": "ISA adapter",
      "+3.3V":{
         "in3_input": 3.576,
         "in3_min": 0.000,
         "in3_alarm": 0.000
      },
      "fan1":{
         "fan1_input": 1109.000,
         "fan1_min": 0.000
      },
      "temp2":{
         "temp2_input": 30.000,
         "temp2_fault": 1.000
      },
      "intrusion0":{
         "intrusion0_alarm": 1.000
      },
      "PPT":{
         "power1_average": 15.200
      }
   }"""
UNREADABLE = """
   "iwlwifi-virtual-0":{
      "Adapter": "Virtual device",
      "temp1":{
ERROR: Can't get value of subfeature temp1_input: Can't read

      }
   }"""
READABLE = UNREADABLE.replace(
    "ERROR: Can't get value of subfeature temp1_input: Can't read",
    '"temp1_input": 44.000',
)
IGNORED = """
   "acpitz-acpi-0":{
      "Adapter": "ACPI interface",
   }"""


class Tool:
    """The tool, and what it prints next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / "sensors"
        path.write_text(
            '#!/bin/sh\n[ "$1" = -v ] && { echo "sensors version 3.6.0 with '
            f'libsensors version 3.6.0"; exit; }}\necho "$@" > {folder}/args\n'
            f"cat {folder}/errors >&2\ncat {folder}/output\nexit $(cat {folder}/code)\n"
        )
        path.chmod(0o755)

    def prints(self, *chips: str, code: int = 0, errors: str = "") -> None:
        text = "{" + ",".join(chips) + "\n}\n" if chips else "{\n}\n"
        (self._folder / "output").write_text(text)
        (self._folder / "errors").write_text(errors)
        (self._folder / "code").write_text(str(code))

    @property
    def args(self) -> str:
        return (self._folder / "args").read_text().strip()


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return Tool(tmp_path)


def _read(source: Sensors) -> Seen:
    return seen_below(source.read())


def test_chips_and_features_become_channels(tool: Tool) -> None:
    tool.prints(NVME, BOARD)
    source = Sensors(given(DRIVER, "board", LocalHost(), chips=("*",)))
    identity = source.open()
    assert identity.firmware == "3.6.0"
    assert tool.args == "-j *"
    found = _read(source)
    fault = found.pop("temperature.it8786-isa-0a40-temp2")
    assert isnan(fault[0])
    assert fault[1] is Status.ERROR
    assert found == {
        "temperature.nvme-pci-0100-composite": (36.85, Status.OK),
        "temperature.nvme-pci-0100-sensor-1": (86.85, Status.OK),
        "temperature.drivetemp-scsi-6-0-temp1": (61.0, Status.WARN),
        "temperature.drivetemp-scsi-4-0-temp1": (42.0, Status.OK),
        "voltage.it8786-isa-0a40-3-3v": (3.576, Status.OK),
        "fan.it8786-isa-0a40-fan1": (1109.0, Status.OK),
        "power.it8786-isa-0a40-ppt": (15.2, Status.OK),
    }


def test_a_feature_that_cannot_be_read_is_a_gap(tool: Tool) -> None:
    tool.prints(NVME, READABLE)
    source = Sensors(given(DRIVER, "board", LocalHost()))
    source.open()
    assert _read(source)["temperature.iwlwifi-virtual-0-temp1"] == (44.0, Status.OK)
    tool.prints(NVME, UNREADABLE, errors="ERROR: Can't get value of subfeature\n")
    found = _read(source)
    assert found["temperature.iwlwifi-virtual-0-temp1"][1] is Status.ERROR
    assert found["temperature.nvme-pci-0100-composite"] == (36.85, Status.OK)
    tool.prints(IGNORED, UNREADABLE)
    assert _read(source)["temperature.nvme-pci-0100-composite"][1] is Status.ABSENT


def test_features_that_were_never_readable_are_no_channels(tool: Tool) -> None:
    tool.prints(UNREADABLE, NVME, IGNORED)
    source = Sensors(given(DRIVER, "board", LocalHost()))
    source.open()
    assert {c.location for c in source.channels} == {
        "nvme-pci-0100-composite",
        "nvme-pci-0100-sensor-1",
    }


def test_no_sensors_are_absent(tool: Tool) -> None:
    tool.prints(code=1, errors="No sensors found!\nMake sure you loaded all\n")
    with pytest.raises(SourceError, match=r"no sensors \(No sensors found\)") as caught:
        Sensors(given(DRIVER, "board", LocalHost())).open()
    assert caught.value.status is Status.ABSENT
    assert DRIVER.discover(LocalHost()) == []


def test_a_tool_that_is_too_old_says_so(tool: Tool, tmp_path: Path) -> None:
    tool.prints(code=1, errors="sensors: invalid option -- 'j'\n")
    (tmp_path / "output").write_text("")
    with pytest.raises(SourceError, match=r"lm-sensors 3\.5 or newer"):
        Sensors(given(DRIVER, "board", LocalHost())).open()


def test_a_missing_tool_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="apt install lm-sensors"):
        Sensors(given(DRIVER, "board", LocalHost())).open()
    with pytest.raises(SourceError, match="not open"):
        Sensors(given(DRIVER, "board", LocalHost())).read()


@pytest.mark.parametrize("text", ["", "{", "[]", "sensors: oops"])
def test_what_is_no_json_is_none(text: str) -> None:
    assert parse(text) is None


def test_it_can_be_found(tool: Tool) -> None:
    tool.prints(NVME)
    found = DRIVER.discover(LocalHost())
    assert [one.label for one in found] == ["lm-sensors: nvme-pci-0100"]
    source = DRIVER.build(DRIVER.settings("board", found[0].values, LocalHost()))
    assert source.open().maker == "lm-sensors"


def test_an_input_with_nothing_connected_is_absent(tool: Tool) -> None:
    tool.prints(BOARD, NVME.replace("86.850", "-128.000"))
    source = Sensors(given(DRIVER, "board", LocalHost()))
    source.open()
    value, status = _read(source)["temperature.nvme-pci-0100-sensor-1"]
    assert isnan(value)
    assert status is Status.ABSENT
    assert source.read().trouble == (
        "board.temperature.nvme-pci-0100-sensor-1 says -128 °C, which cannot be: "
        "is nothing connected?"
    )
    tool.prints(BOARD, NVME.replace("86.850", "-40.000"))
    assert _read(source)["temperature.nvme-pci-0100-sensor-1"] == (-40.0, Status.OK)
    assert source.read().trouble == ""


def test_named_chips_keep_their_names_when_another_appears(tool: Tool) -> None:
    tool.prints(BOARD)
    source = Sensors(given(DRIVER, "board", LocalHost(), chips=("it8786-isa-0a40",)))
    source.open()
    source.read()
    assert tool.args == "-j it8786-isa-0a40", "no other chip is asked"


def test_names_do_not_depend_on_what_other_chips_are_there() -> None:
    alone = parse("{" + BOARD.lstrip() + "}")
    other = BOARD.replace("it8786-isa-0a40", "it8786-isa-0b00")
    both = parse("{" + BOARD.lstrip() + "," + other.lstrip() + "}")
    assert alone is not None
    assert both is not None
    assert {v.key: v.location for v in list_values(alone)}.items() <= {
        v.key: v.location for v in list_values(both)
    }.items()
