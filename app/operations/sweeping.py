"""At the start: what programs that were killed have left is put right, and said."""

from pathlib import Path

from app.analysis.interrupted import open_session
from app.operations.bench_lock import sweep_locks
from app.operations.campaign_drafts import sweep_drafts
from app.operations.going_on import take_back
from app.operations.left_behind import left_behind, made_things
from app.operations.resume_clock import carry_on
from app.record.own_key import own_key
from app.record.store import Session
from app.record.store.database import remove_unborn
from instruments.errors import BenchError
from instruments.notes import SESSION, put_right
from instruments.own_folder import sweep
from instruments.own_there import left_there, left_words
from workloads.setup import OwnHands, hands_for


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
    put_right(SESSION, lambda path, _: cut_off.extend(_put_right(path)))
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


def _put_right(path: Path) -> list[str]:
    """Recover a session that was being recorded, and take back what its run made."""
    if not path.exists():
        remove_unborn(path)
        return []
    try:
        with open_session(path) as session:
            if session.state != "crashed":
                return []
            taken = _take_back(session)
            told = [f"{one[0].upper()}{one[1:]}." for one in left_behind(session)]
    except BenchError as error:
        return [str(error)]
    go_on = f"{path.name} was cut off: bayscope resume {path} goes on with it."
    return [go_on, *taken, *told]


def _take_back(session: Session) -> list[str]:
    made, hands = made_things(session.journal()), hands_for()
    if not made or not isinstance(hands, OwnHands) or not session.is_signed(own_key()):
        return []
    errors = take_back(session, hands.undo, carry_on(session).offset_ns)
    count = len(made) - len(errors)
    done = [f"{count} of {len(made)} mounts and pools were taken back."]
    return [*done, *map(str, errors)]
