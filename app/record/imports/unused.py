"""Answers that no file of an import asked for: refused by name, or told."""

from collections.abc import Sequence
from pathlib import Path

from app.record.imports.answers import Answers
from app.record.imports.found import Clock
from app.record.imports.placing import Placed
from instruments.errors import BadInput


def check_names(paths: Sequence[Path], answers: Answers) -> None:
    """Check that offsets of single files name files of the import.

    Raises:
        BadInput: A name is none of them; a slip would leave a clock wrong in silence.
    """
    known = {name for path in paths for name in (str(path), path.name)}
    for name, seconds in answers.offsets_s.items():
        if name not in known:
            among = ", ".join(path.name for path in paths[:5])
            more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
            raise BadInput(
                f'"{name}={seconds:g}" does not name a file of this import',
                where="--offset",
                way_out=f"The files are {among}{more}.",
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
