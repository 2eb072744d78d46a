"""The bench: bench.toml to sources; the only file that names concrete drivers."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import tomlkit

from app.plan.campaign import Step
from app.plan.toml_file import TomlTable, parse_toml, read_toml
from instruments.base import Source
from instruments.errors import BadInput
from instruments.noise.simulated import SimulatedSoundMeter
from instruments.power.hmc8015 import HMC8015
from instruments.thermal.simulated import SimulatedEnclosure
from resources import read_text
from workloads.base import Workload
from workloads.fio import Fio
from workloads.fio_job import FioJob
from workloads.scratch import Scratch
from workloads.sizes import format_size, parse_size

SECTIONS = ("power", "thermal", "noise", "switch", "host")
SIMULATED = "simulated"
"""As an address: "the simulator that this bench starts"."""

PLANNED_DRIVERS = {
    "power": ("yokogawa", "hioki", "chroma", "lmg", "npa", "described"),
    "thermal": (
        "ses",
        "smart",
        "raid",
        "hwmon",
        "nvme",
        "ipmi",
        "redfish",
        "sensors",
        "snmp",
    ),
    "noise": ("gm1356", "dt8852", "nsrt", "microphone", "wav"),
    "switch": ("snmp", "ipmi", "redfish"),
    "host": ("local", "ssh"),
}


@dataclass(frozen=True, slots=True)
class Dut:
    """The device under test and the file the load runs on.

    Attributes:
        name: What the report calls it.
        target: The scratch file; "~" is the home folder.
        size: Bytes of it that the load uses.
        model: Vendor's model name.
        drives: How many drives it has, 0 where it is not said.
    """

    name: str
    target: Path
    size: int
    model: str = ""
    drives: int = 0


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """One [[power]], [[thermal]] or [[noise]] of the bench."""

    section: str
    name: str
    driver: str
    keys: Mapping[str, str | int | float | bool] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where it is reached, as written: resource, address or device."""
        found = (self.keys.get(key) for key in ("resource", "address", "device"))
        return str(next((value for value in found if value), ""))


@dataclass(frozen=True, slots=True)
class Simulated:
    """[simulated]: whether the bench starts the simulator, and how it is set."""

    start: bool = True
    speedup: float = 20.0
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Bench:
    """What is connected, as frozen values, with the text it was read from."""

    name: str
    dut: Dut
    sources: tuple[SourceConfig, ...]
    simulated: Simulated | None
    cost: Mapping[str, float | str]
    text: str = ""
    file: str = ""

    @property
    def is_simulated(self) -> bool:
        """Whether any source is known to be simulated before it is reached."""
        return any(
            SIMULATED in (source.driver, source.address) for source in self.sources
        )

    def with_target(self, target: Path, size: int | None = None) -> "Bench":
        """Derive the same bench with another target, and size where given.

        Its text says so too: it is what the session keeps as the bench that ran.
        """
        dut = replace(self.dut, target=target, size=size or self.dut.size)
        document = tomlkit.parse(self.text)
        table = document.setdefault("dut", tomlkit.table())
        table["target"], table["size"] = str(target), format_size(dut.size)
        return replace(self, dut=dut, text=tomlkit.dumps(document))

    def at(self, meter: str, enclosure: str) -> "Bench":
        """Derive the bench with the simulator's addresses filled in."""
        return replace(
            self,
            sources=tuple(
                _fill_in(source, meter, enclosure) for source in self.sources
            ),
        )


def _fill_in(source: SourceConfig, meter: str, enclosure: str) -> SourceConfig:
    keys = dict(source.keys)
    if keys.get("resource") == SIMULATED:
        keys["resource"] = meter
    if source.driver == SIMULATED and keys.get("address", SIMULATED) == SIMULATED:
        keys["address"] = enclosure
    return replace(source, keys=keys)


