"""What the privileged helper is asked: one line of JSON, and the values in it."""

import json
from collections.abc import Mapping
from typing import Any

from instruments.errors import BadInput

LONGEST_REQUEST = 65536
"""Bytes of a request that are read."""

Request = Mapping[str, Any]


def read_request(line: bytes) -> Request:
    """Read the one line of a request; raises BadInput."""
    try:
        found = json.loads(line) if len(line) <= LONGEST_REQUEST else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BadInput("the helper expects one line of JSON on its standard input")
    return found


def text_of(request: Request, key: str, default: str | None = None) -> str:
    """Get a text of a request; raises BadInput."""
    value = request.get(key, default)
    if not isinstance(value, str) or "\0" in value or len(value) > 4096:
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


def disks_of(request: Request) -> list[Request]:
    """Get what a request says of each of its disks; raises BadInput."""
    more = request.get("more", [])
    if not isinstance(more, list) or not all(isinstance(one, dict) for one in more):
        raise BadInput("the helper needs more as a list of disks")
    return [request, *more]
