"""What a run that was cut off may have left as it was: power, mounts, pools."""

from collections.abc import Mapping, Sequence

from app.record.store import Action, JournalRow, Session
from instruments.errors import BadInput
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from workloads.setup.made import Made

_SWITCHED = (Action.SWITCHING_OFF, Action.SWITCHED_OFF, Action.SWITCHED_ON)
"""Off is believed as soon as it is ordered, on only when it is done."""

_BY_HAND = "the session is too old to undo it, do that by hand"

_WORDS = {"mount": "{} may still be mounted", "pool": "the pool {} may be imported"}


def left_behind(session: Session) -> list[str]:
    """Say in a sentence each what nobody has put back since.

    Raises:
        BadInput: The journal says what no recording does; so do all of these.
    """
    rows = session.journal()
    sentences = []
    for facts in _made(rows):
        sentence = _WORDS[facts["kind"]].format(facts["name"])
        sentences.append(sentence if _is_known(facts) else f"{sentence}: {_BY_HAND}")
    if _is_off(rows):
        sentences.append(
            "the device may have been switched off for its start, and may still be off"
        )
    return sentences


def made_things(rows: Sequence[JournalRow]) -> list[Made]:
    """Find what set-up steps made and was to be taken back at the end of the run.

    What is not known well enough to be taken back is left out: see `left_behind`.
    """
    return [
        Made(
            facts["kind"],
            facts["name"],
            facts["id"],
            facts["number"],
            facts["folder"] == "made",
        )
        for facts in _made(rows)
        if _is_known(facts)
    ]


def _made(rows: Sequence[JournalRow]) -> list[Mapping[str, str]]:
    """Get the facts of what was to be undone, and was not yet."""
    made: dict[str, Mapping[str, str]] = {}
    for row in rows:
        if row.action == Action.SET_UP:
            facts = _facts(row)
            if facts.get("after the run") == "undone":
                made[facts["name"]] = facts
        elif row.action == Action.UNDONE:
            made.pop(_facts(row)["name"], None)
    return list(made.values())


def _facts(row: JournalRow) -> Mapping[str, str]:
    """Read a line of the journal, which may be of somebody else's making."""
    try:
        facts = {key: str(value) for key, value in parsed_json(row.detail).items()}
        if facts["kind"] in _WORDS and facts["name"]:
            return facts
        raise ValueError(facts["kind"])
    except MISSHAPEN as error:
        raise BadInput(
            "the journal names a thing that Bayscope never makes",
            where=row.action,
            way_out="Somebody changed the session; fetch a copy from before that.",
        ) from error


def _is_known(facts: Mapping[str, str]) -> bool:
    """Tell whether a thing can be found again: the first sessions said too little."""
    return {"id", "number", "folder"} <= facts.keys()


def _is_off(rows: Sequence[JournalRow]) -> bool:
    switched = [row.action for row in rows if row.action in _SWITCHED]
    return bool(switched) and switched[-1] != Action.SWITCHED_ON