def load_bench(path: Path) -> Bench:
    """Read bench.toml.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    text, top = read_toml(path)
    return _bench(top, text, str(path))


def default_bench() -> Bench:
    """Get the simulated bench that ships with Bayscope."""
    text = read_text("benches", "simulated.toml")
    return parse_bench(text, "simulated.toml")


def parse_bench(text: str, name: str) -> Bench:
    """Read a bench from text that came from `name`; raises BadInput."""
    return _bench(parse_toml(text, name), text, name)


def _bench(top: TomlTable, text: str, file: str) -> Bench:
    top.expect("name", "dut", "cost", "simulated", *SECTIONS)
    if "dut" not in top.values:
        top.fail("dut", "[dut] is missing", "Expected a [dut] with name and target.")
    name = top.text("name")
    dut = _dut(top.table("dut"))
    sources: list[SourceConfig] = []
    for section in SECTIONS:
        for number, table in enumerate(top.tables(section), 1):
            default = section if number == 1 else f"{section}{number}"
            source = _source(section, table, default)
            if source.name in {other.name for other in sources}:
                table.fail(
                    "name",
                    f'the name "{source.name}" is used twice',
                    "Give every source a name of its own.",
                )
            sources.append(source)
    cost = {key: str(value) for key, value in top.table("cost").rest().items()}
    simulated = _simulated(top) if "simulated" in top.values else None
    top.finish()
    bench = Bench(name, dut, tuple(sources), simulated, cost, text, file)
    if bench.is_simulated and simulated is None:
        wants = [s for s in sources if SIMULATED in (s.keys.get("resource"),)]
        wants += [s for s in sources if s.driver == SIMULATED and not s.address]
        if wants:
            top.fail(
                "",
                f'the source "{wants[0].name}" wants the simulator of this bench',
                "Add a [simulated] table, or give the address of a running simulator.",
            )
    return bench


def _dut(table: TomlTable) -> Dut:
    size_text = table.values.get("size", "1g")
    table.text("size", "1g") if isinstance(size_text, str) else table.integer("size")
    try:
        size = parse_size(str(size_text))
    except ValueError:
        table.fail("size", f'size is "{size_text}"', 'Expected a size such as "64g".')
    if size < 16 * 1024 * 1024:
        table.fail("size", f'size is "{size_text}"', "Expected at least 16m.")
    target = table.text("target")
    try:
        path = Path(target).expanduser()
    except RuntimeError:
        table.fail("target", f'target is "{target}"', "There is no such home folder.")
    dut = Dut(
        name=table.text("name"),
        target=path,
        size=size // 4096 * 4096,
        model=table.text("model", ""),
        drives=table.integer("drives", 0),
    )
    table.finish()
    return dut


def _source(section: str, table: TomlTable, default_name: str) -> SourceConfig:
    known = tuple(driver for kind, driver in DRIVERS if kind == section)
    driver = table.values.get("driver")
    if driver in PLANNED_DRIVERS[section]:
        have = f"Use one of {', '.join(known)}." if known else "Remove it."
        table.fail("driver", f'the driver "{driver}" is not part of this version', have)
    driver = table.choice("driver", known, None)
    name = table.text("name", default_name)
    if not all(letter.isalnum() or letter in "-_" for letter in name):
        table.fail("name", f'name is "{name}"', "Expected letters, digits, - and _.")
    keys = {}
    for key, value in table.rest().items():
        if not isinstance(value, str | int | float | bool):
            table.fail(
                key, f"{key} has no single value", "Expected a text or a number."
            )
        keys[key] = value
    # With its defaults, so that the session tells them with the readings.
    config = SourceConfig(
        section, name, driver, {**_DEFAULTS.get((section, driver), {}), **keys}
    )
    unknown = set(keys) - _KEYS[section, driver]
    if unknown:
        names = sorted({"name", "driver", *_KEYS[section, driver]})
        meant = difflib.get_close_matches(min(unknown), names, n=1)
        hint = f' (did you mean "{meant[0]}"?)' if meant else ""
        expected = f"Known here: {', '.join(names)}."
        table.fail(min(unknown), f"unknown key{hint}", expected)
    if section == "power" and not config.address:
        table.fail(
            "resource",
            "resource is missing",
            'Expected a VISA resource such as "TCPIP::192.0.2.5::5025::SOCKET".',
        )
    try:
        DRIVERS[section, driver](config)
    except BadInput as error:
        table.fail("", error.what, error.way_out)
    return config


def _simulated(top: TomlTable) -> Simulated:
    table = top.table("simulated")
    found = Simulated(
        start=table.flag("start", True),
        speedup=table.number("speedup", 20.0, low=1.0, high=1000.0),
        seed=table.integer("seed", 1),
    )
    table.finish()
    return found


def build_sources(bench: Bench) -> list[Source]:
    """Make the bench's sources, not yet opened.

    Raises:
        BadInput: A key has a value that its driver refuses.
    """
    return [DRIVERS[config.section, config.driver](config) for config in bench.sources]


def build_load(label: str, step: Step, scratch: Scratch) -> Workload:
    """Make the load of a step on a scratch file."""
    direct = scratch.direct and step.options.get("direct", "1") != "0"
    job = FioJob(
        label=label,
        target=scratch.path,
        size=scratch.size,
        runtime_s=step.runtime_s,
        ramp_s=step.ramp_s,
        direct=direct,
        options=step.options,
    )
    return Fio(job)


def source_text(config: SourceConfig) -> str:
    """Write a source's part of the bench, as it is kept with its readings."""
    keys = {"name": config.name, "driver": config.driver, **config.keys}
    return tomlkit.dumps({config.section: [keys]})


def _hmc8015(config: SourceConfig) -> Source:
    keys = config.keys
    return HMC8015(
        config.name,
        str(keys["resource"]),
        voltage_range=_number(keys["voltage_range"]),
        current_range=_number(keys["current_range"]),
    )


def _number(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise BadInput(f'a range is "{value}"', way_out="Expected a number in V or A.")


def _simulated_enclosure(config: SourceConfig) -> Source:
    return SimulatedEnclosure(config.name, config.address)


def _simulated_meter(config: SourceConfig) -> Source:
    return SimulatedSoundMeter(config.name, config.address)


DRIVERS: dict[tuple[str, str], Callable[[SourceConfig], Source]] = {
    ("power", "hmc8015"): _hmc8015,
    ("thermal", "simulated"): _simulated_enclosure,
    ("noise", "simulated"): _simulated_meter,
}
_DEFAULTS: dict[tuple[str, str], dict[str, str | int | float | bool]] = {
    ("power", "hmc8015"): {"voltage_range": 300, "current_range": 10},
}
_KEYS = {
    ("power", "hmc8015"): {"resource", "voltage_range", "current_range"},
    ("thermal", "simulated"): {"address"},
    ("noise", "simulated"): {"address"},
}
