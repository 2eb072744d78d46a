"""Changes to [load] of a bench's text; the comments of its file stay."""

import tomlkit

from app.bench.file import parse_bench
from app.bench.load import SECTION, LoadHosts
from app.bench.model import Bench
from workloads.hosts.place import FIO_PORT


def put_load(bench: Bench, load: LoadHosts | None) -> Bench:
    """Let the loads of a bench come from other hosts, or from the bench PC again.

    Args:
        bench: The bench; it is not changed.
        load: Where they come from; None for the bench PC.

    Raises:
        BadInput: The bench that would come of it has a mistake.
    """
    document = tomlkit.parse(bench.text)
    if load is None:
        document.pop(SECTION, None)
        return parse_bench(tomlkit.dumps(document), bench.file or bench.name)
    if SECTION not in document:
        document[SECTION] = tomlkit.table()
    table = document[SECTION]
    wanted: dict[str, object] = {"hosts": list(load.hosts), "way": load.way}
    if load.way == "server" and not load.start:
        wanted |= {"start": False, "port": load.port}
    elif load.port != FIO_PORT and load.way == "server":
        wanted["port"] = load.port
    if load.targets:
        wanted["targets"] = _targets(load)
    for key in [key for key in table if key not in wanted]:
        del table[key]
    for key, value in wanted.items():
        table[key] = value
    return parse_bench(tomlkit.dumps(document), bench.file or bench.name)


def _targets(load: LoadHosts) -> list[object]:
    """Write one name as such, and several of a host in brackets of their own."""
    return [target[0] if len(target) == 1 else list(target) for target in load.targets]
