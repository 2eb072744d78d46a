"""The bench as frozen values: what is connected, and the device under test."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import tomlkit

from app.bench.guard import Guard
from app.bench.load import LoadHosts
from app.plan.interlocks import Interlock
from instruments.base import DUT
from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.settings import Value, did_you_mean
from instruments.sizes import format_size
from instruments.switch.base import SwitchDriver, permission

SIMULATED = "simulated"
"""As an address: "the simulator that this bench starts"."""

SMALLEST_SIZE = 16 * 2**20
"""Less has no room for a few of the largest usual blocks under way [judged]."""

# O_DIRECT wants whole logical blocks; drives with sectors of 4 KiB are the coarsest.
BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Dut:
    """The device under test and the files or disks the load runs on.

    Attributes:
        name: What the report calls it.
        targets: Scratch files or disks, by names or patterns such as "/scratch/dev*",
            as `workloads.target.targets` resolves them; at least one.
        size: Bytes of each that the load uses, 0 for all of a disk.
        model: Vendor's model name.
        drives: How many drives it has, 0 where it is not said.
        layout: How its slots are arranged, such as "4x15", or a layout's name.
        capacity_tb: Raw capacity in TB of 10^12 bytes, for W/TB; 0 where it is not
            said.
        net_capacity_tb: Without parity, copies and spares; 0 where it is not said.
        usable_capacity_tb: Of that what is filled at most; 0 where it is not said.
        enclosure_w: Mean power without its drives; 0 where it is not said.
        price: What it cost to buy, in the currency of `Cost`; 0 where it is not said.
        ambient: Channels that tell the temperature of the room or the inlet, such as
            "rack.temperature.inlet"; empty for all that are called so.
        mains_voltage: Nominal voltage of the mains in V; 0 where it is not said.
    """

    name: str
    targets: tuple[Path, ...]
    size: int
    model: str = ""
    drives: int = 0
    layout: str = ""
    capacity_tb: float = 0.0
    net_capacity_tb: float = 0.0
    usable_capacity_tb: float = 0.0
    enclosure_w: float = 0.0
    price: float = 0.0
    ambient: tuple[str, ...] = ()
    mains_voltage: float = 0.0


CALIBRATION_DAYS = 365
"""So long a calibration holds where a bench does not say; laboratories agree on it."""


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """One [[power]], [[thermal]], [[noise]] or [[host]] of the bench.

    Attributes:
        section: The name of its table.
        name: Unique on the bench.
        driver: What it is.
        keys: What its driver was given, complete with defaults.
        measures: "dut", or what else it measures: a server, a switch.
        host: Name of the [[host]] its tools run on; "" is this machine.
        calibrated: Day of its last calibration, None where it is not said.
        calibration_days: For how many days a calibration holds.
        place: File and line it comes from, for errors.
        background: Of a sound meter, the label of the step in which it hears only
            what is there anyway; "" where the bench names none.
        ignore: Channels that are left out, as `instruments.exclusion` takes them.
    """

    section: str
    name: str
    driver: Driver
    keys: Mapping[str, Value] = field(default_factory=dict)
    measures: str = DUT
    host: str = ""
    calibrated: date | None = None
    place: str = ""
    background: str = ""
    ignore: tuple[str, ...] = ()
    calibration_days: int = CALIBRATION_DAYS

    @property
    def address(self) -> str:
        """Where it is reached, as written: resource, address, device or file."""
        found = (self.keys.get(k) for k in ("resource", "address", "device", "file"))
        return str(next((value for value in found if value), ""))

    @property
    def is_simulated(self) -> bool:
        """Whether it is known to be simulated before it is reached."""
        return SIMULATED in (self.driver.name, self.address)

    @property
    def wants_simulator(self) -> bool:
        """Whether it is to be reached at the simulator that the bench starts."""
        if self.driver.name == SIMULATED:
            return self.address in ("", SIMULATED)
        return self.address == SIMULATED

    @property
    def text(self) -> str:
        """Its part of the bench, as it is kept with its readings."""
        extra: dict[str, str | int] = {}
        extra |= {"measures": self.measures} if self.measures != DUT else {}
        extra |= {"host": self.host} if self.host else {}
        extra |= {"calibrated": str(self.calibrated)} if self.calibrated else {}
        if self.calibration_days != CALIBRATION_DAYS:
            extra |= {"calibration_days": self.calibration_days}
        extra |= {"background": self.background} if self.background else {}
        given = {**self.keys, **({"ignore": self.ignore} if self.ignore else {})}
        keys = {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()}
        table = {"name": self.name, "driver": self.driver.name, **extra, **keys}
        return tomlkit.dumps({self.section: [table]})


@dataclass(frozen=True, slots=True)
class SwitchConfig:
    """One [[switch]] of the bench.

    Attributes:
        name: Unique on the bench, among its sources, too.
        driver: What it is.
        allow: What the bench allows it to do; nothing where it is empty.
        keys: What its driver was given, complete with defaults.
        host: Name of the [[host]] its tools run on; "" is this machine.
        place: The table it comes from, for errors.
    """

    name: str
    driver: SwitchDriver
    allow: tuple[str, ...] = ()
    keys: Mapping[str, Value] = field(default_factory=dict)
    host: str = ""
    place: str = ""

    @property
    def address(self) -> str:
        """Where it is reached, as written: address or device."""
        return str(self.keys.get("address") or self.keys.get("device") or "")

    @property
    def allowed(self) -> tuple[str, ...]:
        """Its actions that the bench allows."""
        actions = self.driver.actions
        return tuple(action for action in actions if permission(action) in self.allow)

    @property
    def forbidden(self) -> tuple[str, ...]:
        """Its actions that the bench does not allow."""
        allowed = self.allowed
        return tuple(one for one in self.driver.actions if one not in allowed)


@dataclass(frozen=True, slots=True)
class Simulated:
    """[simulated]: whether the bench starts the simulator, and how it is set.

    Attributes:
        start: Whether the bench starts it.
        speedup: How much faster than life drives warm and cool.
        seed: Makes the noise of the readings repeatable.
        power_lag: Seconds by which power follows the load later; a true offset to find.
        sound_lag: Likewise, of the sound.
        delay: Seconds by which each answer comes later.
    """

    start: bool = True
    speedup: float = 20.0
    seed: int = 1
    power_lag: float = 0.0
    sound_lag: float = 0.0
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Cost:
    """[cost]: what turns energy into money.

    Attributes:
        price_per_kwh: In `currency`; None where it is not said.
        currency: Such as "EUR".
        pue: Power usage effectiveness of the data centre.
        duty: Share of the time that the device is under load, 0 to 1.
        co2_g_per_kwh: Grams of CO2 for a kWh; None where it is not said.
    """

    price_per_kwh: float | None = None
    currency: str = "EUR"
    pue: float = 1.0
    duty: float = 1.0
    co2_g_per_kwh: float | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """What is connected, as frozen values, with the text it was read from."""

    name: str
    dut: Dut
    sources: tuple[SourceConfig, ...]
    simulated: Simulated | None
    cost: Cost
    text: str = ""
    file: str = ""
    switches: tuple[SwitchConfig, ...] = ()
    guard: Guard = field(default_factory=Guard)
    load: LoadHosts | None = None
    interlocks: tuple[Interlock, ...] = ()

    @property
    def is_simulated(self) -> bool:
        """Whether any source is known to be simulated before it is reached."""
        return any(source.is_simulated for source in self.sources)

    @property
    def has_no_device(self) -> bool:
        """Whether a simulator is there, and all that measures is simulated.

        Hosts measure nothing: they tell how busy a machine is.
        """
        measuring = [source for source in self.sources if source.section != "host"]
        return all(one.is_simulated for one in measuring) and any(
            one.driver.name == SIMULATED for one in measuring
        )

    def switch(self, name: str) -> SwitchConfig:
        """Get one of its switches; raises BadInput."""
        for config in self.switches:
            if config.name == name:
                return config
        names = [config.name for config in self.switches]
        raise BadInput(
            f'there is no switch "{name}"{did_you_mean(name, names)}',
            where=self.file or self.name,
            way_out=f"Available: {', '.join(names)}." if names else "Add a [[switch]].",
        )

    def with_target(self, target: Path, size: int | None = None) -> "Bench":
        """Derive the same bench with another target, and size where given.

        Its text says so too: it is what the session keeps as the bench that ran.
        """
        dut = replace(self.dut, targets=(target,), size=size or self.dut.size)
        document = tomlkit.parse(self.text)
        table = document.setdefault("dut", tomlkit.table())
        table["target"] = str(target)
        if dut.size:
            table["size"] = format_size(dut.size)
        return replace(self, dut=dut, text=tomlkit.dumps(document))

    def without_hosts(self, names: Collection[str]) -> "Bench":
        """Derive the same bench without some of its load hosts; raises BadInput."""
        if self.load is None or not set(names) & set(self.load.hosts):
            return self
        return replace(self, load=self.load.without(names))

    def at(self, meter: str, enclosure: str) -> "Bench":
        """Derive the bench with the simulator's addresses filled in."""
        addresses = {"resource": meter, "address": enclosure, "device": enclosure}
        sources = []
        for source in self.sources:
            if source.wants_simulator:
                known = {option.key for option in source.driver.options}
                key = next(key for key in addresses if key in known)
                keys = {**source.keys, key: addresses[key]}
                sources.append(replace(source, keys=keys))
            else:
                sources.append(source)
        switches = tuple(
            replace(switch, keys={**switch.keys, "address": enclosure})
            if switch.driver.name == SIMULATED
            and switch.keys.get("address") == SIMULATED
            else switch
            for switch in self.switches
        )
        return replace(self, sources=tuple(sources), switches=switches)


def round_size(size: int) -> int:
    """Round a size of the scratch file down to whole blocks.

    Raises:
        BadInput: It is smaller than a load can use.
    """
    if size < SMALLEST_SIZE:
        raise BadInput(
            f"the size is {format_size(size)}",
            where="size",
            way_out=f"Expected at least {format_size(SMALLEST_SIZE)}.",
        )
    return size // BLOCK * BLOCK
