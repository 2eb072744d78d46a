"""Stars, tags and notes of sessions, and their files: named again."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.operations.sessions.facts import user_name
from app.record.store import SessionSummary, label, summary
from app.record.store.database import check_alone
from app.record.store.library import SUFFIX
from instruments.errors import BadInput, plain_words

_LONGEST = 100
_LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be said of a session; what is None or empty stays as it is.

    Attributes:
        tags: Tags it gets.
        no_tags: Tags that are taken away.
        starred: Whether it stands out.
        note: Its note; "" takes it away.
    """

    tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    starred: bool | None = None
    note: str | None = None


def relabel(path: Path, change: Change) -> SessionSummary:
    """Change the labels of a finished session; they are stored in its file.

    Raises:
        BadInput: It is not a finished session, quotes a report, or cannot be written;
            or a tag is none.
    """
    found = summary(path)
    if found.error:
        raise BadInput(found.error.rstrip("."), where="")
    if found.state == "recording" or found.published:
        what = "is being recorded" if found.state == "recording" else "quotes a report"
        raise BadInput(
            f"it {what} and gets no labels",
            where=str(path),
            way_out="Label a session of your own that has ended.",
        )
    labels: dict[str, list[str]] = {}
    if change.tags or change.no_tags:
        labels["tag"] = _tags(found.tags, change)
    if change.starred is not None:
        labels["star"] = ["starred"] * change.starred
    if change.note is not None:
        note = change.note.strip()[:_LONGEST_NOTE]
        labels["note"] = [note] if note else []
    label(path, labels, author=user_name(), realtime_ns=time.time_ns())
    return summary(path)


def _tags(before: Sequence[str], change: Change) -> list[str]:
    """Add and remove tags; case makes no difference, and what is added stays."""
    added = [checked_tag(tag) for tag in change.tags]
    removed = {tag.strip().removeprefix("#").casefold() for tag in change.no_tags}
    removed -= {tag.casefold() for tag in added}
    tags = {tag.casefold(): tag for tag in (*before, *added)}
    return [tag for key, tag in sorted(tags.items()) if key not in removed]


def checked_tag(text: str) -> str:
    """Tell a tag from what is none: one word.

    Raises:
        BadInput: It has blanks or commas, or is too long.
    """
    tag = text.strip().removeprefix("#")
    if not tag or len(tag) > _LONGEST or not tag.isprintable() or set(' ",') & set(tag):
        raise BadInput(
            f'"{text[:_LONGEST]}" is not a tag',
            where="tag",
            way_out="Expected one word, such as firmware-7.",
        )
    return tag


def rename(path: Path, name: str) -> Path:
    """Give a session's file another name in its folder; none is written over.

    Raises:
        BadInput: The name is none, or taken, or it is being recorded.
    """
    stem = name.strip().removesuffix(SUFFIX)
    if not stem or "/" in stem or stem.startswith(".") or "\0" in stem:
        raise BadInput(
            f'"{name}" is not a file name',
            where=str(path),
            way_out="Expected one without a slash, that begins with no dot.",
        )
    new = path.with_name(f"{stem}{SUFFIX}")
    if new == path:
        return path
    check_alone(path, "Rename it once it has ended, or was opened once.")
    try:
        _move(path, new)
    except FileExistsError:
        raise BadInput(
            "a file with this name already exists",
            where=str(new),
            way_out="Choose another name.",
        ) from None
    except OSError as error:
        raise BadInput(
            f"it cannot be renamed, {plain_words(error)}",
            where=str(path),
            way_out="Choose another name, or let its folder be written.",
        ) from error
    return new


def _move(path: Path, new: Path) -> None:
    """Move a file to a name that is free.

    A rename writes over what has the name by then; a hard link does not.

    Raises:
        FileExistsError: The name is taken.
        OSError: It cannot be moved.
    """
    try:
        os.link(path, new, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # A file system without hard links.
        if new.exists():
            raise FileExistsError from None
        path.rename(new)
    else:
        path.unlink()
