"""How a disk stands in the list of targets; no Qt."""

from app.bench.guard import Guard
from app.operations.bench.targets import Target
from app.operations.run.arming_look import disk_size_text, is_allowed
from app.ui.kit.rows_model import Column
from app.ui.kit.states import Look

_LOOKS = {
    "safe": Look("safe", "circle-check", "ok"),
    "holds data": Look("holds data", "triangle-alert", "warn"),
    "refused": Look("refused", "ban", "error"),
}


YIELDS = {2: 140, 4: 90, 3: 110}
"""Columns that give way to the reason, with their least widths: model, WWN, serial."""


def target_columns(guard: Guard) -> list[Column[Target]]:
    """Make the columns of a list of disks.

    Args:
        guard: What the bench allows.
    """
    return [
        Column("Target", lambda one: one.verdict, look=verdict_of),
        Column("Disk", lambda one: one.disk.name, tip=lambda one: one.disk.best_path),
        Column("Model", _model, tip=_model),
        Column("Serial", _serial, tip=_serial),
        Column("WWN", _wwn, tip=_wwn),
        Column(
            "Size",
            lambda one: disk_size_text(one.disk.identity.size),
            tip=lambda one: f"{one.disk.identity.size} bytes",
            right=True,
        ),
        Column("Slot", lambda one: one.disk.slot),
        Column("Why", lambda one: why(one, guard)),
    ]


def verdict_of(target: Target) -> Look:
    """Get how the verdict on a disk is shown."""
    return _LOOKS[target.verdict]


def why(target: Target, guard: Guard) -> str:
    """Say why it is or is not a safe target, a line for each reason."""
    said = list(dict.fromkeys(one.sentence for one in target.objections))
    if not is_allowed(target.disk, guard):
        said.append("the bench's list of disks that may be overwritten has not got it")
    return "\n".join(said) or "nothing uses it and nothing is on it"


def details(target: Target) -> str:
    """Write what a person needs to take a disk: its lasting path and its word."""
    disk = target.disk
    lasting = "" if disk.links else ", which may be another disk after a restart"
    return f"{disk.best_path}{lasting}.  To overwrite it one types {disk.word}."


def fits(target: Target, wanted: str) -> bool:
    """Tell whether a disk has all words of a filter somewhere in its row."""
    disk = target.disk
    text = " ".join(
        (
            target.text,
            target.verdict,
            disk.transport,
            disk.type,
            disk_size_text(disk.identity.size),
            *disk.links,
        )
    ).lower()
    return all(word in text for word in wanted.lower().split())


def _serial(target: Target) -> str:
    return target.disk.identity.serial or "none"


def _wwn(target: Target) -> str:
    return target.disk.identity.wwn or "none"


def _model(target: Target) -> str:
    disk = target.disk
    if disk.backing:
        return f"{disk.type}: {disk.backing}"
    kind = "" if disk.type == "disk" else disk.type
    return " ".join(part for part in (disk.model, kind, disk.transport) if part)
