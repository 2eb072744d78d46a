"""At the start: what programs that have ended left is put right, and said."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.operations.bench.lock import sweep_locks
from app.operations.editing.drafts import sweep_drafts
from instruments.files.notes import SESSION, put_right
from instruments.files.own_folder import sweep
from instruments.sizes import counted
from instruments.tools.own_there import left_there, left_words

if TYPE_CHECKING:
    from app.operations.recovering import Recovered


@dataclass(frozen=True, slots=True)
class Swept:
    """What was put right.

    Attributes:
        told: What was done and what is left to do, a sentence each.
        cut_off: Sessions that were cut off, and that may go on.
    """

    told: tuple[str, ...] = ()
    cut_off: tuple[Path, ...] = ()


def sweep_up() -> Swept:
    """Put right what dead programs of this user have left.

    Their temporary folders and locks go, sessions become single files, and what set-up
    steps mounted or imported is taken back where nobody has to be asked for that. What
    lies on other machines is told, and goes at the next use of each. What living ones
    have stays, whoever started them.
    """
    told: list[str] = []
    cut_off: list[Path] = []

    def put_session_right(path: Path, _: str) -> None:
        recovered = _recover(path)
        told.extend(recovered.told)
        cut_off.extend([path] if recovered.is_cut_off else [])

    put_right(SESSION, put_session_right)
    folders = len(sweep())
    # Nobody is told of locks: they have ended with their programs, whosever of this
    # user's they were, and only their empty files go.
    sweep_locks()
    sweep_drafts()
    removed = counted(folders, "temporary folder")
    # Killed, cut off with the computer, or unable to remove it: nobody knows which.
    gone = f"Removed {removed}, left by a Bayscope that has ended."
    done = [gone] if folders else []
    return Swept((*done, *told, *_left_there()), tuple(cut_off))


def _left_there() -> list[str]:
    """Say what lies on other machines: nobody is asked for a key just to sweep."""
    return [
        f"On {host} there may be {left_words(count)}: the next use of it removes it."
        for host, count in left_there().items()
    ]


def _recover(path: Path) -> "Recovered":
    # Only after a kill: every command would wait for what a run needs.
    from app.operations.recovering import recover  # noqa: PLC0415

    return recover(path)
