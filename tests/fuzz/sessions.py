"""Session files that somebody damaged or made up: each is read, or one sentence."""

import contextlib
import gzip
import json
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.operations.run.resume import unfinished
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.operations.sessions.explaining import (
    explain_csv,
    explain_json,
    explain_text,
    explained,
)
from app.operations.sessions.export import export_sessions
from app.operations.sessions.listing import sessions_json, sessions_text
from app.operations.sessions.samples import FORMATS as SAMPLE_FORMATS
from app.operations.sessions.samples import export_samples
from app.operations.sessions.showing import show_json, show_text
from app.operations.sessions.verifying import verified_sentence, verify_session
from app.record.store import Session, annotate
from app.report.samples.choice import Choice
from app.ui.session.record import open_record
from instruments.errors import BenchError
from instruments.reading import SECOND
from tests.fuzz.session_damage import damage

NAME = "sessions"

LONGEST_S = 10.0
"""How long one case may take, all that is done with it together."""

MOST_BYTES = 500 * 2**20
"""Memory that it may take, the program itself among it."""

_KILLED_S = 300.0
_CORPUS = Path(__file__).parent / "corpus" / "sessions"
_ROOT = Path(__file__).parents[2]
_OLD = _ROOT / "tests" / "fixtures" / "session" / "version_1.bayscope.gz"
_FOREVER = (-(2**62), 2**62)


