"""A bench from its text: bench.toml is read, and every mistake names its line."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from app.bench.drivers import drivers, switch_drivers
from app.bench.dut import parse_dut
from app.bench.guard import SECTION as GUARD
from app.bench.guard import parse_guard
from app.bench.load import SECTION as LOAD
from app.bench.load import parse_load
from app.bench.model import (
    CALIBRATION_DAYS,
    Bench,
    Cost,
    Dut,
    Simulated,
    SourceConfig,
    SwitchConfig,
)
from app.bench.sharing import needed_by, rival_of
from app.plan.interlocks import parse_interlocks
from app.plan.toml_file import check_kind, parse_toml, read_toml
from app.plan.toml_table import TomlTable
from instruments.base import DUT
from instruments.driver import HOST, Driver
from instruments.errors import BadInput
from instruments.exclusion import IGNORE
from instruments.power.ranging import Ranging
from instruments.settings import complete, did_you_mean
from instruments.simulated.lag import MOST_S
from instruments.tools.hosts import LocalHost
from instruments.tools.secrets import variable
from resources import read_text

SECTIONS = ("host", "power", "thermal", "noise")
SWITCH = "switch"

_PORT = re.compile(
    r"(?:TCPIP\d*::[^:\s]+::|[^:/\s]+:)(\d{1,9})(?:::SOCKET)?", re.IGNORECASE
)
"""An address that is a host and a port, also as a VISA resource."""

_HIGHEST_PORT = 65535


def parse_sources(top: TomlTable) -> list[SourceConfig]:
    """Read all sources; raises BadInput."""
    known = drivers()
    sources: list[SourceConfig] = []
    for section in SECTIONS:
        for number, table in enumerate(top.tables(section), 1):
            default = section if number == 1 else f"{section}{number}"
            source = _source(known, section, table, default)
            hosts = [other.name for other in sources if other.section == "host"]
            _check_config(table, source, {other.name for other in sources}, hosts)
            if rival := rival_of(source, sources):
                what = f'"{source.name}" needs what "{rival.name}" has'
                expected = "Give each a device of its own, or remove one."
                table.fail("driver", f"{what}, {needed_by(source)}", expected)
            sources.append(source)
    return sources


def parse_switches(
    top: TomlTable, sources: Sequence[SourceConfig]
) -> tuple[SwitchConfig, ...]:
    """Read the [[switch]] tables; raises BadInput with line and key."""
    switches: list[SwitchConfig] = []
    hosts = [source.name for source in sources if source.section == "host"]
    taken = {source.name for source in sources}
    for number, table in enumerate(top.tables(SWITCH), 1):
        config = _switch(table, SWITCH if number == 1 else f"{SWITCH}{number}")
        _check_config(table, config, taken, hosts)
        taken.add(config.name)
        switches.append(config)
    return tuple(switches)


def _switch(table: TomlTable, default_name: str) -> SwitchConfig:
    known = switch_drivers()
    driver = known[table.choice("driver", list(known), None)]
    name = table.name(default_name)
    host = table.text("host", "") if HOST in driver.options else ""
    allow = tuple(table.texts("allow"))
    for word in allow:
        if word not in driver.permissions:
            expected = f"Expected some of {', '.join(driver.permissions)}."
            hint = did_you_mean(word, driver.permissions)
            table.fail("allow", f'allow has "{word}"{hint}', expected)
    options = [option for option in driver.options if option is not HOST]
    also = table.known
    try:
        keys = complete(options, table.rest(), also)
        driver.build(driver.settings(name, keys, LocalHost()))
    except BadInput as error:
        table.fail(error.where, error.what, error.way_out)
    return SwitchConfig(name, driver, allow, keys, host, table.place)


def _check_config(
    table: TomlTable,
    config: SourceConfig | SwitchConfig,
    taken: Collection[str],
    hosts: Collection[str],
) -> None:
    if config.name in taken:
        what = f'the name "{config.name}" is used twice'
        table.fail("name", what, "Give every source and switch its own name.")
    if config.host:
        table.check_host("host", config.host, hosts)


def check_passwords(
    top: TomlTable,
    sources: Sequence[SourceConfig],
    switches: Sequence[SwitchConfig],
) -> None:
    """Check that no two passwords are looked for under one name."""
    names = [source.name for source in sources if source.driver.secret]
    owners: dict[str, str] = {}
    for name in (*names, *(switch.name for switch in switches)):
        other = owners.setdefault(variable(name), name)
        if other != name:
            top.fail(
                "",
                f'"{other}" and "{name}" share {variable(name)} for their passwords',
                "Give one of them a name that differs in more than - and _ and case.",
            )


def _check_ports(keys: Mapping[str, object]) -> None:
    """Refuse a port that none can have; what else an address is, its driver checks.

    Raises:
        BadInput: `where` is the key.
    """
    for key, value in keys.items():
        found = _PORT.fullmatch(value) if isinstance(value, str) else None
        if found and not 0 < int(found[1]) <= _HIGHEST_PORT:
            raise BadInput(
                f"{key} has the port {found[1]}",
                where=key,
                way_out=f"Expected a port from 1 to {_HIGHEST_PORT}.",
            )


def _source(
    known: Mapping[tuple[str, str], Driver],
    section: str,
    table: TomlTable,
    default_name: str,
) -> SourceConfig:
    names = [name for kind, name in known if kind == section]
    driver = known[section, table.choice("driver", names, None)]
    name = table.name(default_name)
    measures = table.text("measures", DUT)
    host = table.text("host", "") if HOST in driver.options else ""
    calibrated = table.day("calibrated")
    valid = table.integer("calibration_days", CALIBRATION_DAYS, low=1, high=36500)
    background = table.text("background", "") if section == "noise" else ""
    options = [option for option in driver.options if option is not HOST]
    also = (*table.known, IGNORE.key)
    try:
        given = driver.current(table.rest())
        if calibrated and any(option.key == "calibrated" for option in options):
            given["calibrated"] = calibrated.isoformat()
        ignored = _ignored(given)
        # With its defaults, so that the session has them beside the readings.
        keys = complete(options, given, also)
        _check_ports(keys)
        config = SourceConfig(
            section,
            name,
            driver,
            keys,
            measures,
            host,
            calibrated,
            table.place,
            background,
            ignored,
            valid,
        )
        built = driver.build(driver.settings(name, keys, LocalHost()))
        if ignored and isinstance(built, Ranging):
            raise BadInput(
                "an analyser measures what its functions say and excludes nothing",
                where=IGNORE.key,
                way_out="Expected functions = [...] with what it should measure.",
            )
    except BadInput as error:
        table.fail(error.where, error.what, error.way_out)
    return config


def _ignored(given: dict[str, object]) -> tuple[str, ...]:
    """Take what a source excludes out of what is given for it; raises BadInput."""
    ignore = given.pop(IGNORE.key, None)
    ignored = IGNORE.take(ignore) if ignore is not None else ()
    return ignored if isinstance(ignored, tuple) else ()


KEYS = ("name", "dut", "cost", "simulated", "interlock")


def load_bench(path: Path | None) -> Bench:
    """Read bench.toml; without a path, the simulated bench that ships with Bayscope.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    if path is None:
        return default_bench()
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
    check_kind(top, "bench", file)
    top.expect(*KEYS, GUARD, LOAD, SWITCH, *SECTIONS)
    if "dut" not in top.values:
        top.fail("dut", "[dut] is missing", "Expected a [dut] with name and target.")
    name = top.text("name")
    dut = parse_dut(top.table("dut"))
    sources = parse_sources(top)
    _check_ambient(top, dut, [source.name for source in sources])
    switches = parse_switches(top, sources)
    check_passwords(top, sources, switches)
    cost = _cost(top.table("cost"))
    guard = parse_guard(top.table(GUARD))
    load = None
    if LOAD in top.values:
        hosts = {one.name: one.driver.name for one in sources if one.section == "host"}
        load = parse_load(top.table(LOAD), hosts)
    interlocks = parse_interlocks(top)
    simulated = _simulated(top) if "simulated" in top.values else None
    top.finish()
    if simulated is None:
        _check_real(top, sources)
    return Bench(
        name,
        dut,
        tuple(sources),
        simulated,
        cost,
        text,
        file,
        switches,
        guard,
        load,
        interlocks,
    )


