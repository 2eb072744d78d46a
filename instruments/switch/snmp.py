"""Outlets of a switched PDU by SNMP, by the identifiers of its profile."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from instruments.base import Linked
from instruments.errors import BadInput
from instruments.reading import Identity
from instruments.settings import Kind, Option, Settings
from instruments.switch.base import (
    CYCLE,
    OFF,
    ON,
    PAUSE,
    SETTLE,
    SwitchDriver,
    await_state,
    order,
)
from instruments.thermal.snmp.agent import OPTIONS, agent_of, login, open_session
from instruments.thermal.snmp.profile import (
    Profile,
    SwitchRule,
    load_profile,
    profile_names,
)

if TYPE_CHECKING:
    from instruments.thermal.snmp.session import SnmpSession  # noqa: F401

ACTIONS: tuple[str, ...] = (ON, OFF, CYCLE)
# A device that answers whatever it is asked must not be asked for ever.
_MOST_OUTLETS = 96
# This many answers fit one datagram.
_AT_ONCE = 8


class SnmpOutlets(Linked["SnmpSession"]):
    """One PDU; a place is the number of an outlet.

    A cycle is off, a pause, and on, each read back: a PDU's own "reboot" cannot be
    told from one that was ignored.

    Args:
        settings: Name and options.
        profile: What kind of PDU it is.
        rule: How it switches.
        sleep: Waits for seconds.
    """

    driver = "snmp"
    actions = ACTIONS

    def __init__(
        self,
        settings: Settings,
        profile: Profile,
        rule: SwitchRule,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = f"{settings.text('address')}:{settings.integer('port')}"
        super().__init__(f"{settings.name} ({self._address})")
        self.name = settings.name
        self._settings = settings
        self._profile = profile
        self._rule = rule
        self._sleep = sleep

    def open(self) -> Identity:
        """Ask the PDU who it is; see `Switch`."""
        self.close()
        agent = agent_of(self._settings, self._where)
        with self._opening(open_session(agent, self._where)) as link:
            return link.identify(self._profile, self._address)

    def act(self, action: str, place: str) -> str:
        """Switch an outlet and read it back; see `Switch`."""
        # Refuses an outlet that is not there, before anything is done.
        self.state(place)
        if action == CYCLE:
            self._switch(OFF, place)
            self._sleep(self._settings.number("pause"))
            return self._switch(ON, place)
        return self._switch(action, place)

    def state(self, place: str) -> str:
        """Read an outlet: "on", "off" or "switching"; see `Switch`."""
        if not place.isdecimal():
            raise BadInput(
                f'"{place}" is not an outlet',
                where=self._where,
                way_out="Expected its number, such as 3.",
            )
        oid = self._rule.state.replace("{}", place)
        answer = self._opened().get([oid])[oid]
        if answer.number is None:
            raise BadInput(
                f"there is no outlet {place} that can be switched",
                where=self._where,
                way_out="Check its number, and whether the PDU is a switched one.",
            )
        if answer.number in self._rule.is_on:
            return ON
        return OFF if answer.number in self._rule.is_off else "switching"

    def places(self) -> tuple[str, ...]:
        """Count its outlets, which are numbered from 1; see `Switch`."""
        outlets: list[str] = []
        while len(outlets) < _MOST_OUTLETS:
            names = [str(len(outlets) + n) for n in range(1, _AT_ONCE + 1)]
            oids = [self._rule.state.replace("{}", name) for name in names]
            answers = self._opened().get(oids)
            for name, oid in zip(names, oids, strict=True):
                if answers[oid].number is None:
                    return tuple(outlets)
                outlets.append(name)
        return tuple(outlets)

    def _switch(self, action: str, place: str) -> str:
        oid, number = self._rule.commands[action]
        with order():
            self._opened().set_integer(oid.replace("{}", place), number)
        return await_state(
            lambda: self.state(place),
            action,
            f"outlet {place}",
            self._where,
            settle_s=self._settings.number("settle"),
            sleep=self._sleep,
        )


def _build(settings: Settings) -> SnmpOutlets:
    profile = load_profile(settings.text("profile"))
    if profile.switch is None:
        raise BadInput(
            f'the profile "{profile.name}" has no outlets to be switched',
            where="profile",
            way_out="Choose that of a switched PDU.",
        )
    if settings.text("version") == "3" and not settings.text("user"):
        raise BadInput("user is missing", where="user", way_out="SNMP v3 needs a user.")
    return SnmpOutlets(settings, profile, profile.switch)


DRIVER = SwitchDriver(
    "snmp",
    "Switched PDU by SNMP (APC, Raritan, Eaton, Server Technology)",
    (
        *OPTIONS,
        Option(
            "profile",
            "What kind of PDU it is.",
            Kind.CHOICE,
            required=True,
            choices=profile_names(),
        ),
        SETTLE,
        PAUSE,
    ),
    ACTIONS,
    _build,
    login,
)
