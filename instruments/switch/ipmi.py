"""Power and identify light of a chassis by IPMI over LAN."""

import time
from collections.abc import Callable

from instruments.driver import HOST
from instruments.errors import SourceError
from instruments.reading import Identity
from instruments.settings import Option, Settings
from instruments.switch.base import OFF, ON, PAUSE, SETTLE, SOFT, SwitchDriver, order
from instruments.switch.chassis import ACTIONS, ChassisSwitch
from instruments.thermal.ipmi.tool import (
    ADDRESS,
    CIPHER,
    OPERATOR_LEVEL,
    PORT,
    IpmiTool,
    login,
)
from instruments.tools.secrets import source_password

# NetFn of chassis commands (IPMI 2.0, table 5-1).
_CHASSIS = 0
# Commands of the chassis (IPMI 2.0, 28).
_GET_STATUS, _CONTROL, _IDENTIFY = 1, 2, 4
_CODES = {OFF: 0, ON: 1, SOFT: 5}
"""Chassis Control; its own cycle and reset are not used, as a repeated request would
do them twice."""


class IpmiChassis(ChassisSwitch[IpmiTool]):
    """One chassis; it has no places.

    Args:
        settings: Name and options.
        sleep: Waits for seconds.
    """

    driver = "ipmi"

    def __init__(
        self, settings: Settings, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._address = f"{settings.text('address')}:{settings.integer('port')}"
        super().__init__(settings, f"{settings.name} ({self._address})", sleep)

    def open(self) -> Identity:
        """Log in and ask the BMC who it is; see `Switch`."""
        self.close()
        password = source_password(self.name, login(self._settings), self._where)
        tool = IpmiTool(self._settings, password, self._where, OPERATOR_LEVEL)
        with self._opening(tool):
            return tool.identify(self._address)

    def _ask_for(self, action: str, wanted: str) -> None:  # noqa: ARG002
        with order():
            self._ask(_CHASSIS, _CONTROL, _CODES[action])

    def _power_state(self) -> str:
        return ON if self._status()[0] & 1 else OFF  # current power state (28.2)

    def _light(self, on: bool) -> str:
        # Interval 0 and force: lit without end, or put out.
        self._ask(_CHASSIS, _IDENTIFY, 0, int(on))
        wanted = ON if on else OFF
        status = self._status()
        misc = status[2] if len(status) > 2 else 0
        # Misc. chassis state (IPMI 2.0, 28.2): bit 6 whether the light is reported,
        # bits 5:4 whether it is off, on for a while, or on.
        if not misc & 0x40:
            return f"the BMC took it, and does not report whether its light is {wanted}"
        shown = ON if misc & 0x30 else OFF
        if shown != wanted:
            raise SourceError(
                f"the identify light is {shown} and not {wanted}", where=self._where
            )
        return f"the identify light is {shown}"

    def _status(self) -> bytes:
        status = self._ask(_CHASSIS, _GET_STATUS)
        if not status:
            raise SourceError(
                "the BMC reports no state of the chassis",
                where=self._where,
                way_out="Check whether its firmware can do it.",
            )
        return status

    def _ask(self, netfn: int, command: int, *data: int) -> bytes:
        return self._opened().ask(netfn, command, *data)


DRIVER = SwitchDriver(
    "ipmi",
    "Chassis power and identify light by IPMI over LAN",
    (
        ADDRESS,
        PORT,
        Option(
            "user", "Account on the BMC, with the rights of OPERATOR.", required=True
        ),
        CIPHER,
        HOST,
        SETTLE,
        PAUSE,
    ),
    ACTIONS,
    IpmiChassis,
    login,
)