def _check_real(top: TomlTable, sources: Iterable[SourceConfig]) -> None:
    """Check that no source wants a simulator, of which the bench has none."""
    for source in sources:
        if source.wants_simulator:
            top.fail(
                "",
                f'the source "{source.name}" wants the simulator of this bench',
                "Add a [simulated] table, or give the address of a running simulator.",
            )


def _check_ambient(top: TomlTable, dut: Dut, sources: Collection[str]) -> None:
    """Check that the sensors of the room are of a source of the bench."""
    for name in dut.ambient:
        source = name.partition(".")[0]
        if source not in sources:
            top.table("dut").fail(
                "ambient",
                f'ambient is "{name}", and there is no source "{source}"'
                f"{did_you_mean(source, sources)}",
                f"Available: {', '.join(sources) or 'none'}.",
            )


def _cost(table: TomlTable) -> Cost:
    price = table.number("price_per_kwh", 0.0)
    co2 = table.number("co2_g_per_kwh", 0.0)
    cost = Cost(
        price_per_kwh=price if "price_per_kwh" in table.values else None,
        currency=table.text("currency", "EUR"),
        pue=table.number("pue", 1.0, low=1.0, high=10.0),
        duty=table.number("duty", 1.0, low=0.0, high=1.0),
        co2_g_per_kwh=co2 if "co2_g_per_kwh" in table.values else None,
    )
    table.finish()
    return cost


def _simulated(top: TomlTable) -> Simulated:
    table = top.table("simulated")
    found = Simulated(
        start=table.flag("start", True),
        speedup=table.number("speedup", 20.0, low=1.0, high=1000.0),
        seed=table.integer("seed", 1),
        power_lag=table.number("power_lag", 0.0, low=0.0, high=MOST_S),
        sound_lag=table.number("sound_lag", 0.0, low=0.0, high=MOST_S),
        delay=table.number("delay", 0.0, low=0.0, high=MOST_S),
    )
    table.finish()
    return found
