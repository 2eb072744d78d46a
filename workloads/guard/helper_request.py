"""What the privileged helper is asked: one line of JSON, and the values in it.

No value is a path that the helper opens: a disk is known by its identity, and found by
the name that the kernel gives its number.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instruments.errors import BadInput
from instruments.tools.hosts import LocalHost
from workloads.guard.device import Device, open_device
from workloads.guard.look import look
from workloads.guard.nodes import find_disk, node_of
from workloads.guard.survey import survey

MOST_DISKS = 1000
"""Most disks in one request: well beyond a rack of shelves under load at once."""

LONGEST_REQUEST = MOST_DISKS * 2048 + 65536
"""Most bytes in one request: enough for MOST_DISKS with long names, and options."""

Request = Mapping[str, Any]


def request_line(request: Request) -> bytes:
    """Write the line of a request; raises BadInput where it is too long."""
    line, disks = json.dumps(request).encode() + b"\n", request.get("disks", ())
    if len(line) > LONGEST_REQUEST or len(disks) > MOST_DISKS:
        raise _too_large()
    return line


def read_request(line: bytes) -> Request:
    """Read the one line of a request; raises BadInput."""
    if len(line) > LONGEST_REQUEST:
        raise _too_large()
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadInput("the helper expects one line of JSON on its standard input")
    return found


def text_of(request: Request, key: str, default: str | None = None) -> str:
    """Get a text of a request; raises BadInput."""
    value = request.get(key, default)
    # Neither line breaks nor halves of characters, which no file takes.
    if not isinstance(value, str) or not value.isprintable() or len(value) > 4096:
        raise BadInput(f"the helper needs {key} as a text")
    return value


def number_of(request: Request, key: str, low: int, high: int) -> int:
    """Get a whole number from low to high; raises BadInput."""
    value = request.get(key)
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not low <= value <= high
    ):
        raise BadInput(f"the helper needs {key} as a whole number, {low} to {high}")
    return value


def texts_of(request: Request, key: str) -> list[str]:
    """Get a list of texts of a request; raises BadInput."""
    value = request.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadInput(f"the helper needs {key} as a list of texts")
    return value


def options_of(request: Request) -> Mapping[str, str]:
    """Get the options of a job; raises BadInput."""
    value = request.get("options")
    if not isinstance(value, dict) or not all(
        isinstance(text, str) and text.isprintable()
        for pair in value.items()
        for text in pair
    ):
        raise BadInput("the helper needs options as texts")
    return value


def disk_path(request: Request) -> str:
    """Find the kernel's name of a disk, by the device number of its identity.

    Raises:
        BadInput: There is no block device of that number.
    """
    identity = request.get("identity")
    if not isinstance(identity, dict):
        raise BadInput(
            "the helper needs the identity of a disk",
            way_out="Install the helper of this version: see docs/target-guard.md.",
        )
    number = text_of(identity, "number")
    try:
        return node_of(number)
    except OSError:
        raise BadInput("there is no block device", where=f"device {number}") from None


def devices_of(
    request: Request, allow: tuple[str, ...], *, writes: bool, size: int = 0
) -> list[Device]:
    """Find the disks of a request, armed where they are written.

    Args:
        request: The request.
        allow: Which disks the administrator lets be overwritten; all where it is empty.
        writes: Whether they are written.
        size: Bytes of each that are used, 0 for all.

    Raises:
        BadInput: One is not what it was, or must not be overwritten.
    """
    asked = request.get("disks")
    if (
        not isinstance(asked, list)
        or not asked
        or not all(isinstance(one, dict) for one in asked)
    ):
        raise BadInput(
            "the helper needs disks as a list, each with identity and word",
            way_out="Install the helper of this version: see docs/target-guard.md.",
        )
    if len(asked) > MOST_DISKS:
        raise _too_large()
    host = LocalHost()
    seen = survey(host) if writes else None
    devices = []
    for one in asked:
        device = open_device(
            Path(find_disk(host, disk_path(one)).best_path),
            size,
            writes=writes,
            words=[text_of(one, "word", "")],
            overrule=texts_of(one, "overwrite"),
            allow=allow,
            see=lambda path: look(host, path, seen),
        )
        if one["identity"] != asdict(device.disk.identity):
            raise BadInput(
                "this is not the disk that was armed",
                where=str(device.path),
                way_out=f"It is {device.disk.title}. Look at the bench, arm it again.",
            )
        devices.append(device)
    return devices


def _too_large() -> BadInput:
    return BadInput(
        f"this is more than the helper takes at once: {MOST_DISKS} disks, "
        f"{LONGEST_REQUEST >> 20} MiB",
        way_out="Nothing was started. Divide the disks over several benches, and run "
        "each of them.",
    )
