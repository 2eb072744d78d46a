"""A meter that is asked for its values, on a script and with a clock of its own."""

from collections.abc import Sequence

from instruments.power.points import Timing
from instruments.power.polled import Dialect, PolledMeter
from instruments.power.unchanged import STALE_AFTER_S
from instruments.reading import SECOND
from instruments.settings import Settings
from tests.instruments.scripted import Line, Script


class Clock:
    """Moves on by 2 ms each time it is looked at, and by what is slept."""

    def __init__(self) -> None:
        self.now = 0
        self.slept: list[float] = []

    def __call__(self) -> int:
        self.now += 2_000_000
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += round(seconds * SECOND)


def scripted(
    dialect: Dialect, *connections: Sequence[Line], line_end: str = ""
) -> tuple[PolledMeter, Script, Clock]:
    """Make a meter for each of whose connections there is a script."""
    ended = [[(sent + line_end, back) for sent, back in c] for c in connections]
    script, clock = Script(*ended), Clock()
    meter = PolledMeter(
        Settings("mains", {"resource": "VISA", "stale_after": STALE_AFTER_S}),
        "driver",
        dialect,
        Timing(0.25, 0.25, 0.25),
        line_end=line_end,
        transport=script,
        clock=clock,
        sleep=clock.sleep,
    )
    return meter, script, clock


def written(*commands: str) -> list[Line]:
    return [(command, None) for command in commands]


def taken(node: str, text: str, answer: str) -> list[Line]:
    """A setting that is read back."""
    return [(f"{node} {text}", None), (f"{node}?", answer)]
