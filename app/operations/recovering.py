"""A session whose program was killed: put right at the next start, and said."""

from pathlib import Path
from typing import NamedTuple

from app.analysis.interrupted import open_session
from app.operations.run.going_on import take_back
from app.operations.run.left_behind import left_behind, made_things
from app.operations.run.resume_clock import carry_on
from app.record.own_key import own_key
from app.record.store import Session
from app.record.store.database import remove_unborn
from instruments.errors import BenchError
from workloads.setup.load import maker_unasked
from workloads.setup.made import Made


class Recovered(NamedTuple):
    """What became of a session: whether it was cut off, and what was taken back."""

    is_cut_off: bool = False
    told: tuple[str, ...] = ()


def recover(path: Path) -> Recovered:
    """Recover a session that was being recorded, and take back what its run made."""
    if not path.exists():
        remove_unborn(path)
        return Recovered()
    try:
        with open_session(path) as session:
            if session.state != "crashed":
                return Recovered()
            taken = _take_back(session)
        with open_session(path) as session:
            told = [f"{one[0].upper()}{one[1:]}." for one in left_behind(session)]
    except BenchError as error:
        return Recovered(told=(str(error),))
    return Recovered(True, (*taken, *told))


def _take_back(session: Session) -> list[str]:
    made = made_things(session.journal())
    if not made or not session.is_signed(own_key()):
        return []
    maker, name = maker_unasked(), session.path.name
    if maker is None:  # Whoever starts a program is asked for no password by that.
        does = "takes back what it had mounted or imported, and asks for a password"
        return [f"Resuming {name} {does}."]
    done: list[str] = []

    def undo(one: Made) -> str:
        done.append(maker.undo(one))
        return done[-1]

    errors = take_back(session, undo, carry_on(session).offset_ns)
    told = [f"Of {name}: {', '.join(done)}."] if done else []
    return [*told, *map(str, errors)]
