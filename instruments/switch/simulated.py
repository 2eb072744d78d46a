"""The switch of the simulated bench: its device off or on, lights of its slots."""

from instruments.base import Linked
from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_json
from instruments.reading import Identity
from instruments.settings import Settings
from instruments.simulated.client import LineClient
from instruments.simulated.source import ADDRESS
from instruments.switch.base import (
    LOCATE,
    LOCATE_OFF,
    OFF,
    ON,
    SOFT,
    SwitchDriver,
    no_place,
)

ACTIONS: tuple[str, ...] = (ON, OFF, SOFT, LOCATE, LOCATE_OFF)
_LINES = {ON: "SIMulate:DUT ON", OFF: "SIMulate:DUT OFF", SOFT: "SIMulate:DUT BMC"}
# What a person is told: a start that goes on is on, and the BMC alone is not.
_STATES = {"off": "off", "bmc": "off, its BMC is on", "starting": "on", "on": "on"}


class SimulatedSwitch(Linked[LineClient]):
    """The mains, the power button and the locate lights of the simulated enclosure.

    "off" takes the mains away, "soft" leaves the BMC on, and "on" is a cold start with
    a staggered spin-up. The place of a light is the number of its slot.

    Args:
        settings: Name and options.
    """

    driver = "simulated"
    actions = ACTIONS

    def __init__(self, settings: Settings) -> None:
        self._address = settings.text("address")
        super().__init__(f"{settings.name} ({self._address})")
        self.name = settings.name

    def open(self) -> Identity:
        """Connect and identify; see `Switch`."""
        self.close()
        with self._opening(LineClient(self._address, self._where)) as client:
            return client.identify()

    def act(self, action: str, place: str) -> str:
        """Switch, and read back; see `Switch`."""
        if action in (LOCATE, LOCATE_OFF):
            return self._light(place, action == LOCATE)
        no_place("simulated bench", place, self._where)
        if action not in _LINES:
            raise BadInput(f'there is no "{action}"', where=self._where)
        self._opened().ask(_LINES[action])
        return f"the device is {self.state(place)}"

    def state(self, place: str) -> str:
        """Read whether it is on; see `Switch`."""
        no_place("simulated bench", place, self._where)
        answer = self._opened().ask("SIMulate:DUT?")
        return _STATES.get(answer, answer)

    def _light(self, slot: str, on: bool) -> str:
        if not slot.isdecimal():
            raise BadInput(
                f'"{slot}" is not a slot',
                where=self._where,
                way_out="Expected its number, such as 7.",
            )
        client = self._opened()
        client.ask(f"SIMulate:LOCate {slot},{'ON' if on else 'OFF'}")
        lit = int(slot) in parsed_json(client.ask("SIMulate:LOCate?"))
        return f"the light of slot {slot} is {'on' if lit else 'off'}"

    def places(self) -> tuple[str, ...]:
        """Name the whole; see `Switch`."""
        return ("",)


DRIVER = SwitchDriver(
    "simulated",
    "The device of the simulated bench",
    (ADDRESS,),
    ACTIONS,
    SimulatedSwitch,
)
