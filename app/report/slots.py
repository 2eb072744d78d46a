"""Where the slots of a session are drawn: by its layout, or by a guess; no Qt."""

from collections.abc import Iterable, Sequence

from instruments.errors import BadInput
from instruments.files.foreign_text import stored_table
from instruments.reading import Channel
from instruments.sizes import counted
from instruments.thermal.layout import Layout, parse_layout

_USUAL = {12: "3x4", 24: "2x12", 60: "4x15"}
_LONGEST = 15


NO_SLOTS = "No slot temperatures were recorded"
"""What a session is said to have that has none."""


def missing_slots(channels: Iterable[Channel]) -> str:
    """Say why a session has no slots to draw, and what helps.

    Args:
        channels: As recorded.
    """
    found = list(channels)
    drives = {c.location for c in found if c.location.startswith("drive-")}
    shelves = dict.fromkeys(c.source for c in found if c.location.startswith("slot"))
    if drives:
        shelf = (
            f" {', '.join(shelves)} reports its bays, but not which drive is in which."
            if shelves
            else ""
        )
        were = "was" if len(drives) == 1 else "were"
        return (
            f"{counted(len(drives), 'drive')} {were} asked, and in which slot each "
            f"sits is not known.{shelf} Slots are found where the enclosure's SES "
            "reports the drives' addresses on the machine they are attached to. Their "
            "temperatures are in the chart, by serial number."
        )
    if shelves:
        return (
            f"{', '.join(shelves)} reports its bays, but no drive temperatures. "
            "Add the drives themselves (SMART, sg_logs) to the bench."
        )
    return (
        "Add an enclosure (SES) or the drives themselves (SMART, sg_logs) to the "
        "bench; their slots are drawn here."
    )


def rows_of_slots(bench: str, locations: Sequence[str]) -> list[list[str]]:
    """Arrange slots in rows.

    Args:
        bench: Text of the bench; its [dut] may name a layout.
        locations: The slots that were recorded, such as "slot07", in order.

    Returns:
        Rows of locations from top to bottom, "" for a place without a bay. Slots
        that the layout does not know follow in their own rows.
    """
    known = list(dict.fromkeys(locations))
    layout = _layout(bench, known)
    rows: list[list[str]] = []
    if layout is not None:
        rows = [
            ["" if slot is None else f"slot{slot:02d}" for slot in row]
            for row in layout.rows
        ]
    placed = {name for row in rows for name in row}
    rest = [one for one in known if one not in placed]
    rows += [rest[at : at + _LONGEST] for at in range(0, len(rest), _LONGEST)]
    return rows


def caption_of(bench: str, locations: Sequence[str]) -> str:
    """Say which layout the rows are of, and whether it is but a guess."""
    layout = _layout(bench, locations)
    if layout is None:
        return "In the order of their numbers: the bench says no layout"
    if _layout_of(bench):
        return layout.title
    return f"{layout.title}: a guess, for the bench says no layout"


def _layout(bench: str, locations: Sequence[str]) -> Layout | None:
    name = _layout_of(bench) or _USUAL.get(len(set(locations)), "")
    try:
        return parse_layout(name) if name else None
    except BadInput:  # its file is not on this machine
        return None


def _layout_of(bench: str) -> str:
    found = stored_table(bench, "dut").get("layout")
    return found if isinstance(found, str) else ""
