"""The models of power meter that can be simulated: how each answers a line."""

from collections.abc import Callable, Mapping
from typing import Protocol

from instruments.errors import BadInput
from instruments.simulated.meters.acquisition import Acquisition
from instruments.simulated.meters.chroma import ChromaMeter
from instruments.simulated.meters.hioki import HiokiMeter
from instruments.simulated.meters.hmc8015 import NPA101, Meter
from instruments.simulated.meters.lmg import LmgMeter
from instruments.simulated.meters.pa1000 import Pa1000Meter
from instruments.simulated.meters.yokogawa import GPM_8213, YokogawaMeter


class MeterModel(Protocol):
    """One model of meter on top of what it measures; not tied to a connection.

    It is called with the bench locked, by one thread at a time.

    Attributes:
        terminator: What ends each of its answers.
    """

    terminator: str

    def handle(self, message: str) -> str | None:
        """Answer one line, given without its end; None is not an answer."""
        ...

    def unasked(self) -> list[str]:
        """Take the lines it sends by itself now, ten times a second; mostly none."""
        ...

    def power_on(self) -> None:
        """Begin as after switching on: settings, errors and energy are gone."""
        ...


MODELS: Mapping[str, Callable[[Acquisition], MeterModel]] = {
    "hmc8015": Meter,
    "yokogawa": YokogawaMeter,
    "gwinstek": lambda acquisition: YokogawaMeter(acquisition, GPM_8213),
    "hioki": HiokiMeter,
    "chroma": ChromaMeter,
    "npa": lambda acquisition: Meter(acquisition, NPA101),
    "lmg": LmgMeter,
    "pa1000": Pa1000Meter,
}
"""The models there are; another one is a module of `meters` and an entry here."""


def make_meter(name: str, acquisition: Acquisition) -> MeterModel:
    """Make a meter of a model; raises BadInput where there is no such model."""
    try:
        return MODELS[name](acquisition)
    except KeyError:
        raise BadInput(
            f'no simulated meter is called "{name}"',
            where="meter",
            way_out=f"There are {', '.join(MODELS)}.",
        ) from None
