"""Arming: a person types which disk may be overwritten, and that disk alone may."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from instruments.errors import BadInput
from workloads.guard.disk import Disk, DiskIdentity, Findings
from workloads.guard.objections import Objection, objections


@dataclass(frozen=True, slots=True)
class Armed:
    """A disk that may be overwritten, as it was when somebody said so.

    Attributes:
        path: The path as it was given, through which it is found again.
        identity: What it was, compared before every write.
        overruled: Types of the traces of data that may go, typed one by one.
        title: What it was called then, for messages.
    """

    path: str
    identity: DiskIdentity
    overruled: tuple[str, ...] = ()
    title: str = ""


def arm(path: str, found: Findings, word: str, overrule: Iterable[str] = ()) -> Armed:
    """Arm a disk for loads that overwrite it.

    Args:
        path: How it was named.
        found: What was found there just now.
        word: What was typed: its serial number, or `Disk.word` where it has none.
        overrule: The types of traces of data that may be overwritten, as typed.

    Raises:
        BadInput: Another word was typed, or something speaks against it; says all.
    """
    disk, typed = found.disk, tuple(dict.fromkeys(overrule))
    check_usable(path, found, typed)
    if word.strip() != disk.word:
        what = "its serial number" if disk.word == disk.identity.serial else "its word"
        shown = f'"{word.strip()}" is not {what}' if word.strip() else "it is not armed"
        raise BadInput(
            f"{disk.title}: {shown}",
            where="" if path == disk.path else path,
            way_out=f'To let it be overwritten type {what}, "{disk.word}".',
        )
    refuse(path, disk, _left(found, typed))
    return Armed(path, disk.identity, typed, disk.title)


def check_usable(path: str, found: Findings, overruled: Sequence[str] = ()) -> None:
    """Check that a disk can be armed at all, before anybody is asked for a word.

    Raises:
        BadInput: Something that nothing overrules speaks against it; says all.
    """
    against = _left(found, overruled)
    if any(not one.word for one in against):
        refuse(path, found.disk, against)


def check_armed(armed: Armed, found: Findings) -> None:
    """Check right before a write that all is as it was when the disk was armed.

    Raises:
        BadInput: It is another disk, or something speaks against it by now.
    """
    changes = _changes(armed.identity, found.disk.identity)
    if changes:
        raise BadInput(
            f"this is not the disk that was armed any more ({'; '.join(changes)})",
            where=armed.path,
            way_out=f"It was {armed.title}, and is {found.disk.title} now: look at "
            "the bench and arm it again.",
        )
    refuse(armed.path, found.disk, _left(found, armed.overruled))


def refuse(path: str, disk: Disk, against: list[Objection]) -> None:
    """Raise BadInput where there is an objection; names them all."""
    if not against:
        return
    raise BadInput(
        f"{disk.title} must not be overwritten: "
        + "; ".join(dict.fromkeys(one.sentence for one in against)),
        where="" if path == disk.path else path,
        way_out=f"Nothing was written. {_way_out(against)}",
    )


def _way_out(against: list[Objection]) -> str:
    final = [one for one in against if not one.word]
    if not final:
        words = dict.fromkeys(one.word for one in against)
        typed = " ".join(f"--overwrite-data {word}" for word in words)
        return f"If that data may go, say so in Start run, or with {typed}."
    if all(one.rule == "unseen" for one in final):
        return (
            "Where rights are missing, the helper has them: see docs/target-guard.md."
        )
    return "Choose another disk."


def _left(found: Findings, overruled: Sequence[str]) -> list[Objection]:
    return [
        objection
        for objection in objections(found)
        if objection.word not in overruled or not objection.word
    ]


def _changes(before: DiskIdentity, now: DiskIdentity) -> list[str]:
    names = {
        "serial": "serial number",
        "wwn": "WWN",
        "size": "size",
        "diskseq": "it was taken out or came back, diskseq",
        "number": "device number",
    }
    return [
        f"{label} {getattr(before, name)} then, {getattr(now, name)} now"
        for name, label in names.items()
        if getattr(before, name) != getattr(now, name)
    ]
