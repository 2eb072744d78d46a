"""What the bench allows a switch to do, and the record of what it did."""

import getpass
from dataclasses import dataclass
from datetime import UTC, datetime

from instruments.errors import BadInput
from instruments.switch.base import Switch, permission


@dataclass(frozen=True, slots=True)
class Acted:
    """The record of one action.

    Attributes:
        at: Wall clock at its beginning, UTC.
        who: User of the machine that asked.
        switch: Name of the switch.
        action: What was asked.
        place: Where; "" for the whole.
        answer: What came of it, or why it failed.
        done: Whether it was done and read back; None where it may have been done.
    """

    at: datetime
    who: str
    switch: str
    action: str
    place: str
    answer: str
    done: bool | None = True

    @property
    def text(self) -> str:
        """One line for a journal."""
        place = f" {self.place}" if self.place else ""
        return f"{self.who}: {self.action}{place} on {self.switch}: {self.answer}"


class Guarded:
    """A switch that does only what the bench allows.

    Args:
        switch: The switch.
        allow: Words of `allow` in its [[switch]].
    """

    def __init__(self, switch: Switch, allow: tuple[str, ...]) -> None:
        self.switch = switch
        self.allow = allow

    def check(self, action: str) -> None:
        """Check whether an action is known and allowed.

        Raises:
            BadInput: It is not; names the key that would allow it.
        """
        name = self.switch.name
        if action not in self.switch.actions:
            raise BadInput(
                f'"{action}" is not an action of it',
                where=name,
                way_out=f"Expected one of {', '.join(self.switch.actions)}.",
            )
        word = permission(action)
        if word not in self.allow:
            raise BadInput(
                f'the bench does not allow "{action}"',
                where=name,
                way_out=f'Add "{word}" to allow in its [[switch]], if it may be done.',
            )

    def act(self, action: str, place: str) -> Acted:
        """Do something that is allowed.

        Raises:
            BadInput: It is not allowed, or there is no such place.
            SourceError: It failed, or the device stayed as it was.
        """
        self.check(action)
        begin = datetime.now(UTC)
        answer = self.switch.act(action, place)
        return Acted(begin, user(), self.switch.name, action, place, answer)


def user() -> str:
    """Name who asks: the user of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no entry in passwd, as in some containers
        return "unknown"
