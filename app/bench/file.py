"""A bench from its text: bench.toml is read, and every mistake names its line."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.bench.drivers import drivers
from app.bench.guard import SECTION as GUARD
from app.bench.guard import parse_guard
from app.bench.load import SECTION as LOAD
from app.bench.load import parse_load
from app.bench.model import (
    DUT,
    Bench,
    Cost,
    Dut,
    Simulated,
    SourceConfig,
    SwitchConfig,
    round_size,
)
from app.bench.switches import SECTION as SWITCH
from app.bench.switches import parse_switches
from app.plan.interlocks import parse_interlocks
from app.plan.toml_file import TomlTable, parse_toml, read_toml
from instruments.driver import HOST, Driver
from instruments.errors import BadInput
from instruments.hosts import LocalHost
from instruments.left_out import IGNORE
from instruments.power.ranging import Ranging
from instruments.secrets import variable
from instruments.settings import complete
from instruments.simulated.lag import MOST_S
from resources import read_text
from workloads.guard.device import is_device
from workloads.sizes import parse_size

SECTIONS = ("host", "power", "thermal", "noise")


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


KEYS = ("name", "dut", "cost", "simulated", "interlock")


def _bench(top: TomlTable, text: str, file: str) -> Bench:
    top.expect(*KEYS, GUARD, LOAD, SWITCH, *SECTIONS)
    if "dut" not in top.values:
        top.fail("dut", "[dut] is missing", "Expected a [dut] with name and target.")
    name = top.text("name")
    dut = _dut(top.table("dut"))
    known = drivers()
    sources: list[SourceConfig] = []
    for section in SECTIONS:
        for number, table in enumerate(top.tables(section), 1):
            default = section if number == 1 else f"{section}{number}"
            source = _source(known, section, table, default)
            if source.name in {other.name for other in sources}:
                table.fail(
                    "name",
                    f'the name "{source.name}" is used twice',
                    "Give every source a name of its own.",
                )
            _check_host(table, source, sources)
            sources.append(source)
    switches = parse_switches(top, sources)
    _check_passwords(top, sources, switches)
    cost = _cost(top.table("cost"))
    guard = parse_guard(top.table(GUARD))
    load = None
    if LOAD in top.values:
        hosts = {one.name: one.driver.name for one in sources if one.section == "host"}
        load = parse_load(top.table(LOAD), hosts)
    interlocks = parse_interlocks(top)
    simulated = _simulated(top) if "simulated" in top.values else None
    top.finish()
    wanting = [source for source in sources if source.wants_simulator]
    if wanting and simulated is None:
        top.fail(
            "",
            f'the source "{wanting[0].name}" wants the simulator of this bench',
            "Add a [simulated] table, or give the address of a running simulator.",
        )
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


def _dut(table: TomlTable) -> Dut:
    size_text = table.values.get("size", "1g")
    table.text("size", "1g") if isinstance(size_text, str) else table.integer("size")
    try:
        size = round_size(parse_size(str(size_text)))
    except BadInput as error:
        table.fail("size", f'size is "{size_text}"', error.way_out)
    except ValueError:
        table.fail("size", f'size is "{size_text}"', 'Expected a size such as "64g".')
    path, *more = _targets(table)
    if "size" not in table.values and is_device(path):
        size = 0  # the whole disk
    dut = Dut(
        name=table.text("name"),
        target=path,
        more=tuple(more),
        size=size,
        model=table.text("model", ""),
        drives=table.integer("drives", 0),
        layout=table.text("layout", ""),
    )
    table.finish()
    return dut


def _targets(table: TomlTable) -> list[Path]:
    """Read `target`: one name, or a list of names and patterns."""
    is_list = isinstance(table.values.get("target"), list)
    names = table.texts("target") if is_list else [table.text("target")]
    if not names or not all(name.strip() for name in names):
        expected = "Expected names of files or disks in quotes."
        table.fail("target", "target has an empty list or name", expected)
    found = []
    for name in names:
        try:
            found.append(Path(name).expanduser())
        except RuntimeError:
            table.fail("target", f'target is "{name}"', "There is no such home folder.")
    return found


def _source(
    known: Mapping[tuple[str, str], Driver],
    section: str,
    table: TomlTable,
    default_name: str,
) -> SourceConfig:
    names = [name for kind, name in known if kind == section]
    driver = known[section, table.choice("driver", names, None)]
    name = table.text("name", default_name)
    if not all(letter.isalnum() or letter in "-_" for letter in name):
        table.fail("name", f'name is "{name}"', "Expected letters, digits, - and _.")
    measures = table.text("measures", DUT)
    host = table.text("host", "") if HOST in driver.options else ""
    calibrated = table.day("calibrated")
    background = table.text("background", "") if section == "noise" else ""
    options = [option for option in driver.options if option is not HOST]
    try:
        # With its defaults, so that the session tells them with the readings.
        given = table.rest()
        if calibrated and any(option.key == "calibrated" for option in options):
            given["calibrated"] = calibrated.isoformat()
        ignore = given.pop(IGNORE.key, None)
        ignored = IGNORE.take(ignore) if ignore is not None else ()
        keys = complete(options, given)
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
            ignored if isinstance(ignored, tuple) else (),
        )
        built = driver.build(driver.settings(name, keys, LocalHost()))
        if ignored and isinstance(built, Ranging):
            raise BadInput(
                "an analyser measures what its functions say, and nothing is left out",
                where=IGNORE.key,
                way_out="Expected functions = [...] with what it shall measure.",
            )
    except BadInput as error:
        table.fail(error.where, error.what, error.way_out)
    return config


def _check_host(
    table: TomlTable, source: SourceConfig, others: list[SourceConfig]
) -> None:
    hosts = [other.name for other in others if other.section == "host"]
    if source.host and source.host not in hosts:
        way_out = f"Known here: {', '.join(hosts)}." if hosts else "Add a [[host]]."
        table.fail("host", f'there is no host "{source.host}"', way_out)


def _check_passwords(
    top: TomlTable,
    sources: Sequence[SourceConfig],
    switches: Sequence[SwitchConfig],
) -> None:
    """See that no two passwords are looked for under one name."""
    names = [source.name for source in sources if source.driver.secret]
    found: dict[str, str] = {}
    for name in (*names, *(switch.name for switch in switches)):
        other = found.setdefault(variable(name), name)
        if other != name:
            top.fail(
                "",
                f'"{other}" and "{name}" share {variable(name)} for their passwords',
                "Give one of them a name that differs in more than - and _ and case.",
            )


def _cost(table: TomlTable) -> Cost:
    price = table.number("price_per_kwh", 0.0)
    cost = Cost(
        price_per_kwh=price if "price_per_kwh" in table.values else None,
        currency=table.text("currency", "EUR"),
        pue=table.number("pue", 1.0, low=1.0, high=10.0),
        duty=table.number("duty", 1.0, low=0.0, high=1.0),
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
