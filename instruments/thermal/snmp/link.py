"""What a source or a switch does with one SNMP device while it is open."""

from collections.abc import Sequence
from typing import Protocol

from instruments.reading import Identity
from instruments.thermal.snmp.agent import Answer, SnmpAgent
from instruments.thermal.snmp.entity import find_entity_sensors
from instruments.thermal.snmp.points import Point, find_points
from instruments.thermal.snmp.profile import Profile

_DESCRIPTION = "1.3.6.1.2.1.1.1.0"
_PRINTED = 60


class _Session(Protocol):
    def get(self, oids: Sequence[str]) -> dict[str, Answer]: ...

    def walk(self, column: str) -> dict[str, Answer]: ...

    def set_integer(self, oid: str, number: int) -> None: ...

    def close(self) -> None: ...


class SnmpLink:
    """An open device.

    Args:
        session: The conversation; closed with this.
    """

    def __init__(self, session: _Session) -> None:
        self._session = session

    def get(self, oids: Sequence[str]) -> dict[str, Answer]:
        """Get values by identifier; raises SourceError."""
        return self._session.get(oids)

    def set_integer(self, oid: str, number: int) -> None:
        """Write a whole number; raises SourceError."""
        self._session.set_integer(oid, number)

    def identify(self, profile: Profile | None, address: str) -> Identity:
        """Ask who it is; a device without a profile has its description only.

        Raises:
            SourceError: No answer, or the agent refuses.
        """
        wanted = ("", _DESCRIPTION, "", "")
        if profile is not None:
            wanted = (profile.maker, profile.model, profile.serial, profile.firmware)
        oids = [text for text in wanted if text.startswith("1.")]
        answers = self._session.get(oids or [_DESCRIPTION])
        maker, model, serial, firmware = (_text(text, answers) for text in wanted)
        return Identity(maker, model, serial, firmware, address)

    def find(
        self, profile: Profile, scopes: Sequence[str], units: Sequence[str]
    ) -> list[Point]:
        """List which values of a profile it has; raises SourceError."""
        points = find_points(self._session, profile, scopes, units)
        if profile.entity and "probe" in scopes:
            points += find_entity_sensors(self._session)
        return points

    def close(self) -> None:
        """End the conversation; may be called twice."""
        self._session.close()


def open_session(agent: SnmpAgent, where: str) -> SnmpLink:
    """Open a conversation; pysnmp is imported here, as it takes a while.

    Raises:
        SourceError: The address is none, or the account does not go together.
    """
    from instruments.thermal.snmp.session import SnmpSession  # noqa: PLC0415

    return SnmpLink(SnmpSession(agent, where))


def _text(text: str, answers: dict[str, Answer]) -> str:
    if not text.startswith("1."):
        return text
    answer = answers.get(text, Answer(missing=True))
    return "" if answer.missing else " ".join(answer.shown.split())[:_PRINTED]
