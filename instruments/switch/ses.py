"""Locate lights and fan speed of an enclosure by SES, with sg_ses on a host."""

import re

from instruments.driver import HOST
from instruments.errors import BadInput
from instruments.reading import Identity
from instruments.settings import Settings
from instruments.switch.base import FAN, LOCATE, LOCATE_OFF, SwitchDriver
from instruments.thermal.ses.control import set_fan_speed, set_locate
from instruments.thermal.ses.source import DEVICE
from instruments.tools.command_errors import errors_of

ACTIONS: tuple[str, ...] = (LOCATE, LOCATE_OFF, FAN)
_SPEED = re.compile(r"(?:fan)?(?:(?P<fan>\d+)[:=])?(?P<code>[1-7])")


class SesControls:
    """One enclosure.

    A place is a slot number for a light; for fans it is a speed code from 1 to 7, as
    "5" for all fans or "2:5" for the second one.

    Args:
        settings: Name, options and host.
    """

    driver = "ses"
    actions = ACTIONS

    def __init__(self, settings: Settings) -> None:
        self.name = settings.name
        self._host = settings.host
        self._device = settings.text("device")
        self._where = f"{self.name} ({self._device or 'the only enclosure'})"

    def open(self) -> Identity:
        """Check that sg_ses is there; the enclosure is chosen with each action."""
        with errors_of(self.name):
            done = self._host.run(["sg_ses", "--version"], 10.0)
        version = (done.stderr or done.stdout).strip().partition("\n")[0]
        return Identity("", "SES enclosure", "", version, self._device)

    def act(self, action: str, place: str) -> str:
        """Set a light and read it back, or ask for a fan speed; see `Switch`."""
        if action == FAN:
            return self._ask_for_speed(place)
        if not place.isdecimal():
            raise BadInput(
                f'"{place}" is not a slot',
                where=self._where,
                way_out="Expected its number, such as 7.",
            )
        on = action == LOCATE
        set_locate(self._host, self._device, int(place), on)
        return f"the light of slot {place} is {'on' if on else 'off'}"

    def state(self, place: str) -> str:
        """Say that lights and speeds are read by the thermal source; see `Switch`."""
        raise BadInput(
            f'the state of "{place}" cannot be read here',
            where=self._where,
            way_out='Fans are channels of the thermal source "ses".',
        )

    def places(self) -> tuple[str, ...]:
        """Name none: the thermal source reads slots and fans; see `Switch`."""
        return ()

    def close(self) -> None:
        """Let go of the host; may be called twice."""
        self._host.close()

    def _ask_for_speed(self, place: str) -> str:
        match = _SPEED.fullmatch(place.strip().lower())
        if match is None:
            raise BadInput(
                f'"{place}" is not a fan speed',
                where=self._where,
                way_out='Expected 1 (lowest) to 7 (highest), or such as "2:5" for '
                "the second fan.",
            )
        fan = int(match["fan"]) if match["fan"] else None
        code = int(match["code"])
        set_fan_speed(self._host, self._device, code, fan)
        # Enclosures may ignore it: only the measured speed shows.
        which = "all fans" if fan is None else f"fan {fan}"
        return f"the enclosure took the request of speed {code} for {which}"


DRIVER = SwitchDriver(
    "ses",
    "Enclosure: locate lights and fan speed (sg_ses)",
    (DEVICE, HOST),
    ACTIONS,
    SesControls,
)
