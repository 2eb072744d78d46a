"""What an import would do: what each file is, and what has to be said before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from app.record.imports.answers import Answers, Question
from app.record.imports.fio_logs import FoundLog
from app.record.imports.found import Clock, Found
from app.record.imports.gather import gather, log_groups
from app.record.imports.placing import Placed, place, questions_of
from app.record.imports.recognise import Read, read_file
from instruments.errors import BadInput
from instruments.reading import SECOND
from instruments.settings import did_you_mean, some_of
from instruments.sizes import counted

_CLOCKS = {
    Clock.WALL: "it has date, time and time zone",
    Clock.LOCAL: "it has a local date and time without a time zone",
    Clock.DAY: "it has a time of day without date and time zone",
    Clock.OWN: "it has no clock times",
}


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file of an import."""

    path: Path
    kind: str = ""  # what it is, such as "fio JSON"; "" where it cannot be imported
    detail: str = ""  # what is in it: version, steps and traces
    clock: str = ""  # what is known of its clock, a sentence without a full stop
    has_clock: bool = False  # whether it says anything of when it was made
    questions: tuple[Question, ...] = ()  # what has to be said of it
    starts: datetime | None = None  # when it begins, None as long as that is not known
    length_s: float = 0.0  # seconds that it covers
    spread_s: float = 0.0  # how far its times may be off
    # when the file was changed last; a hint for a person, never used
    modified: datetime | None = None
    error: BadInput | None = None  # why it cannot be imported, None where it can


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """All files of an import."""

    files: tuple[FilePlan, ...]  # one for each file
    questions: tuple[Question, ...]  # all that is still to be said
    error: str = ""  # why they cannot be put together, "" where they can
    remarks: tuple[str, ...] = ()  # what was said and is not needed

    @property
    def is_ready(self) -> bool:
        """Whether the import can be made as it stands."""
        broken = any(file.error for file in self.files)
        return bool(self.files) and not (broken or self.questions or self.error)


def inspect(paths: Sequence[Path], answers: Answers | None = None) -> ImportPlan:
    """Look at files without importing them; nothing is raised for a bad one."""
    said = answers or Answers()
    reads, errors = _read_all(paths)
    plans = {} if said.fio_version else _without_unit(reads)
    asked = [question for plan in plans.values() for question in plan.questions]
    trouble = ""
    remarks: list[str] = []
    if not asked:
        try:
            check_names(paths, said)
            plans |= _placed(reads, said, asked, remarks)
        except BadInput as error:
            trouble = str(error)
    bare = {read.path: _bare(read) for read in reads if read.path not in plans}
    broken = {path: FilePlan(path, error=error) for path, error in errors.items()}
    files = plans | bare | broken
    questions = tuple(dict.fromkeys(asked))
    return ImportPlan(
        tuple(files[path] for path in paths), questions, trouble, tuple(remarks)
    )


def _read_all(paths: Sequence[Path]) -> tuple[list[Read], dict[Path, BadInput]]:
    """Read files; of those that cannot be read get why."""
    reads: list[Read] = []
    errors: dict[Path, BadInput] = {}
    for path in paths:
        try:
            reads.append(read_file(path))
        except BadInput as error:
            errors[path] = error
    return reads, errors


def _without_unit(reads: Sequence[Read]) -> dict[Path, FilePlan]:
    """Plan the logs that cannot be read further before fio's version is said."""
    return {
        log.path: _of_log(log, (Question.FIO_VERSION,))
        for group in log_groups(reads)
        if group.asks_version
        for log in group.logs
    }


