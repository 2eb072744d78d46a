"""What a person has to know of a disk before it is overwritten, as lines; no Qt."""

from app.bench.guard import Guard
from app.operations.arming_look import DiskLook, is_allowed
from workloads.sizes import describe_size

Row = tuple[str, str, str]
"""Name, text, and "error" where it keeps the run from starting."""


def arming_rows(look: DiskLook, guard: Guard, *, size: int, writes: bool) -> list[Row]:
    """Write the lines.

    Args:
        look: The disk as it was found.
        guard: What the bench allows.
        size: Bytes of it that loads use, 0 for all.
        writes: Whether any load writes.
    """
    disk, own = look.disk, look.disk.identity
    too_large = size > own.size
    rows = [
        ("Disk", _disk(look), ""),
        ("Serial", own.serial or "it has none", ""),
        ("WWN, slot", ", ".join(one for one in (own.wwn, disk.slot) if one), ""),
        ("Used of it", look.size_text(size), "error" if too_large else ""),
    ]
    if writes:
        rows += _of_writing(look, guard)
    return [row for row in rows if row[1]]


def _disk(look: DiskLook) -> str:
    disk = look.disk
    parts = [disk.model or disk.type, disk.path, disk.backing]
    if str(look.path) != disk.path:
        parts.append(str(look.path))
    return ", ".join(part for part in parts if part)


def _of_writing(look: DiskLook, guard: Guard) -> list[Row]:
    found = "; ".join(dict.fromkeys(one.sentence for one in look.data))
    rows = [("Data on it", found or "none was found", "")]
    refused = dict.fromkeys(one.sentence for one in look.refusals)
    rows += [("Refused", sentence, "error") for sentence in refused]
    named = ", ".join(guard.allow)
    allowed = is_allowed(look.disk, guard)
    text = f"only {named}" if named else "any disk, once it is armed"
    rows.append(("Bench lets go", text, "" if allowed else "error"))
    budget = guard.write_budget
    limit = "no limit" if budget is None else f"{describe_size(budget)} a run"
    rows.append(("Write budget", limit, ""))
    return rows
