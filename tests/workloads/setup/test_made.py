"""What set-up steps have made is taken back, whatever becomes of the journal."""

from collections.abc import Mapping

import pytest

from instruments.errors import BenchError
from workloads.setup.made import Made, MadeThings

ONE, OTHER = (Made("mount", f"/mnt/bay{n}", f"id{n}", "7:1") for n in (1, 2))


class Full:
    """A journal that takes nothing any more."""

    def __init__(self) -> None:
        self.is_full = False
        self.said: list[str] = []

    def write(self, action: str, facts: Mapping[str, str]) -> None:
        if self.is_full:
            raise BenchError("the disk is full", where="s.bayscope")

    def say(self, level: str, text: str) -> None:
        self.said.append(f"{level}: {text}")


def test_what_could_not_be_written_down_is_taken_back_too() -> None:
    journal, undone = Full(), list[str]()
    things = MadeThings(journal.write, journal.say)

    def undo(made: Made) -> str:
        undone.append(made.name)
        return f"{made.name} was unmounted"

    things.add(ONE, undo, keep=False)
    journal.is_full = True
    with pytest.raises(BenchError, match="the disk is full"):
        things.add(OTHER, undo, keep=False)
    things.close()
    assert undone == [OTHER.name, ONE.name]
    assert journal.said == [
        "info: /mnt/bay2 was unmounted",
        "error: /mnt/bay2: set-up undone, not in the journal: s.bayscope: the disk is "
        "full.",
        "info: /mnt/bay1 was unmounted",
        "error: /mnt/bay1: set-up undone, not in the journal: s.bayscope: the disk is "
        "full.",
    ]
    things.close()
    assert len(undone) == 2


def test_one_that_stays_does_not_keep_the_others() -> None:
    journal, undone = Full(), list[str]()
    things = MadeThings(say=journal.say)

    def undo(made: Made) -> str:
        undone.append(made.name)
        if made is OTHER:
            raise BenchError("it stays mounted", where=made.name)
        return f"{made.name} was unmounted"

    for made in (ONE, OTHER):
        things.add(made, undo, keep=False)
    things.close()
    assert undone == [OTHER.name, ONE.name]
    assert journal.said[0] == "error: /mnt/bay2: it stays mounted."
