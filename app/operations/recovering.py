"""A session whose program was killed: put right at the next start, and said."""

from pathlib import Path

from app.analysis.interrupted import open_session
from app.operations.run.going_on import take_back
from app.operations.run.left_behind import left_behind, made_things
from app.operations.run.resume_clock import carry_on
from app.record.own_key import own_key
from app.record.store import Session
from app.record.store.database import remove_unborn
from instruments.errors import BenchError
from workloads.setup.load import OwnHands, hands_for


def recover(path: Path) -> list[str]:
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
