"""Power and identify light of a server by Redfish."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from instruments.errors import SourceError
from instruments.reading import Identity
from instruments.settings import Option, Settings
from instruments.switch.base import OFF, ON, PAUSE, SETTLE, SOFT, SwitchDriver
from instruments.switch.chassis import ACTIONS, ChassisSwitch
from instruments.thermal.redfish.answer import as_modelled
from instruments.thermal.redfish.driver import (
    ACCESS,
    check_options,
    login,
    open_service,
)

if TYPE_CHECKING:
    from instruments.thermal.redfish.client import RedfishLink  # noqa: F401

# ResetType of ComputerSystem, the wanted one first; some services have ForceOn only.
_RESETS = {ON: ("On", "ForceOn"), OFF: ("ForceOff",), SOFT: ("GracefulShutdown",)}
_STATES = {"On": ON, "Off": OFF}


class RedfishSystem(ChassisSwitch["RedfishLink"]):
    """One computer system and its chassis; it has no places.

    Args:
        settings: Name and options.
        sleep: Waits for seconds.
    """

    driver = "redfish"
    thing = "system"

    def __init__(
        self, settings: Settings, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        where = f"{settings.name} ({settings.text('address')})"
        super().__init__(settings, where, sleep)
        self._system = ""

    def open(self) -> Identity:
        """Log in and find the system; see `Switch`."""
        self.close()
        link = open_service(self._settings, self._where)
        with self._opening(link), as_modelled(self._where):
            identity = link.identify()
            self._system = self._choose(link.members("Systems"))
        return identity

    def act(self, action: str, place: str) -> str:
        """Switch power or light and read it back; see `Switch`."""
        with as_modelled(self._where):
            return super().act(action, place)

    def _choose(self, systems: list[str]) -> str:
        names = {path.rstrip("/").rsplit("/", 1)[-1]: path for path in systems}
        wanted = self._settings.text("system")
        if wanted and wanted in names:
            return names[wanted]
        if not wanted and len(names) == 1:
            return next(iter(names.values()))
        what = f'there is no system "{wanted}"' if wanted else "it has several systems"
        raise SourceError(
            what if names else "it has no system",
            where=self._where,
            way_out=f"Give system, one of {', '.join(names)}." if names else "",
        )

    def _ask_for(self, action: str, wanted: str) -> None:
        link = self._opened()
        actions = link.get(self._system).get("Actions") or {}
        reset = actions.get("#ComputerSystem.Reset") or {}
        target = str(reset.get("target") or "")
        allowed = reset.get("ResetType@Redfish.AllowableValues")
        names = _RESETS[action]
        kind = next((n for n in names if allowed is None or n in allowed), "")
        if not target or not kind:
            raise SourceError(
                f'the system offers no "{names[0]}"',
                where=self._where,
                way_out="Check the account's role, and what the BMC's firmware can do.",
            )
        # A system that is as wanted already may answer the request with an error.
        if self._power_state() != wanted:
            link.post(target, {"ResetType": kind})

    def _power_state(self) -> str:
        state = str(self._opened().get(self._system).get("PowerState") or "unknown")
        return _STATES.get(state, state)

    def _light(self, on: bool) -> str:
        link = self._opened()
        # Either may have the light; that of the chassis is tried first.
        paths = [*link.members("Chassis")[:1], self._system]
        for path in paths:
            document = link.get(path)
            key, value = _indicator(document, on)
            if key:
                link.patch(path, {key: value})
                return self._await(
                    lambda p=path, k=key: _shown(link.get(p), k),  # type: ignore[misc]
                    ON if on else OFF,
                    "the identify light",
                )
        raise SourceError(
            "neither chassis nor system has an identify light", where=self._where
        )


def _indicator(document: Mapping[str, Any], on: bool) -> tuple[str, object]:
    """Choose the newer of the two properties that a light may have."""
    if "LocationIndicatorActive" in document:
        return "LocationIndicatorActive", on
    if "IndicatorLED" in document:
        return "IndicatorLED", "Blinking" if on else "Off"
    return "", None


def _shown(document: Mapping[str, Any], key: str) -> str:
    return ON if document.get(key) in (True, "Lit", "Blinking") else OFF


def _build(settings: Settings) -> RedfishSystem:
    check_options(settings)
    return RedfishSystem(settings)


DRIVER = SwitchDriver(
    "redfish",
    "Server power and identify light by Redfish",
    (
        *ACCESS,
        Option("system", "Id of the system, where the BMC has several."),
        SETTLE,
        PAUSE,
    ),
    ACTIONS,
    _build,
    login,
)
