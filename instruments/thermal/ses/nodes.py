"""Finds enclosures by what the kernel says, and the nodes that show the same one."""

from dataclasses import dataclass

from instruments.errors import BadInput, BenchError, SourceError
from instruments.thermal.ses.element import Configuration
from instruments.thermal.ses.tool import SesTool
from instruments.tools.hosts import Host

_GENERIC = "/sys/class/scsi_generic"
_ENCLOSURE = "13"
"""SCSI peripheral device type of an enclosure."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """One enclosure and the ways to it.

    Attributes:
        logical_id: Enclosure logical identifier, 16 hexadecimal digits; "" where it
            tells none.
        nodes: Its device nodes, one for each IO module and path.
        configuration: Its configuration as read from the first node.
    """

    logical_id: str
    nodes: tuple[str, ...]
    configuration: Configuration


def find_nodes(host: Host) -> list[str]:
    """List the nodes whose SCSI device type is enclosure; asks no device.

    Raises:
        BenchError: The host cannot be reached.
    """
    names = [n for n in host.list_folder(_GENERIC) if n.startswith("sg")]
    if not names:
        return _by_lsscsi(host)
    ways = {f"{_GENERIC}/{n}/device/type": n for n in sorted(names, key=_number)}
    kinds = host.read_many(ways)
    return [
        f"/dev/{name}"
        for path, name in ways.items()
        if (kinds.get(path) or "").strip() == _ENCLOSURE
    ]


def find_shelves(tool: SesTool) -> list[Shelf]:
    """Find all enclosures; two IO modules that show one shelf are one.

    Raises:
        BenchError: The host cannot be reached, or sg_ses is missing; or there are
            enclosures and none of them answers.
    """
    nodes = find_nodes(tool.host)
    configurations: dict[str, Configuration] = {}
    ways: dict[str, list[str]] = {}
    trouble: SourceError | None = None
    for node in nodes:
        try:
            configuration = tool.configuration(node)
        except SourceError as error:
            trouble = error
            continue
        # Nodes without an identifier may be one shelf or two: taken for two.
        name = configuration.logical_id or node
        configurations.setdefault(name, configuration)
        ways.setdefault(name, []).append(node)
    if trouble is not None and not configurations:
        raise trouble
    return [
        Shelf(configuration.logical_id, tuple(ways[name]), configuration)
        for name, configuration in configurations.items()
    ]


def choose(tool: SesTool, device: str) -> Shelf:
    """Find the enclosure that a bench names.

    Args:
        tool: Asks the enclosures.
        device: A node, a logical identifier, or "" for the only one.

    Raises:
        SourceError: There is no such enclosure, or more than one.
    """
    if device.startswith("/"):
        return _shelf_of(tool, device)
    shelves = find_shelves(tool)
    wanted = plain_id(device)
    matches = [shelf for shelf in shelves if wanted in ("", shelf.logical_id)]
    if len(matches) == 1:
        return matches[0]
    names = ", ".join(shelf.logical_id or shelf.nodes[0] for shelf in shelves)
    if not shelves:
        what, way_out = "no enclosure was found", "See 'lsscsi -g' on that machine."
    elif matches:
        what, way_out = f"there are {len(matches)} enclosures", f"Name one of {names}."
    else:
        what, way_out = "that enclosure was not found", f"There are {names}."
    raise SourceError(what, where=device or "ses", way_out=way_out)


def _shelf_of(tool: SesTool, node: str) -> Shelf:
    """Get the enclosure behind a node, with the other nodes that show it as well."""
    configuration = tool.configuration(node)
    identifier = configuration.logical_id
    shelves = find_shelves(tool) if identifier else []
    others = (
        other
        for shelf in shelves
        if shelf.logical_id == identifier
        for other in shelf.nodes
    )
    # The named one first: the bench wants that one asked.
    return Shelf(identifier, tuple(dict.fromkeys((node, *others))), configuration)


def plain_id(text: str) -> str:
    """Bring a logical identifier into the form of `Shelf.logical_id`.

    Raises:
        BadInput: It is neither a node nor an identifier.
    """
    digits = text.lower().removeprefix("0x").removeprefix("naa.")
    digits = digits.replace(":", "").replace(" ", "")
    if digits and (len(digits) != 16 or set(digits) - set("0123456789abcdef")):
        raise BadInput(
            f'device is "{text}"',
            where="device",
            way_out="Expected a node such as /dev/sg5, or the 16 hexadecimal digits "
            "of an enclosure's logical identifier.",
        )
    return digits


def _by_lsscsi(host: Host) -> list[str]:
    try:
        done = host.run(["lsscsi", "-g"], 10.0)
    except SourceError:
        raise
    except BenchError:
        return []  # neither the kernel's list nor the tool: there is no SCSI here
    rows = (line.split() for line in done.stdout.splitlines())
    return [row[-1] for row in rows if len(row) > 2 and row[1].startswith("enclosu")]


def _number(name: str) -> int:
    digits = name.removeprefix("sg")
    return int(digits) if digits.isdigit() else 0
