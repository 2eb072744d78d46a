"""The simulated enclosure: 60 slots, inlet, exhaust and six fans, once a second."""

from instruments.driver import Driver
from instruments.reading import Channel
from instruments.simulated.source import ADDRESS, SimulatedSource, channel

SLOTS = 60
FANS = 6


class SimulatedEnclosure(SimulatedSource):
    """Temperatures and fans of the simulated bench, as a source of "thermal".

    Values are momentary: no averaging window, no latency.
    """

    section = "thermal"
    queries = ("TEMP?", "FAN?")

    def _list_channels(self) -> list[Channel]:
        places = [*(f"slot{slot:02d}" for slot in range(SLOTS)), "inlet", "exhaust"]
        fans = [f"fan{number}" for number in range(1, FANS + 1)]
        return [
            *(channel(self.name, "temperature", "degC", place) for place in places),
            *(channel(self.name, "fan", "1/min", fan) for fan in fans),
        ]

    def _key(self, channel: Channel) -> str:
        return channel.location


DRIVER = Driver(
    "thermal",
    "simulated",
    "Simulated 60-bay enclosure",
    (ADDRESS,),
    lambda settings: SimulatedEnclosure(settings.name, settings.text("address")),
)
