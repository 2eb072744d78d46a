"""Changes to a bench's text: sources come and go, and the file's comments stay."""

import re
from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.items import AoT, Table
from tomlkit.toml_document import TOMLDocument

from app.bench.file import parse_bench
from app.bench.load import SECTION, LoadHosts
from app.bench.model import Bench
from instruments.errors import BadInput
from instruments.files.whole_file import save_file
from instruments.settings import Value
from instruments.sizes import format_size
from workloads.hosts.place import FIO_PORT

_CLOSE_HEADER = re.compile(r"(?m)(^[^#\n].*\n)(?=\[\[?[a-z]+\]\]?\s*$)")


def new_bench(name: str, dut: str, target: Path, size: int) -> Bench:
    """Make a bench without sources; raises BadInput."""
    document = tomlkit.document()
    document["name"] = name
    document["dut"] = {"name": dut, "target": str(target), "size": format_size(size)}
    return parse_bench(tomlkit.dumps(document), name)


def put_name(bench: Bench, name: str) -> Bench:
    """Give a bench another name; raises BadInput where it is not good."""
    document = tomlkit.parse(bench.text)
    document["name"] = name
    return _parsed(document, bench)


def put_dut(
    bench: Bench,
    name: str,
    keys: Mapping[str, Value],
    cost: Mapping[str, Value | None] | None = None,
) -> Bench:
    """Give a bench another name and another device under test.

    Args:
        bench: The bench; it is not changed.
        name: Of the bench.
        keys: All of [dut]: name, target, size and what else is said of it.
        cost: Keys of [cost] that have another value, None for none at all.

    Raises:
        BadInput: The bench that would come of it has a mistake.
    """
    document = tomlkit.parse(bench.text)
    document["name"] = name
    table = document.setdefault("dut", tomlkit.table())
    for key in [key for key in table if key not in keys]:
        del table[key]
    for key, value in keys.items():
        table[key] = value
    _put_cost(document, cost or {})
    return _parsed(document, bench)


def _put_cost(document: TOMLDocument, keys: Mapping[str, Value | None]) -> None:
    table = document.get("cost", tomlkit.table())
    for key, value in keys.items():
        if value is not None:
            table[key] = value
        elif key in table:
            del table[key]
    if table:
        document["cost"] = table
    elif "cost" in document:
        del document["cost"]


def put_source(
    bench: Bench,
    section: str,
    keys: Mapping[str, Value],
    *,
    instead_of: str = "",
) -> Bench:
    """Add a source to a bench, or put it in the place of another one.

    Args:
        bench: The bench; it is not changed.
        section: "power", "thermal", "noise" or "host".
        keys: All its keys, driver and name among them.
        instead_of: Name of the source of that section which it replaces.

    Raises:
        BadInput: The bench that would come of it has a mistake.
    """
    document = tomlkit.parse(bench.text)
    if instead_of:
        table = _find(document, bench, instead_of)
        for key in [key for key in table if key not in keys]:
            del table[key]
    else:
        table = tomlkit.table()
        tables = document.get(section)
        if not isinstance(tables, AoT):
            tables = document[section] = tomlkit.aot()
            tables = document[section]
        tables.append(table)
        table = tables[-1]
    for key, value in keys.items():
        table[key] = list(value) if isinstance(value, tuple) else value
    return _parsed(document, bench)


def remove_source(bench: Bench, name: str) -> Bench:
    """Take a source off a bench; raises BadInput where others need it."""
    document = tomlkit.parse(bench.text)
    table = _find(document, bench, name)
    section = _section(bench, name)
    tables = document[section]
    if not isinstance(tables, AoT):
        raise _unknown(bench, name)
    tables.remove(table)
    if not tables:
        del document[section]
    return _parsed(document, bench)


def save_bench(bench: Bench, path: Path) -> None:
    """Write a bench's text to a file, whole or not at all.

    Raises:
        BadInput: It cannot be written there.
    """
    save_file(path, bench.text.encode())


def _parsed(document: TOMLDocument, bench: Bench) -> Bench:
    text = _CLOSE_HEADER.sub(r"\1\n", tomlkit.dumps(document))
    return parse_bench(text.strip("\n") + "\n", bench.file or bench.name)


def _section(bench: Bench, name: str) -> str:
    found = (source.section for source in bench.sources if source.name == name)
    section = next(found, None)
    if section is None:
        raise _unknown(bench, name)
    return section


def _find(document: TOMLDocument, bench: Bench, name: str) -> Table:
    """Find the table of a source; a name left out counts as bench.toml says."""
    section = _section(bench, name)
    names = [source.name for source in bench.sources if source.section == section]
    tables = document[section]
    if not isinstance(tables, AoT):
        raise _unknown(bench, name)
    return tables[names.index(name)]


def _unknown(bench: Bench, name: str) -> BadInput:
    return BadInput(f'there is no source "{name}"', where=bench.file or bench.name)


def put_load(bench: Bench, load: LoadHosts | None) -> Bench:
    """Let the loads of a bench come from other hosts, or from the bench PC again.

    Raises:
        BadInput: The bench that would come of it has a mistake.
    """
    document = tomlkit.parse(bench.text)
    if load is None:
        document.pop(SECTION, None)
        return parse_bench(tomlkit.dumps(document), bench.file or bench.name)
    if SECTION not in document:
        document[SECTION] = tomlkit.table()
    table, wanted = document[SECTION], _load_values(load)
    for key in [key for key in table if key not in wanted]:
        del table[key]
    for key, value in wanted.items():
        table[key] = value
    return parse_bench(tomlkit.dumps(document), bench.file or bench.name)


def _load_values(load: LoadHosts) -> dict[str, object]:
    """Get the keys of [load] that are not as they would be without them."""
    values: dict[str, object] = {"hosts": list(load.hosts), "way": load.way}
    if load.way == "server" and not load.start:
        values |= {"start": False, "port": load.port}
    elif load.port != FIO_PORT and load.way == "server":
        values["port"] = load.port
    if load.targets:
        values["targets"] = _targets(load)
    return values


def _targets(load: LoadHosts) -> list[object]:
    """Write one name as such, and several of a host in their own brackets."""
    return [target[0] if len(target) == 1 else list(target) for target in load.targets]
