"""The [[switch]] tables of a bench: every driver of switches, and what is allowed."""

from collections.abc import Sequence

from app.bench.drivers import switch_drivers
from app.bench.model import SourceConfig, SwitchConfig
from app.plan.toml_table import TomlTable
from instruments.driver import HOST
from instruments.errors import BadInput
from instruments.settings import complete
from instruments.switch.base import permission
from instruments.tools.hosts import LocalHost

SECTION = "switch"


def parse_switches(
    top: TomlTable, sources: Sequence[SourceConfig]
) -> tuple[SwitchConfig, ...]:
    """Read the [[switch]] tables; raises BadInput with line and key."""
    found: list[SwitchConfig] = []
    hosts = [source.name for source in sources if source.section == "host"]
    taken = {source.name for source in sources}
    for number, table in enumerate(top.tables(SECTION), 1):
        default = SECTION if number == 1 else f"{SECTION}{number}"
        config = _switch(table, default)
        if config.name in taken:
            table.fail(
                "name",
                f'the name "{config.name}" is used twice',
                "Give every source and switch a name of its own.",
            )
        if config.host and config.host not in hosts:
            way_out = f"Known here: {', '.join(hosts)}." if hosts else "Add a [[host]]."
            table.fail("host", f'there is no host "{config.host}"', way_out)
        taken.add(config.name)
        found.append(config)
    return tuple(found)


def may_do(config: SwitchConfig) -> tuple[str, ...]:
    """List the actions of a switch that the bench allows."""
    actions = config.driver.actions
    return tuple(action for action in actions if permission(action) in config.allow)


def switch_address(config: SwitchConfig) -> str:
    """Say where a switch is reached, as written: address or device."""
    found = (config.keys.get(key) for key in ("address", "device"))
    return str(next((value for value in found if value), ""))


def _switch(table: TomlTable, default_name: str) -> SwitchConfig:
    known = switch_drivers()
    driver = known[table.choice("driver", list(known), None)]
    name = table.text("name", default_name)
    if not all(letter.isalnum() or letter in "-_" for letter in name):
        table.fail("name", f'name is "{name}"', "Expected letters, digits, - and _.")
    host = table.text("host", "") if HOST in driver.options else ""
    allow = tuple(table.texts("allow"))
    for word in allow:
        if word not in driver.permissions:
            expected = f"Expected some of {', '.join(driver.permissions)}."
            table.fail("allow", f'allow has "{word}"', expected)
    options = [option for option in driver.options if option is not HOST]
    try:
        keys = complete(options, table.rest())
        driver.build(driver.settings(name, keys, LocalHost()))
    except BadInput as error:
        table.fail(error.where, error.what, error.way_out)
    return SwitchConfig(name, driver, allow, keys, host, table.place)
