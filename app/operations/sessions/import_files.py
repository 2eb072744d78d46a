"""Import results made elsewhere into a session that stands beside recorded ones."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from app import version
from app.analysis.results import step_results
from app.operations.sessions.facts import user_name
from app.operations.sessions.place import make_folder, session_path
from app.record.imports.answers import Answers
from app.record.imports.gather import gather
from app.record.imports.placing import Placed, place
from app.record.imports.plan import FilePlan, ImportPlan, check_names, unused
from app.record.imports.recognise import Read, read_file
from app.record.imports.steps import WrittenStep
from app.record.imports.writing import Import, write
from app.record.store import Session, Writer
from instruments.errors import BadInput
from instruments.files.own_folder import OwnFolder
from instruments.reading import SECOND


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import leaves.

    Attributes:
        session: The session file.
        files: The files in it.
        left_out: Sentences on what was left out, where that was asked for.
        remarks: What is to be known of the placing of each file.
    """

    session: Path
    files: tuple[Path, ...]
    left_out: tuple[str, ...]
    remarks: tuple[str, ...]


def import_files(
    paths: Sequence[Path],
    out: Path,
    answers: Answers,
    *,
    name: str = "",
    dut: str = "",
    keep_rest: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> ImportResult:
    """Make one session of several files, on one time axis.

    Args:
        paths: The files.
        out: Folder for the session; made where it does not exist.
        answers: What the files do not say of their clocks.
        name: Name of the session; that of the first file where it is "".
        dut: The device under test.
        keep_rest: Leave out damaged and foreign files, and damaged parts.
        progress: Takes a sentence on what is being done.

    Raises:
        BadInput: A file is damaged or foreign, something has to be said first, or an
            offset names none of the files; nothing is imported then.
        StoreError: The disk is full.
    """
    if not paths:
        raise BadInput("no file is named", where="import", way_out="Name one or more.")
    check_names(paths, answers)
    reads, left_out = _read_all(paths, keep_rest=keep_rest, progress=progress)
    placed = place(gather(reads, answers), answers)
    work = Import(
        name=name or paths[0].stem,
        dut=dut,
        operator=user_name(),
        app_version=version(),
        reads=tuple(reads),
        placed=tuple(placed),
        remarks=tuple(f"excluded: {text}" for text in left_out),
    )
    make_folder(out)
    progress("writing the session")
    session = _write_session(out, work, answers.zone)
    remarks = tuple(
        f"{path.name}: begins {_moment(one, answers)}, {one.method}, "
        f"± {one.spread_ns / SECOND:.2g} s"
        for one in placed
        for path in one.found.paths
    )
    remarks += tuple(
        f"{read.path.name}: it is empty, nothing of it is shown"
        for read in reads
        if read.found is None
    )
    remarks += unused(placed, answers)
    return ImportResult(session, tuple(r.path for r in reads), left_out, remarks)


def _moment(one: Placed, answers: Answers) -> str:
    """Write when a file begins, in the zone that was given, else in UTC."""
    moment = datetime.fromtimestamp(one.extent[0] / SECOND, answers.zone or UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S %Z}"


def _read_all(
    paths: Sequence[Path], *, keep_rest: bool, progress: Callable[[str], None]
) -> tuple[list[Read], tuple[str, ...]]:
    reads: list[Read] = []
    left_out: list[str] = []
    seen: dict[str, Path] = {}
    for path in paths:
        progress(f"reading {path.name}")
        try:
            read = read_file(path, keep_rest=keep_rest)
        except BadInput as error:
            if not keep_rest:
                raise
            left_out.append(str(error))
            continue
        if read.content and (twin := seen.get(read.sha256)):
            raise BadInput(
                f"it has the same content as {twin}",
                where=str(path),
                way_out="Name each file once.",
            )
        seen[read.sha256] = path
        reads.append(read)
    if not any(read.found for read in reads):
        why = left_out[0] if left_out else f"{paths[0]}: it is empty."
        raise BadInput(f"nothing is left to import: {why}".rstrip("."), where="import")
    return reads, tuple(left_out)


def _write_session(out: Path, work: Import, zone: tzinfo | None) -> Path:
    """Write it aside and move it in when it is whole."""
    with OwnFolder(".import-", out) as folder:
        aside = folder / "session.bayscope"
        with contextlib.ExitStack() as stack:
            writer = Writer.create(aside, work.info())
            stack.callback(writer.finish)
            steps = write(writer, work)
            writer.commit()
            _compute(writer, steps)
        path = _free_path(out, work, zone)
        aside.rename(path)
    return path


def _compute(writer: Writer, steps: Sequence[WrittenStep]) -> None:
    """Compute power, energy and the like over each window from the traces."""
    with Session.open(writer.path) as session:
        for step in steps:
            found = step_results(session, step.window)
            writer.measured(step.id, step.window, found)


def _free_path(out: Path, work: Import, zone: tzinfo | None) -> Path:
    """Name the session by when it was measured, not by when it was imported."""
    started = datetime.fromtimestamp(work.start_ns / SECOND, zone).astimezone(zone)
    return session_path(out, work.name, started)


def plan_text(plan: ImportPlan) -> str:
    """Write a plan for the terminal."""
    lines = []
    for file in plan.files:
        if file.error:
            lines.append(str(file.error))
            continue
        starts = f", begins {file.starts:%Y-%m-%d %H:%M:%S} UTC" if file.starts else ""
        within = f" ± {file.spread_s:.2g} s" if file.starts else ""
        lines.append(f"{file.path.name}: {file.kind}, {file.detail}".rstrip(", "))
        lines.append(f"  {file.clock}; {file.length_s:g} s long{starts}{within}")
        if file.questions:
            asked = ", ".join(str(question) for question in file.questions)
            lines.append(f"  has to be given: {asked}")
    lines += plan.remarks
    if plan.error:
        lines.append(plan.error)
    lines.append(_plan_verdict(plan))
    return "\n".join(lines) + "\n"


def _plan_verdict(plan: ImportPlan) -> str:
    """Say whether it can be imported, or what is all that lacks."""
    if plan.is_ready:
        return "It can be imported."
    if plan.error or not plan.questions or any(file.error for file in plan.files):
        return "It cannot be imported as it stands."
    asked = " and ".join(str(question) for question in plan.questions)
    return f"It can be imported once this is given: {asked}."


def plan_json(plan: ImportPlan) -> dict[str, object]:
    """Write a plan as plain values."""
    return {
        "ready": plan.is_ready,
        "questions": [str(question) for question in plan.questions],
        "error": plan.error or None,
        "remarks": list(plan.remarks),
        "files": [_file_json(file) for file in plan.files],
    }


def _file_json(file: FilePlan) -> dict[str, object]:
    return {
        "file": str(file.path),
        "kind": file.kind,
        "detail": file.detail,
        "clock": file.clock,
        "questions": [str(question) for question in file.questions],
        "starts": file.starts.timestamp() if file.starts else None,
        "length_s": file.length_s,
        "spread_s": file.spread_s,
        "error": file.error and str(file.error),
    }
