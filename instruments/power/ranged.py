"""What dialects share that read several elements of a meter, and set its ranges."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from instruments.link.scpi import Scpi
from instruments.power.points import Point, points
from instruments.power.step_ranges import StepRanges


class Ranged(ABC):
    """Elements and ranges of one meter, whose energy each step counts from zero.

    Args:
        ranges: In V and A, of those that the meter has.
        elements: Elements (channels) that are read, such as "1".

    Attributes:
        quantities: What is read of each element, in this order.
        points: All of it; see `Dialect`.
    """

    quantities: ClassVar[tuple[str, ...]] = ()

    def __init__(self, ranges: StepRanges, elements: Sequence[str] = ("1",)) -> None:
        self.points: Sequence[Point] = points(self.quantities, elements)
        self._ranges = ranges
        self._elements = tuple(elements)

    def begin_step(self, scpi: Scpi, label: str) -> None:
        """Take the step's ranges and integrate from zero; see `Dialect`."""
        self._halt(scpi)
        if self._ranges.choose(label):
            self._fix_ranges(scpi)
        self._start(scpi)

    def _halt(self, scpi: Scpi) -> None:  # noqa: B027  (not all have to)
        """Stop what keeps the meter from taking ranges."""

    @abstractmethod
    def _fix_ranges(self, scpi: Scpi) -> None: ...

    @abstractmethod
    def _start(self, scpi: Scpi) -> None:
        """Integrate from zero, and make sure of it; raises SourceError."""


class Integrating(Ranged):
    """A meter whose integrator is stopped, reset and started, each where it may be.

    Attributes:
        state: Asks for the integrator's state: START, STOP or RESET, or in short.
        start: Starts it, where it is not running.
        stop: Stops it, where it is running.
        reset: Sets it to zero, where it is not running and not at zero.
    """

    state: ClassVar[str]
    start: ClassVar[str]
    stop: ClassVar[str]
    reset: ClassVar[str]

    def integrates(self, scpi: Scpi) -> bool:
        """Tell whether energy is integrated; see `Dialect`."""
        return self._state(scpi).startswith("STAR")

    def _halt(self, scpi: Scpi) -> None:
        # Ranges stay as they are while it integrates, and each command is an error
        # where it changes nothing.
        if self.integrates(scpi):
            scpi.write(self.stop)
        if not self._state(scpi).startswith("RES"):
            scpi.write(self.reset)

    def _start(self, scpi: Scpi) -> None:
        scpi.write(self.start)
        state = self._state(scpi)
        if not state.startswith("STAR"):
            raise scpi.refuse(f"the integrator does not start (it is {state})")

    def _state(self, scpi: Scpi) -> str:
        # Some repeat the header of the question before the answer.
        return scpi.ask(self.state).rpartition(" ")[2].strip().upper()
