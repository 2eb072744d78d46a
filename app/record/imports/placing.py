"""All files of an import on one time axis; what is not known is asked, not guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.record.imports.answers import Answers, Question, day_ns, utc_shift_ns
from app.record.imports.found import END_NS, Clock, Found
from instruments.errors import BadInput
from instruments.reading import SECOND

_SETTLED_BY_HAND_NS = SECOND // 2
"""What an offset given by hand is trusted to [judged]."""


@dataclass(frozen=True, slots=True)
class Placed:
    """What a file holds, and where that is on the axis."""

    found: Found  # what it holds
    shift_ns: int  # what is added to its times to make them ns since 1970, UTC
    spread_ns: int  # how far they may be off
    method: str  # how they were placed

    @property
    def extent(self) -> tuple[int, int]:
        """First and last time in ns since 1970."""
        first, last = self.found.extent
        return first + self.shift_ns, last + self.shift_ns


def questions_of(found: Found, answers: Answers, *, alone: bool) -> list[Question]:
    """Tell what is still to be said of the clock of a file."""
    kind = found.clock.kind
    asked: list[Question] = []
    if found.run_path is not None:  # It is placed by its run.
        return asked
    if kind is Clock.OWN:
        if answers.offset_ns(found.path) is None and answers.offset_s is None:
            asked.append(Question.OFFSET)
        if not alone:
            return asked
    if kind is not Clock.LOCAL and kind is not Clock.WALL and answers.day is None:
        asked.append(Question.DATE)
    if kind is not Clock.WALL and answers.zone is None:
        asked.append(Question.ZONE)
    return asked


_LACKS = {
    Clock.LOCAL: "its times are local and their time zone is missing",
    Clock.DAY: "its times are times of day without date and time zone",
    Clock.OWN: "it has no clock times",
}
_WAYS = {
    Question.ZONE: "the zone with --zone, such as Europe/Berlin",
    Question.DATE: "the date with --date YYYY-MM-DD",
    Question.FIO_VERSION: "the version of fio that wrote it with --fio-version",
}


def missing(found: Found, asked: Sequence[Question], *, alone: bool) -> BadInput:
    """Make the sentence that names the options that are missing."""
    ways = []
    for question in asked:
        if question is Question.OFFSET:
            after = (
                "midnight of that date" if alone else "the first moment of the others"
            )
            ways.append(f"with --offset how many seconds after {after} it starts")
        else:
            ways.append(_WAYS[question])
    return BadInput(
        _LACKS.get(found.clock.kind, "its version is unknown"),
        where=str(found.path),
        way_out=f"Give {', and '.join(ways)}.",
    )


def place(all_found: Sequence[Found], answers: Answers) -> list[Placed]:
    """Place every file.

    Raises:
        BadInput: Something has to be said first; names the file and the options.
    """
    if not all_found:
        return []
    _check_answered(all_found, answers)
    runs: dict[Path | None, Found] = {
        found.path: found for found in all_found if found.run_path is None
    }
    bound = {
        id(found)
        for found in all_found
        if found.run_path in runs and not _has_own_clock(found, runs)
    }
    placed = _place_free([one for one in all_found if id(one) not in bound], answers)
    for found in all_found:
        if id(found) in bound:
            run = placed[id(runs[found.run_path])]
            placed[id(found)] = _by_run(found, run, answers)
    for one in placed.values():
        _check_years(one)
    return [placed[id(found)] for found in all_found]


def _check_answered(all_found: Sequence[Found], answers: Answers) -> None:
    alone = all(found.clock.kind is Clock.OWN for found in all_found)
    for found in all_found:
        if asked := questions_of(found, answers, alone=alone):
            raise missing(found, asked, alone=alone)


def _place_free(free: Sequence[Found], answers: Answers) -> dict[int, Placed]:
    """Place what no run places: by its clock, or by an offset to what has one."""
    with_clock = [found for found in free if found.clock.kind is not Clock.OWN]
    placed = {id(found): _by_clock(found, answers) for found in with_clock}
    if placed:
        base = min(one.extent[0] for one in placed.values())
        since = "the first moment of the other files"
    else:
        base = _midnight(answers, str(free[0].path))
        since = f"midnight of {answers.day}, zone {answers.zone}"
    for found in free:
        if found.clock.kind is Clock.OWN:
            placed[id(found)] = _by_offset(found, answers, base, since)
    return placed


def _check_years(one: Placed) -> None:
    if not 0 <= one.extent[0] <= one.extent[1] < END_NS:
        raise BadInput(
            "its times would not be of the years 1970 to 2199",
            where=str(one.found.path),
            way_out="Exclude it, or give another date or offset.",
        )


def _has_own_clock(found: Found, runs: Mapping[Path | None, Found]) -> bool:
    """Whether logs have stamps of their own, which their run has not."""
    run = runs[found.run_path]
    return found.clock.kind is Clock.WALL and run.clock.kind is not Clock.WALL


def _midnight(answers: Answers, where: str) -> int:
    if answers.day is None or answers.zone is None:
        raise ValueError("date and zone were to be asked for")
    return day_ns(answers.day, answers.zone, where)


def _by_clock(found: Found, answers: Answers) -> Placed:
    shift = 0
    method = found.clock.method
    if found.clock.kind is Clock.DAY:
        shift += _midnight(answers, str(found.path))
        method += f", date {answers.day} and zone {answers.zone} given"
    elif found.clock.kind is Clock.LOCAL and answers.zone is not None:
        shift += utc_shift_ns(found.extent[0], answers.zone, str(found.path))
        method += f", zone {answers.zone} given"
    elif found.clock.kind is Clock.WALL:
        method += ", zone UTC of the file"
    by_hand = answers.offset_ns(found.path)
    spread = found.clock.spread_ns
    if by_hand is not None:
        method += f", {by_hand / SECOND:+g} s given"
        spread = max(min(spread, _SETTLED_BY_HAND_NS), 1)
    return Placed(found, shift + (by_hand or 0), spread, method)


def _by_run(found: Found, run: Placed, answers: Answers) -> Placed:
    """Place logs as their run is, whatever was said of its clock."""
    by_hand = answers.offset_ns(found.path) or 0
    spread = max(found.clock.spread_ns, run.spread_ns)
    method = found.clock.method + (
        f", {by_hand / SECOND:+g} s given" if by_hand else ""
    )
    return Placed(found, run.shift_ns + by_hand, spread, method)


def _by_offset(found: Found, answers: Answers, base: int, since: str) -> Placed:
    own = answers.offset_ns(found.path)
    if own is None:
        own = round((answers.offset_s or 0.0) * SECOND)
    begin = found.extent[0]
    method = f"starts {own / SECOND:g} s after {since}, as given"
    spread = max(found.clock.spread_ns, _SETTLED_BY_HAND_NS)
    return Placed(found, base + own - begin, spread, method)
