"""Changes an enclosure: locate lights of slots, speeds of fans.

Nothing here asks whether it may: the caller has the bench's permission and writes
down what was done.
"""

import time
from collections.abc import Callable

from instruments.errors import BadInput, BenchError, SourceError
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.ses.channels import slot_of
from instruments.thermal.ses.element import Key, Kind, Static
from instruments.thermal.ses.nodes import Shelf, choose
from instruments.thermal.ses.tool import SesTool, refused
from instruments.tools.hosts import Host

TIMEOUT_S = 10.0
# Times that the status page is looked at until it shows what was asked for.
_LOOKS = 5
_BETWEEN_S = 0.3
# Speed codes of the cooling element run from 1, lowest, to 7, highest (SES-3).
FASTEST = 7


def set_locate(
    host: Host,
    device: str,
    slot: int,
    on: bool,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Set the locate light of a slot, and see that the enclosure took it.

    Args:
        host: The machine that sees the enclosure.
        device: Its node or logical identifier; "" for the only one.
        slot: The enclosure's own slot number.
        on: Whether the light is to flash.
        sleep: Waits for seconds.

    Raises:
        BadInput: The enclosure has no such slot.
        SourceError: It cannot be reached, or did not take it.
        BenchError: The host cannot be reached.
    """
    tool, shelf, static = _reach(host, device)
    bays = _keys(static, _SLOTS)
    keys = {slot_of(static, key): key for key in bays}
    if [slot_of(static, key) for key in bays].count(slot) > 1:
        # Whoever pulls a drive believes the light.
        raise SourceError(
            f"the enclosure has slot {slot} more than once",
            where=shelf.nodes[0],
            way_out="Its light cannot be chosen by that number; use sg_ses by hand.",
        )
    if slot not in keys:
        raise BadInput(
            f"there is no slot {slot}",
            where=shelf.nodes[0],
            way_out=f"Expected one of {_range(keys)}.",
        )
    key = keys[slot]
    node = _send(tool, shelf, key, "set" if on else "clear", "ident")
    for _ in range(_LOOKS):
        page, _ = tool.statuses(node, static.configuration)
        element = page.elements.get(key)
        if element is not None and element.ident is on:
            return
        sleep(_BETWEEN_S)
    raise SourceError(
        f"the light of slot {slot} stayed {'dark' if on else 'lit'}",
        where=node,
        way_out="Check whether the lights of this enclosure can be set.",
    )


def set_fan_speed(host: Host, device: str, code: int, fan: int | None = None) -> None:
    """Ask an enclosure for a fan speed.

    Many enclosures take the request and go on as they like, or return to their own
    rule after a while: only the measured speed shows what became of it.

    Args:
        host: The machine that sees the enclosure.
        device: Its node or logical identifier; "" for the only one.
        code: Speed code from 1 (lowest) to 7 (highest).
        fan: Number of the fan from 1, as in the channel; None for all.

    Raises:
        BadInput: There is no such speed or fan.
        SourceError: It cannot be reached, or refuses.
        BenchError: The host cannot be reached.
    """
    if not 1 <= code <= FASTEST:
        raise BadInput(
            f"there is no fan speed {code}",
            where=device or "ses",
            way_out="Expected 1 (lowest) to 7 (highest).",
        )
    tool, shelf, static = _reach(host, device)
    keys = dict(enumerate(_keys(static, (Kind.COOLING,)), 1))
    if not keys:
        raise BadInput("it has no fan", where=shelf.nodes[0])
    if fan is None:
        page, _ = tool.statuses(shelf.nodes[0], static.configuration)
        # A place without a fan may refuse, which would end the requests to the others.
        chosen = [
            key
            for key in keys.values()
            if key in page.elements and page.elements[key].status.is_value
        ]
    elif fan in keys:
        chosen = [keys[fan]]
    else:
        raise BadInput(
            f"there is no fan {fan}",
            where=shelf.nodes[0],
            way_out=f"Expected one of {_range(keys)}.",
        )
    for key in chosen:
        _send(tool, shelf, key, "set", f"speed_code={code}")


_SLOTS = (Kind.DEVICE_SLOT, Kind.ARRAY_SLOT)


def _reach(host: Host, device: str) -> tuple[SesTool, Shelf, Static]:
    tool = SesTool(host, TIMEOUT_S)
    shelf = choose(tool, device)
    return tool, shelf, tool.static(shelf.nodes[0])


def _keys(static: Static, kinds: tuple[Kind, ...]) -> list[Key]:
    return [
        (header, number)
        for header, group in enumerate(static.configuration.groups)
        if group.kind in kinds
        for number in range(group.count)
    ]


def _send(tool: SesTool, shelf: Shelf, key: Key, verb: str, what: str) -> str:
    """Send a control page through the first node that takes it; return that node."""
    trouble: BenchError | None = None
    for node in shelf.nodes:
        words = [f"--index={key[0]},{key[1]}", f"--{verb}={what}", node]
        done = run_tool(tool.host, ["sg_ses", *words], tool.timeout_s)
        if done.code == 0:
            return node
        trouble = trouble or refused(done, node)
    raise trouble or SourceError("it has no node", where=shelf.logical_id)


def _range(keys: dict[int, Key]) -> str:
    return f"{min(keys)} to {max(keys)}" if keys else "none"
