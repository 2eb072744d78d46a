"""What the switches of a whole machine share: its power, its cycle and its light."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from instruments.base import L, Linked
from instruments.settings import Settings
from instruments.switch.base import (
    CYCLE,
    IDENTIFY,
    IDENTIFY_OFF,
    OFF,
    ON,
    SOFT,
    await_state,
    no_place,
)

ACTIONS: tuple[str, ...] = (ON, OFF, CYCLE, SOFT, IDENTIFY, IDENTIFY_OFF)


class ChassisSwitch(Linked[L], ABC):
    """Power and identify light of one machine; it has no places.

    Args:
        settings: Name and options.
        where: Name and address, for errors.
        sleep: Waits for seconds.
    """

    actions = ACTIONS
    thing = "chassis"

    def __init__(
        self,
        settings: Settings,
        where: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(where)
        self.name = settings.name
        self._settings = settings
        self._sleep = sleep

    def act(self, action: str, place: str) -> str:
        """Switch power or light and read it back; see `Switch`."""
        no_place(self.thing, place, self._where)
        if action in (IDENTIFY, IDENTIFY_OFF):
            return self._light(action == IDENTIFY)
        if action == CYCLE:
            # Each half is read back: a BMC's own cycle cannot be told from one that was
            # ignored.
            self._power(OFF)
            self._sleep(self._settings.number("pause"))
            return self._power(ON)
        return self._power(action)

    def state(self, place: str) -> str:
        """Read the power; see `Switch`."""
        no_place(self.thing, place, self._where)
        return self._power_state()

    def places(self) -> tuple[str, ...]:
        """Name the machine as a whole; see `Switch`."""
        return ("",)

    def _power(self, action: str) -> str:
        wanted = ON if action == ON else OFF
        self._ask_for(action, wanted)
        return self._await(self._power_state, wanted, f"the {self.thing}")

    def _await(self, read: Callable[[], str], wanted: str, what: str) -> str:
        return await_state(
            read,
            wanted,
            what,
            self._where,
            settle_s=self._settings.number("settle"),
            sleep=self._sleep,
        )

    @abstractmethod
    def _ask_for(self, action: str, wanted: str) -> None:
        """Ask for power on, off or a soft shutdown, which lead to a wanted state."""

    @abstractmethod
    def _power_state(self) -> str: ...

    @abstractmethod
    def _light(self, on: bool) -> str:
        """Light the identify light or put it out; say what it shows after it."""
