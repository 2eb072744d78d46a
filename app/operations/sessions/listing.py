"""List the sessions of a folder for the command line."""

import math
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from app import default_folder
from app.operations.sessions.library import Library
from app.plan.cleanness import UNCLEAN
from app.record.store import SessionSummary, looked_through
from app.report.provenance import CHANGED, crash_of_summary
from instruments.errors import BadInput, one_line
from instruments.sizes import counted

Tell = Callable[[int, int], None]
"""Hears how many sessions were compared with their hashes, and of how many."""


def sessions_text(folder: Path, tell: Tell | None = None, find: str = "") -> str:
    """List the sessions of a folder, the newest first.

    Args:
        folder: The folder.
        tell: Compares each with its hash, which reads all of every file; None lists
            them at once, and says that nothing was compared.
        find: What is wanted of them, see `query`; "" lists all.

    Raises:
        BadInput: The folder cannot be read, or the query is none.
    """
    found = _list(folder, tell, find)
    if not found and find:
        return f"No session in {folder} matches: {find}\n"
    if not found:
        return f"There are no sessions in {folder}. Make one with: bayscope demo\n"
    width = max(len(_judged(one)) for one in found)
    width = max(width, len("Verdict"))
    head = (
        f"{'Started':19}  {'Duration':>9}  {'Steps':>5}  {'Verdict':{width}}  Session"
    )
    lines = [head]
    for summary in found:
        lines += _lines(summary, width)
    return "\n".join([*lines, _compared(found)]) + "\n"


def _judged(summary: SessionSummary) -> str:
    if summary.error:
        return "-"
    return f"{summary.judged}{UNCLEAN * bool(summary.unclean)}"


def _lines(summary: SessionSummary, width: int) -> Iterator[str]:
    name = one_line(summary.path.name)
    if summary.error:
        yield f"{'':19}  {'':>9}  {'':>5}  {_judged(summary):{width}}  {name}"
        yield f"  {summary.error}"
        return
    started = datetime.fromtimestamp(summary.started / 1e9, UTC).astimezone()
    label = " (simulated)" if summary.simulated else ""
    yield (
        f"{started:%Y-%m-%d %H:%M:%S}  {_duration(summary):>9}  "
        f"{summary.steps:5}  {_judged(summary):{width}}  {name}{label}"
    )
    if labels := labels_of(summary):
        yield f"  {labels}"
    if summary.unclean:
        yield f"  {counted(summary.unclean, 'row')} not clean"
    if crash := crash_of_summary(summary):
        yield f"  {crash}"
        yield f"  {summary.done} of {counted(summary.steps, 'row')} done"
    if summary.changed:
        yield f"  {CHANGED}"


def labels_of(summary: SessionSummary) -> str:
    """Write star, tags and note of a session in a line; "" where it has none."""
    star = "\N{BLACK STAR}" * summary.starred
    tags = " ".join(f"#{tag}" for tag in summary.tags)
    return one_line("  ".join(filter(None, (star, tags, summary.note))))


def _compared(found: list[SessionSummary]) -> str:
    """Say in how far the files are known to be as they were recorded."""
    done = [one.changed for one in found if one.changed is not None]
    if not done:
        return "File integrity not checked; use --check."
    files = counted(len(done), "finished file")
    return f"{files} of {len(found)} compared with the hash: {sum(done)} changed."


def _list(folder: Path, tell: Tell | None, find: str) -> list[SessionSummary]:
    """List a folder; only the default one may be missing, before the first run."""
    _check_folder(folder)
    library = Library(folder)
    found = library.read_all()
    if find:
        wanted = library.search(find)
        found = [one for one in found if one.path in wanted]
    if tell is None:
        return found
    for number, one in enumerate(found):
        found[number] = looked_through(one, math.inf)
        tell(number + 1, len(found))
    return found


def _check_folder(folder: Path) -> None:
    """Make sure that it is one; only the default one may be missing, before a run.

    What cannot be looked at is told by who reads it.
    """
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        if folder != default_folder():
            raise BadInput(
                "there is no such folder",
                where=str(folder),
                way_out="Name the folder that holds the sessions.",
            ) from None
        return
    except OSError:
        return
    if not stat.S_ISDIR(mode):
        raise BadInput(
            "this is a file, not a folder",
            where=str(folder),
            way_out="Give the folder that it is in, or show this session alone.",
        )


def _duration(summary: SessionSummary) -> str:
    return f"{summary.duration_s:.0f} s"


def sessions_json(
    folder: Path, tell: Tell | None = None, find: str = ""
) -> list[dict[str, object]]:
    """List the same as plain values; `changed` is null where it was not looked at."""
    return [
        {
            "file": str(summary.path),
            "name": summary.name,
            "dut": summary.dut,
            "started": summary.started / 1e9 if summary.started else None,
            "duration_s": summary.duration_s,
            "steps": summary.steps,
            "done": summary.done,
            "state": summary.state,
            "verdict": summary.verdict,
            "unclean": summary.unclean,
            "simulated": summary.simulated,
            "crash": crash_of_summary(summary) or None,
            "changed": summary.changed,
            "published": summary.published,
            "operator": summary.operator,
            "starred": summary.starred,
            "tags": list(summary.tags),
            "note": summary.note,
            "error": summary.error or None,
        }
        for summary in _list(folder, tell, find)
    ]
