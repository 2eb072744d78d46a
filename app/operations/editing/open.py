"""Texts of campaigns: files as they stand, pasted steps, and imported fio jobs."""

import textwrap

from app.operations.editing.fio_jobs import FioImport
from app.plan.blocks import items, read
from instruments.errors import BadInput, printable

SUFFIX = ".toml"
"""Of a campaign; any other file is taken for fio jobs."""

_WIDTH = 88


def has_steps(text: str) -> bool:
    """Tell whether a text has steps of a campaign; else it may be fio jobs."""
    try:
        return bool(items(read(text), "step"))
    except BadInput:
        return False


def with_findings(found: FioImport, name: str) -> str:
    """Write an imported campaign with its findings as comments at the begin."""
    lines = [f"# Made of {printable(name)}."]
    if found.findings:
        lines.append("# What to know of it, by its lines:")
    for finding in found.findings:
        said = " ".join(str(finding).split())
        lines += textwrap.wrap(
            said, _WIDTH, initial_indent="# - ", subsequent_indent="#   "
        )
    return "\n".join(lines) + f"\n\n{found.campaign_text}"
