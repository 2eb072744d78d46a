"""Passes of a loop: how a row is called when it comes again."""

import re

_PASS = re.compile(r" \(pass (\d+)\)$")


def of_pass(label: str, number: int) -> str:
    """Name a row in a pass, from 1; in the first one it has the name of the plan."""
    return label if number == 1 else f"{label} (pass {number})"


def of_attempt(label: str, number: int) -> str:
    """Name a void row, from 1, whose label another row has that was planned again."""
    return f"{label} (void {number})"


def first_name(label: str) -> str:
    """Get the name that a row has in the plan."""
    return _PASS.sub("", label)


def pass_of(label: str) -> int:
    """Tell in which pass a row is, from 1."""
    match = _PASS.search(label)
    return int(match[1]) if match else 1
