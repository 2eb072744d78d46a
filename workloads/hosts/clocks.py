"""How far the clock of a load host is from ours, before and after a load."""

from dataclasses import dataclass

from instruments.errors import BenchError
from instruments.host.clock import Clock, clock_offset
from instruments.tools.hosts import Host

# The shortest of some round trips bounds the offset best.
ROUNDS = 8

EVIDENCE = "load-hosts.json"
"""The artefact with the clocks, versions, windows and troubles of all hosts."""


@dataclass(frozen=True, slots=True)
class Offset:
    """A clock of another machine against our monotonic one.

    Attributes:
        ns: What to add to its time to have ours, in ns.
        spread_ns: How far that may be off at most, in ns.
    """

    ns: int
    spread_ns: int


@dataclass(slots=True)
class ClockPair:
    """Its offset before and after a load; None where it could not be measured.

    Attributes:
        clock: Which of its clocks.
        before: Before the load.
        after: After it.
        trouble: Why it could not be measured, "" where it was.
    """

    clock: Clock
    before: Offset | None = None
    after: Offset | None = None
    trouble: str = ""

    def begin(self, host: Host) -> None:
        """Measure it before the load.

        Raises:
            BenchError: The host cannot be reached, or does not tell its clock.
        """
        self.before = Offset(*clock_offset(host, self.clock, rounds=ROUNDS))

    def end(self, host: Host) -> None:
        """Measure it after the load, if that can be done."""
        try:
            self.after = Offset(*clock_offset(host, self.clock, rounds=ROUNDS))
        except BenchError as error:
            self.trouble = str(error)

    @property
    def ns(self) -> int:
        """The offset that is applied: the mean of both, or that before the load."""
        if self.before is None:
            return 0
        return (self.before.ns + (self.after or self.before).ns) // 2

    @property
    def drift_ns(self) -> int | None:
        """How far it moved from before to after; None where that is not known."""
        if self.before is None or self.after is None:
            return None
        return self.after.ns - self.before.ns

    def facts(self) -> dict[str, object]:
        """Tell it as plain values."""
        found: dict[str, object] = {"clock": self.clock.name.lower()}
        for name, offset in (("before", self.before), ("after", self.after)):
            found[f"offset_{name}_ns"] = offset and offset.ns
            found[f"spread_{name}_ns"] = offset and offset.spread_ns
        found["drift_ns"] = self.drift_ns
        return found | ({"trouble": self.trouble} if self.trouble else {})
