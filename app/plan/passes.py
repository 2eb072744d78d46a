"""Passes of a loop: how a row is called when it comes again."""

import re

_PASS = re.compile(r" \(pass (\d+)\)$")


def of_pass(label: str, number: int) -> str:
    """Name a row in a pass, from 1; in the first one it has the name of the plan."""
    return label if number == 1 else f"{label} (pass {number})"


def of_attempt(label: str, number: int) -> str:
    """Name a void row, from 1, whose label another row has that was planned again."""
    return f"{label} (void {number})"


def in_first_pass(label: str, number: int) -> str:
    """Get the label that a row of a pass has in the plan."""
    return label.removesuffix(of_pass("", number))


def ends_as_pass(label: str) -> bool:
    """Tell whether a label could be taken for that of a later pass."""
    return _PASS.search(label) is not None
