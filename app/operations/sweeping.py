"""At the start: what programs that were killed have left is put right, and said."""

from pathlib import Path

from app.operations.bench.lock import sweep_locks
from app.operations.editing.drafts import sweep_drafts
from instruments.files.notes import SESSION, put_right
from instruments.files.own_folder import sweep
from instruments.tools.own_there import left_there, left_words


def sweep_up() -> str:
    """Put right what dead programs of this user have left.

    Their temporary folders and locks go, sessions become single files, and what set-up
    steps mounted or imported is taken back where nobody has to be asked for that. What
    lies on other machines is told, and goes at the next use of each. What living ones
    have stays, whoever started them.

    Returns:
        What was done and what is left to do, in a line; "" where there was nothing.
    """
    cut_off: list[str] = []
    put_right(SESSION, lambda path, _: cut_off.extend(_recover(path)))
    folders, locks = len(sweep()), sweep_locks()
    sweep_drafts()
    counted = [
        f"{count} {name}{'' if count == 1 else 's'}"
        for count, name in ((folders, "temporary folder"), (locks, "lock"))
        if count
    ]
    gone = f"Removed what a killed Bayscope had left: {' and '.join(counted)}."
    return " ".join([*([gone] if counted else []), *cut_off, *_left_there()])


def _left_there() -> list[str]:
    """Say what lies on other machines: nobody is asked for a key just to sweep."""
    return [
        f"On {host} there may be {left_words(count)}: the next use of it removes that."
        for host, count in left_there().items()
    ]


def _recover(path: Path) -> list[str]:
    # Only after a kill: every command would wait for what a run needs.
    from app.operations.recovering import recover  # noqa: PLC0415

    return recover(path)