def run(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Try damaged sessions for so long.

    Returns:
        How many cases were tried, and what was found: which case, what was done to
        the file, and what it came to. `reproduce` makes the file of a case again.
    """
    end = time.monotonic() + seconds
    known: set[str] = set()
    finds = []
    case = 0
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            path, done = reproduce(Path(folder), f"{seed}/{case}")
            found = _try(path)
        if found is not None and found[0] not in known:
            known.add(found[0])
            finds.append(f"case {seed}/{case} ({done}): {found[1]}")
        case += 1
    return case, finds


def reproduce(folder: Path, case: str) -> tuple[Path, str]:
    """Make the file of a case in a folder; return it and what was done to it."""
    dice = random.Random(case)
    base = dice.choice([*sorted(_CORPUS.iterdir()), _OLD])
    content = gzip.decompress(base.read_bytes())
    path = folder / "x.bayscope"
    path.write_bytes(content)
    (folder / "good.bayscope").write_bytes(content)
    return path, f"{base.name}, {damage(path, dice)}"


def _try(path: Path) -> tuple[str, str] | None:
    """Do with a file what a user does, in a child; say what went wrong, and its place.

    A find is counted in time of the processor; the child's end is awaited longer.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        os.close(reader)
        _child(path, writer)
    os.close(writer)
    told = b""
    deadline = time.monotonic() + _KILLED_S
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            os.kill(pid, signal.SIGKILL)
            break
        piece = os.read(reader, 2**16)
        if not piece:
            break
        told += piece
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    lines = told.decode().splitlines()
    for line in lines:
        if line.startswith("["):
            place, what = json.loads(line)
            return place, what
    if status:
        last = lines[-1] if lines else "the beginning"
        return f"ended in {last}", f"ended with {status} in {last}"
    return None


def _child(path: Path, told: int) -> None:
    """Do all of it and tell what went wrong, a line each; never returns."""
    code = 1
    base = _peak()  # of the parent, which may be a worker of tests with much in it
    try:
        resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        warnings.simplefilter("error")
        for action in _ACTIONS:
            os.write(told, f"{action.__name__}\n".encode())
            began, before = time.process_time(), _peak() - base
            place, what = "", ""
            try:
                with contextlib.suppress(BenchError):
                    action(path)
            except BaseException as error:  # noqa: BLE001 - it is what is looked for
                place, what = _place(error), "".join(traceback.format_exception(error))
            took, grown = time.process_time() - began, _peak() - base
            name = action.__name__.strip("_")
            if took > LONGEST_S:
                place, what = f"{name} too long", f"{name} took {took:.0f} s {what}"
            elif grown > MOST_BYTES and grown > before:
                place, what = f"{name} memory", f"{name}: {grown // 2**20} MiB {what}"
            if place:
                os.write(told, json.dumps([place, what[-3000:]]).encode() + b"\n")
        code = 0
    finally:
        os._exit(code)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _place(error: BaseException) -> str:
    """Name the innermost line of ours in which it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_ROOT)]
    own = [one for one in own if ".venv" not in one.filename]
    last = own[-1] if own else frames[-1]
    return f"{type(error).__name__} at {last.filename}:{last.lineno}"


def _list(path: Path) -> None:
    """Every other session of the folder is listed, whatever this one is."""
    assert "good.bayscope" in sessions_text(path.parent)
    json.dumps(sessions_json(path.parent), allow_nan=False)


def _show(path: Path) -> None:
    show_text(path).encode()
    show_text(path, form="lab")


def _show_json(path: Path) -> None:
    json.dumps(show_json(path), allow_nan=False).encode()


def _export(path: Path) -> None:
    formats = ("csv", "md", "html") if path.stat().st_size % 4 else ("csv", "md")
    export_sessions([path], formats, path.parent / "out")


def _samples(path: Path) -> None:
    form = sorted(SAMPLE_FORMATS)[path.stat().st_size % len(SAMPLE_FORMATS)]
    to = path.parent / "samples"
    for grid_ns in (None, 10 * SECOND):
        with contextlib.suppress(BenchError):
            export_samples(path, [form], to, Choice(grid_ns=grid_ns, until_s=3600))


def _compare(path: Path) -> None:
    good = path.with_name("good.bayscope")
    comparison = compare_sessions([good, path])
    comparison_text(comparison).encode()
    json.dumps(comparison_json(comparison), allow_nan=False)


def _verify(path: Path) -> None:
    text, values, _ = verify_session(path)
    text.encode()
    json.dumps(values, allow_nan=False)
    verified_sentence(values)


def _explain(path: Path) -> None:
    rows: Any = show_json(path)["steps"]
    cells = [(str(row["step"]), str(key)) for row in rows for key in row]
    # A large table has cells enough to take a case's time without a find in it.
    for step, column in random.Random(len(cells)).sample(cells, min(8, len(cells))):
        with contextlib.suppress(BenchError):
            explained(path, step, column)
            explain_text(path, step, column).encode()
            explain_csv(path, step, column).encode()
            json.dumps(explain_json(path, step, column), allow_nan=False)


def _resume(path: Path) -> None:
    unfinished(path)


def _window(path: Path) -> None:
    record = open_record(path)
    try:
        record.log(record.session.events())
        record.wall_time(record.layer.start)
    finally:
        record.close()


def _all(path: Path) -> None:
    with Session.open(path) as session:
        for read in _READ:
            with contextlib.suppress(BenchError):
                read(session)
        with contextlib.suppress(BenchError):
            for channel in session.channels()[:50]:
                for points in (None, 10, 1000):
                    session.trace(channel, None, points)
        with contextlib.suppress(BenchError):
            for source in session.sources()[:20]:
                session.raw(source.name, _FOREVER)
        with contextlib.suppress(BenchError):
            for artefact in session.artefacts()[:20]:
                session.artefact(artefact.name, artefact.step_id)


def _annotate(path: Path) -> None:
    annotate(path, "seen", author="me", realtime_ns=1)


_READ: tuple[Callable[[Session], object], ...] = (
    Session.extent,
    Session.steps,
    Session.results,
    Session.report_table,
    Session.events,
    Session.gaps,
    Session.alarms,
    Session.offsets,
    Session.clock_pairs,
    Session.journal,
    Session.annotations,
    Session.inventory,
    Session.is_unchanged,
)
_ACTIONS: tuple[Callable[[Path], None], ...] = (
    _list,
    _show,
    _show_json,
    _export,
    _samples,
    _compare,
    _verify,
    _explain,
    _resume,
    _window,
    _all,
    _annotate,
)
