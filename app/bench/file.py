"""A bench from its text: bench.toml is read, and every mistake names its line."""

from collections.abc import Collection
from pathlib import Path

from app.bench.dut_table import parse_dut
from app.bench.guard import SECTION as GUARD
from app.bench.guard import parse_guard
from app.bench.load import SECTION as LOAD
from app.bench.load import parse_load
from app.bench.model import Bench, Cost, Dut, Simulated
from app.bench.source_tables import SECTIONS, check_passwords, parse_sources
from app.bench.switches import SECTION as SWITCH
from app.bench.switches import parse_switches
from app.plan.interlocks import parse_interlocks
from app.plan.toml_file import parse_toml, read_toml
from app.plan.toml_table import TomlTable
from instruments.simulated.lag import MOST_S
from resources import read_text

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


def _check_ambient(top: TomlTable, dut: Dut, sources: Collection[str]) -> None:
    """See that what tells the ambient temperature is of a source of the bench."""
    for name in dut.ambient:
        source = name.partition(".")[0]
        if source not in sources:
            top.table("dut").fail(
                "ambient",
                f'ambient is "{name}", and there is no source "{source}"',
                f"Known here: {', '.join(sources) or 'none'}.",
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
