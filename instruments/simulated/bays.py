"""Lines about the bays and modules of the simulated enclosure."""

import json

from instruments.simulated.drives import State
from instruments.simulated.physics import SLOTS, Enclosure, Power

MODULES = ("iom1", "iom2", "psu1", "psu2")
"""Two IO modules and two power supplies, as shelves have them."""

_OK = 1  # the element status code "ok" of SES-3
_CONDITIONS = {
    state.upper(): state for state in State if state not in (State.WAKING, State.OUT)
}


class Bays:
    """Reads and sets drives, their locate lights, and what the enclosure is made of.

    Args:
        enclosure: The enclosure.
    """

    def __init__(self, enclosure: Enclosure) -> None:
        self._enclosure = enclosure
        self._lit: set[int] = set()

    def modules(self) -> dict[str, tuple[float | None, str]]:
        """Get the element status code of each module; IO modules rest in standby."""
        power = self._enclosure.power
        codes: dict[str, tuple[float | None, str]] = {}
        for name in MODULES:
            if power is Power.OFF:
                codes[name] = (None, "absent")
            elif power is Power.STANDBY and name.startswith("iom"):
                codes[name] = (None, "standby")
            else:
                codes[name] = (_OK, "ok")
        return codes

    def states(self) -> str:
        """Answer the state of each drive."""
        states = enumerate(self._enclosure.bays.states)
        return json.dumps({f"slot{slot:02d}": state for slot, state in states})

    def order(self, text: str) -> None:
        """Obey "7,OUT", "ALL,IN" or "ALL,IDLE_B"; raises ValueError."""
        where, word = _parts(text)
        bays = self._enclosure.bays
        words = ("IN", "OUT", *_CONDITIONS)
        if word not in words:
            raise ValueError(f"expected one of {', '.join(words)}")
        if where == "ALL":
            slots = [
                slot
                for slot, state in enumerate(bays.states)
                # A condition is for drives; an empty slot would refuse it.
                if word == "IN" or state is not State.OUT
            ]
        else:
            slots = [_slot(where)]
        for slot in slots:
            if word == "IN":
                bays.insert(slot)
            elif word == "OUT":
                bays.remove(slot)
            else:
                bays.order(slot, _CONDITIONS[word])

    def lit(self) -> str:
        """Answer the slots whose locate light is on."""
        return json.dumps(sorted(self._lit))

    def locate(self, text: str) -> None:
        """Obey "7,ON" or "7,OFF"; raises ValueError."""
        where, word = _parts(text)
        slot = _slot(where)
        if word not in ("ON", "OFF"):
            raise ValueError("expected ON or OFF")
        if word == "ON":
            self._lit.add(slot)
        else:
            self._lit.discard(slot)


def _parts(text: str) -> tuple[str, str]:
    where, _, word = text.upper().partition(",")
    return where.strip(), word.strip()


def _slot(text: str) -> int:
    if not text.isdecimal() or int(text) >= SLOTS:
        raise ValueError(f'"{text[:40]}" is not a slot from 0 to {SLOTS - 1}')
    return int(text)
