"""What was cut off, for the window to offer: how long ago, how much is left."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from app.operations.run.resume import Unfinished, unfinished
from app.operations.run.resume_clock import ClockError, Now
from app.record.store import sessions, summary
from instruments.errors import BadInput, BenchError
from instruments.reading import SECOND
from instruments.sizes import counted

MOST = 5
"""This many of the newest sessions that were cut off are looked at."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """A session that was cut off.

    Attributes:
        path: The session file.
        name: Of its campaign.
        ended_s: When the last value was stored, in seconds since 1970.
        left: What is left of it; None where it cannot go on.
        trouble: Why it cannot go on, and the way out.
    """

    path: Path
    name: str
    ended_s: float
    left: Unfinished | None = None
    trouble: str = ""


def cut_off(path: Path, now: Now | None = None) -> CutOff | None:
    """Look at a session; None where nothing is left of it, or nobody can tell."""
    known = summary(path)
    if known.state != "crashed":
        return None
    name = known.name or path.stem
    ended_s = known.started / SECOND + known.duration_s
    try:
        return CutOff(path, name, ended_s, unfinished(path, now))
    except ClockError as error:
        return CutOff(path, name, ended_s, None, f"{error.what}. {error.way_out}")
    except BenchError:
        return None


def all_cut_off(folder: Path, besides: Collection[Path] = ()) -> list[CutOff]:
    """Look at the sessions of a folder that were cut off, the newest first."""
    try:
        found = [
            session.path for session in sessions(folder) if session.state == "crashed"
        ]
    except BadInput:
        return []
    wanted = [path for path in found if path not in besides][:MOST]
    looked = [cut_off(path) for path in wanted]
    return [one for one in looked if one is not None]


def sentence_of(one: CutOff, now_s: float | None = None) -> str:
    """Write what was cut off, when, and how much of it is left."""
    now_s = time.time() if now_s is None else now_s
    begin = f"{one.name} was cut off {ago(now_s - one.ended_s)}"
    if one.left is None:
        return f"{begin}: {one.trouble}"
    return " ".join([f"{begin}, {one.left.count}.", *one.left.warnings])


def ago(seconds: float) -> str:
    """Write how long ago something was, such as "12 minutes ago"."""
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        count = int(seconds // size)
        if count:
            return f"{counted(count, name)} ago"
    return "just now"
