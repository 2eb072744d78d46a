"""What makes the simulated power meter this model or that: how it answers a line."""

from collections.abc import Callable, Mapping
from typing import Protocol

from instruments.errors import BadInput
from instruments.simulated.meters.acquisition import Acquisition
from instruments.simulated.meters.chroma import ChromaMeter
from instruments.simulated.meters.hioki import HiokiMeter
from instruments.simulated.meters.hmc8015 import Meter
from instruments.simulated.meters.lmg import LmgMeter
from instruments.simulated.meters.npa import NpaMeter
from instruments.simulated.meters.pa1000 import Pa1000Meter
from instruments.simulated.meters.yokogawa import GPM_8213, WT310, YokogawaMeter


class Personality(Protocol):
    """One model of meter on top of what it measures; not tied to a connection.

    It is called with the bench locked, by one thread at a time.

    Attributes:
        terminator: What ends each of its answers.
    """

    terminator: str

    def handle(self, message: str) -> str | None:
        """Answer one line, given without its end; None is no answer."""
        ...

    def unasked(self) -> list[str]:
        """Take the lines it sends by itself now, ten times a second; mostly none."""
        ...

    def power_on(self) -> None:
        """Begin as after switching on: settings, errors and energy are gone."""
        ...


PERSONALITIES: Mapping[str, Callable[[Acquisition], Personality]] = {
    "hmc8015": Meter,
    "yokogawa": lambda acquisition: YokogawaMeter(acquisition, WT310),
    "gwinstek": lambda acquisition: YokogawaMeter(acquisition, GPM_8213),
    "hioki": HiokiMeter,
    "chroma": ChromaMeter,
    "npa": NpaMeter,
    "lmg": LmgMeter,
    "pa1000": Pa1000Meter,
}
"""The models there are; another one is a module of `meters` and an entry here."""


def personality(name: str, acquisition: Acquisition) -> Personality:
    """Make a meter of a model; raises BadInput where there is no such model."""
    try:
        return PERSONALITIES[name](acquisition)
    except KeyError:
        raise BadInput(
            f'no simulated meter is called "{name}"',
            where="meter",
            way_out=f"There are {', '.join(PERSONALITIES)}.",
        ) from None
