"""The simulated sound meter: level over one second and its fast maximum."""

from instruments.driver import Driver
from instruments.reading import SECOND, Channel
from instruments.simulated.source import ADDRESS, SimulatedSource, channel


class SimulatedSoundMeter(SimulatedSource):
    """Sound level of the simulated bench, as a source of "noise".

    LAeq is the energy mean of the last second; LAFmax the highest fast-weighted
    (125 ms) level in it.
    """

    section = "noise"
    queries = ("NOISE?",)

    def _list_channels(self) -> list[Channel]:
        return [
            channel(self.name, quantity, "dB", window_ns=SECOND)
            for quantity in ("LAeq", "LAFmax")
        ]

    def _key(self, channel: Channel) -> str:
        return channel.quantity


DRIVER = Driver(
    "noise",
    "simulated",
    "Simulated sound meter",
    (ADDRESS,),
    lambda settings: SimulatedSoundMeter(settings.name, settings.text("address")),
)