def _placed(
    reads: Sequence[Read], said: Answers, asked: list[Question], remarks: list[str]
) -> dict[Path, FilePlan]:
    """Plan the files that can be read.

    What has to be said is added to `asked`, and what was said in vain to `remarks`.
    """
    all_found = gather(reads, said)
    alone = all(found.clock.kind is Clock.OWN for found in all_found)
    plans: dict[Path, FilePlan] = {}
    for found in all_found:
        questions = tuple(questions_of(found, said, alone=alone))
        asked += questions
        plans |= {path: _of_found(path, found, questions) for path in found.paths}
    if not asked and all_found:
        placed = place(all_found, said)
        remarks += unused(placed, said)
        for one in placed:
            starts = datetime.fromtimestamp(one.extent[0] / SECOND, UTC)
            for path in one.found.paths:
                plan = _of_found(path, one.found, (), starts, one.spread_ns)
                plans[path] = replace(plan, clock=_clock_told(one.found, one.method))
    return plans


def _of_found(
    path: Path,
    found: Found,
    questions: tuple[Question, ...],
    starts: datetime | None = None,
    spread_ns: int | None = None,
) -> FilePlan:
    first, last = found.extent
    if starts is None and found.clock.kind is Clock.WALL:
        starts = datetime.fromtimestamp(first / SECOND, UTC)
    channels = sum(len(trace.quantities) for trace in found.traces)
    parts = [found.version, _count(len(found.steps), "step"), _count(channels, "trace")]
    spread = found.clock.spread_ns if spread_ns is None else spread_ns
    return FilePlan(
        path=path,
        kind=found.kind,
        detail=", ".join(part for part in parts if part),
        clock=_clock_told(found, found.clock.method),
        has_clock=found.clock.kind is not Clock.OWN,
        questions=questions,
        starts=starts,
        length_s=(last - first) / SECOND,
        spread_s=spread / SECOND,
        modified=_modified(path),
    )


def _clock_told(found: Found, method: str) -> str:
    return f"{_CLOCKS[found.clock.kind]} ({method})"


def _of_log(log: FoundLog, questions: tuple[Question, ...]) -> FilePlan:
    first, last = log.extent_ms
    return FilePlan(
        path=log.path,
        kind="fio log",
        detail=f"{log.name.kind} of job {log.name.job or '?'}",
        clock=_CLOCKS[Clock.WALL if log.log.has_epoch else Clock.OWN],
        has_clock=log.log.has_epoch,
        questions=questions,
        length_s=(last - first) / 1000,
        modified=_modified(log.path),
    )


def _bare(read: Read) -> FilePlan:
    """Tell of a file that was read and could not be put together with the others."""
    if isinstance(read.found, Found):
        return _of_found(read.path, read.found, ())
    if isinstance(read.found, FoundLog):
        return _of_log(read.found, ())
    return FilePlan(read.path, "fio log", "it is empty", modified=_modified(read.path))


def _count(number: int, noun: str) -> str:
    return counted(number, noun) if number else ""


def _modified(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None


def check_names(paths: Sequence[Path], answers: Answers) -> None:
    """Check that offsets of single files name files of the import.

    Raises:
        BadInput: A name is none of them; a slip would leave a clock wrong in silence.
    """
    known = {name for path in paths for name in (str(path), path.name)}
    for name, seconds in answers.offsets_s.items():
        if name not in known:
            names = [path.name for path in paths]
            raise BadInput(
                f'"{name}={seconds:g}" does not name a file of this import'
                f"{did_you_mean(name, names)}",
                where="--offset",
                way_out=f"The files are {some_of(names, 5)}.",
            )


def unused(placed: Sequence[Placed], answers: Answers) -> tuple[str, ...]:
    """Say which answers no file needed, a sentence each without a full stop."""
    kinds = {one.found.clock.kind for one in placed if one.found.run_path is None}
    way = "where that is wrong, move its times with --offset FILE=SECONDS"
    sentences = []
    if answers.day is not None and Clock.DAY not in kinds and kinds != {Clock.OWN}:
        sentences.append(
            f"--date {answers.day} is not used, each file has its own date; {way}"
        )
    if answers.offset_s is not None and Clock.OWN not in kinds:
        sentences.append(
            f"--offset {answers.offset_s:g} is not used, each file has a clock; {way}"
        )
    return tuple(sentences)
