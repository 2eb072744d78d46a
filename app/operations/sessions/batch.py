"""The same with many sessions: files and folders, of which a bad one stops nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from app.record.store import session_files
from instruments.errors import BadInput
from instruments.sizes import counted

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Batch(Generic[Made]):
    """What came of many sessions.

    Attributes:
        made: What was made of those that are good.
        errors: What is wrong with the others.
    """

    made: Sequence[Made]
    errors: Sequence[BadInput]

    @property
    def exit_code(self) -> int:
        """Of the command: 2 where a session could not be read, or written."""
        return BadInput.exit_code if self.errors else 0

    @property
    def summary(self) -> str:
        """How many were good and bad; "" of a single one, which says all itself."""
        good, bad = len(self.made), len(self.errors)
        return summary_of(good, bad) if good + bad > 1 else ""

    def as_json(self) -> dict[str, object]:
        """Get what is wrong as plain values; nothing where all is good."""
        return {"errors": list(map(str, self.errors))} if self.errors else {}


def summary_of(good: int, bad: int) -> str:
    """Say how many sessions were exported, and how many could not be."""
    failed = f", {bad} could not be" if bad else ""
    return f"{good} of {counted(good + bad, 'session')} exported{failed}."


def session_paths(places: Sequence[Path]) -> list[Path]:
    """Get files, and of each folder the sessions in it by their names.

    Raises:
        BadInput: A folder has none, or cannot be read.
    """
    paths: list[Path] = []
    for place in places:
        if not place.is_dir():
            paths.append(place)
            continue
        files = sorted(session_files(place))
        if not files:
            raise BadInput(
                "there is no session in this folder",
                where=str(place),
                way_out="Name a folder with .bayscope files, or the files.",
            )
        paths += files
    return list(dict.fromkeys(paths))


def each_session(
    places: Sequence[Path], do: Callable[[Path, str], Made]
) -> Batch[Made]:
    """Do something with each of many sessions.

    Args:
        places: Files, and folders with sessions in them.
        do: Makes something of one, given the file and a name for what is made: that
            of the file, numbered where several have it. What it raises as BadInput is
            of that one alone.

    Raises:
        BadInput: There is one alone, and it is bad; or a folder has none.
    """
    paths = session_paths(places)
    made: list[Made] = []
    errors: list[BadInput] = []
    stems = [path.stem for path in paths]
    for number, path in enumerate(paths):
        same = stems[:number].count(path.stem)
        try:
            made.append(do(path, f"{path.stem}-{same + 1}" if same else path.stem))
        except BadInput as error:
            if len(paths) == 1:
                raise
            errors.append(error)
    return Batch(made, errors)
