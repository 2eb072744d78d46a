"""The sources of a bench from their tables, each checked by its driver."""

from collections.abc import Mapping, Sequence

from app.bench.drivers import drivers
from app.bench.model import CALIBRATION_DAYS, SourceConfig, SwitchConfig
from app.plan.toml_table import TomlTable
from instruments.base import DUT
from instruments.driver import HOST, Driver
from instruments.errors import BadInput
from instruments.left_out import IGNORE
from instruments.power.ranging import Ranging
from instruments.settings import complete
from instruments.tools.hosts import LocalHost
from instruments.tools.secrets import variable

SECTIONS = ("host", "power", "thermal", "noise")


def parse_sources(top: TomlTable) -> list[SourceConfig]:
    """Read all sources; raises BadInput."""
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
    return sources


def check_passwords(
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
    valid = table.integer("calibration_days", CALIBRATION_DAYS, low=1, high=36500)
    background = table.text("background", "") if section == "noise" else ""
    options = [option for option in driver.options if option is not HOST]
    try:
        # With its defaults, so that the session tells them with the readings.
        given = driver.current(table.rest())
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
            valid,
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
