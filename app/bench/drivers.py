"""Every driver that a bench may name; nothing else names a concrete driver.

A driver's module is imported when a bench names it: together they take SNMP, SSH, HTTP
and signal processing, which is seconds for a command that only reads.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import TypeVar

from app.bench.meters import load_meters
from instruments.driver import Driver
from instruments.power.dialects.described import described_driver
from instruments.switch.base import SwitchDriver

K = TypeVar("K")
V = TypeVar("V")

_MODULES: Mapping[tuple[str, str], str] = {
    ("host", "local"): "instruments.host.source",
    ("host", "ssh"): "instruments.host.ssh",
    ("host", "windows"): "instruments.host.windows",
    ("power", "hmc8015"): "instruments.power.hmc8015.driver",
    ("power", "yokogawa"): "instruments.power.dialects.yokogawa",
    ("power", "hioki"): "instruments.power.dialects.hioki",
    ("power", "chroma"): "instruments.power.dialects.chroma",
    ("power", "npa"): "instruments.power.hmc8015.driver",
    ("power", "lmg"): "instruments.power.dialects.lmg",
    ("thermal", "ses"): "instruments.thermal.ses.source",
    ("thermal", "smart"): "instruments.thermal.drives.smart",
    ("thermal", "drives"): "instruments.thermal.drives.drive_logs",
    ("thermal", "raid"): "instruments.thermal.drives.raid",
    ("thermal", "sas"): "instruments.thermal.drives.sas_links",
    ("thermal", "hwmon"): "instruments.thermal.machine.hwmon",
    ("thermal", "nvme"): "instruments.thermal.drives.nvme",
    ("thermal", "sensors"): "instruments.thermal.machine.sensors",
    ("thermal", "ipmi"): "instruments.thermal.ipmi.driver",
    ("thermal", "redfish"): "instruments.thermal.redfish.driver",
    ("thermal", "snmp"): "instruments.thermal.snmp.driver",
    ("power", "snmp"): "instruments.thermal.snmp.driver",
    ("thermal", "simulated"): "instruments.thermal.simulated",
    ("noise", "gm1356"): "instruments.noise.gm1356",
    ("noise", "dt8852"): "instruments.noise.dt8852",
    ("noise", "nsrt"): "instruments.noise.nsrt",
    ("noise", "microphone"): "instruments.noise.microphone",
    ("noise", "wav"): "instruments.noise.wav",
    ("noise", "simulated"): "instruments.noise.simulated",
    ("power", "described"): "",
}
"""Section, name and module of each driver, in the order they are offered."""

_SWITCHES = ("snmp", "ipmi", "redfish", "ses", "simulated")


class _Lazy(Mapping[K, V]):
    """Drivers by their keys; each is imported where it is asked for."""

    def __init__(self, keys: Collection[K], load: Callable[[K], V]) -> None:
        self._keys = keys
        self._load = load

    def __getitem__(self, key: K) -> V:
        if key not in self._keys:
            raise KeyError(key)
        return self._load(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def drivers() -> Mapping[tuple[str, str], Driver]:
    """Get the drivers by section and name, in the order they are offered."""
    return _Lazy(_MODULES, _driver)


def switch_drivers() -> Mapping[str, SwitchDriver]:
    """Get the drivers of switches by name, in the order they are offered."""
    return _Lazy(_SWITCHES, _switch_driver)


def _driver(key: tuple[str, str]) -> Driver:
    if key == ("power", "described"):  # Its keys depend on what is described.
        return described_driver(load_meters())
    every = vars(import_module(_MODULES[key])).values()
    found = (one for one in every if isinstance(one, Driver))
    return next(one for one in found if (one.section, one.name) == key)


def _switch_driver(name: str) -> SwitchDriver:
    found: SwitchDriver = import_module(f"instruments.switch.{name}").DRIVER
    return found
