"""What a person has to know of disks before they are overwritten, as lines; no Qt."""

from collections.abc import Iterator

from app.bench.guard import Guard
from app.operations.run.arming_disks import DiskLooks
from app.operations.run.arming_look import DiskLook, is_allowed
from workloads.sizes import describe_size

Row = tuple[str, str, str]
"""Name, text, and "error" where it keeps the run from starting."""


def arming_rows(
    looks: DiskLooks, guard: Guard, *, size: int, writes: bool
) -> list[Row]:
    """Write the lines: several for one disk, one or two for each of several.

    Args:
        looks: The disks as they were found.
        guard: What the bench allows.
        size: Bytes of each that loads use, 0 for all.
        writes: Whether any load writes.
    """
    if len(looks.each) == 1:
        rows = list(_of_one(looks.each[0], size, writes=writes))
    else:
        rows = [row for one in looks.each for row in _of_many(one, size, writes=writes)]
    if writes:
        rows += _of_bench(looks, guard)
    return [row for row in rows if row[1]]


def _of_one(look: DiskLook, size: int, *, writes: bool) -> Iterator[Row]:
    own = look.disk.identity
    yield "Disk", _disk(look), ""
    yield "Serial", own.serial or "it has none", ""
    parts = (own.wwn, look.disk.slot)
    yield "WWN, slot", ", ".join(part for part in parts if part), ""
    yield "Used of it", look.size_text(size), "error" if size > own.size else ""
    if writes:
        yield "Data on it", _data(look) or "none was found", ""
        for sentence in _refused(look):
            yield "Refused", sentence, "error"


def _of_many(look: DiskLook, size: int, *, writes: bool) -> Iterator[Row]:
    disk, own = look.disk, look.disk.identity
    word = f"serial {disk.word}" if disk.word == own.serial else disk.word
    parts = [_disk(look), word, look.size_text(size), disk.slot]
    if writes:
        parts.append(_data(look))
    text = ", ".join(part for part in parts if part)
    yield look.title, text, "error" if size > own.size else ""
    if writes:
        for sentence in _refused(look):
            yield "Refused", sentence, "error"


def _disk(look: DiskLook) -> str:
    disk = look.disk
    parts = [disk.model or disk.type, disk.path, disk.backing, look.host]
    if str(look.path) != disk.path:
        parts.append(str(look.path))
    return ", ".join(part for part in parts if part)


def _data(look: DiskLook) -> str:
    return "; ".join(dict.fromkeys(one.sentence for one in look.data))


def _refused(look: DiskLook) -> list[str]:
    return list(dict.fromkeys(one.sentence for one in look.refusals))


def _of_bench(looks: DiskLooks, guard: Guard) -> Iterator[Row]:
    named = ", ".join(guard.allow)
    allowed = all(is_allowed(one.disk, guard) for one in looks.each)
    text = f"only {named}" if named else "any disk, once it is armed"
    yield "Bench lets go", text, "" if allowed else "error"
    budget = guard.write_budget
    limit = "no limit" if budget is None else f"{describe_size(budget)} a run"
    yield "Write budget", limit, ""
