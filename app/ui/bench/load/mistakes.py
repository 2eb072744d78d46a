"""Mistakes in the form of [load], each beside the field that it is in."""

from app.ui.bench.load.targets import LoadTargets
from app.ui.bench.load.ways import LoadWays
from app.ui.kit.sentence_label import SentenceLabel
from instruments.errors import BadInput

_OF_WAYS = ("start", "way", "port")


class LoadMistakes:
    """Says what is wrong, and takes it back.

    Args:
        ways: The fields of way, start and port.
        targets: The field of the targets of the chosen host.

    Attributes:
        rest: Says what belongs to no field.
    """

    def __init__(self, ways: LoadWays, targets: LoadTargets) -> None:
        self._ways, self._targets = ways, targets
        self.rest = SentenceLabel("mistake")
        self.rest.say("")

    def clear(self) -> None:
        """Take all of it back."""
        self.rest.say("")
        self._ways.complain("")
        self._targets.mistake.say("")

    def say_of_targets(self, error: BadInput) -> None:
        """Say what is wrong with the targets of the chosen host."""
        self._targets.mistake.say(f"{error.what.capitalize()}. {error.way_out}")

    def say(self, error: BadInput) -> None:
        """Say what is wrong with [load] as a whole."""
        said = f"{error.what}. {error.way_out}"
        if (error.place.name if error.place else error.where) in _OF_WAYS:
            self._ways.complain(said)
        else:
            self.rest.say(said)
