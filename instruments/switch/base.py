"""What every switch does: act where the bench allows it, and read back what came."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from instruments.errors import BadInput, MaybeDone, SourceError, maybe_done
from instruments.reading import Identity, Status
from instruments.settings import Kind, Option, Settings, complete
from instruments.tools.hosts import Host

ON, OFF, CYCLE, SOFT = "on", "off", "cycle", "soft"
IDENTIFY, IDENTIFY_OFF = "identify", "identify-off"
LOCATE, LOCATE_OFF = "locate", "locate-off"
FAN = "fan"

POWER_ACTIONS = (ON, OFF, CYCLE, SOFT)
"""Those that take power away or give it, and are asked about once more."""

# Between two looks at a state; a BMC or a PDU should not be kept busy by them.
_BETWEEN_S = 0.5


class Switch(Protocol):
    """A device that acts; used by one thread.

    Nothing in a switch asks whether it may: `Guarded` does.

    Attributes:
        name: Unique name on the bench.
        driver: Name of the driver, as in bench.toml.
        actions: What it can do.
    """

    name: str
    driver: str
    actions: tuple[str, ...]

    def open(self) -> Identity:
        """Connect and identify.

        Raises:
            SourceError: It cannot be reached, or it is not what it should be.
        """
        ...

    def act(self, action: str, place: str) -> str:
        """Do something and read back that it is done.

        Args:
            action: One of `actions`.
            place: The outlet, slot or speed; "" for the whole.

        Returns:
            What the device says after it, such as "outlet 3 is off".

        Raises:
            BadInput: There is no such place.
            SourceError: It failed, or the device stayed as it was.
        """
        ...

    def state(self, place: str) -> str:
        """Read the state of a place: "on", "off", or a word for in between.

        Raises:
            BadInput: There is no such place.
            SourceError: It cannot be read.
        """
        ...

    def places(self) -> tuple[str, ...]:
        """List the places whose state can be read, "" for the whole; it has to be open.

        Raises:
            SourceError: It cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of it; may be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class SwitchDriver:
    """One kind of switch that a bench may have.

    Attributes:
        name: As in bench.toml.
        title: Maker and models, for a person.
        options: Its keys in bench.toml, apart from name, driver and allow.
        actions: What it can do.
        build: Makes a switch that is not opened yet; raises BadInput.
        login: Names the account and address that its password is for; "" for none.
    """

    name: str
    title: str
    options: tuple[Option, ...]
    actions: tuple[str, ...]
    build: Callable[[Settings], Switch]
    login: Callable[[Settings], str] = field(default=lambda _: "")

    @property
    def permissions(self) -> tuple[str, ...]:
        """The words that `allow` may have."""
        return tuple(dict.fromkeys(permission(action) for action in self.actions))

    def settings(self, name: str, given: Mapping[str, object], host: Host) -> Settings:
        """Check what a bench says of one switch and fill in the defaults.

        Raises:
            BadInput: A key is unknown, missing or wrong; `where` is the key.
        """
        return Settings(name, complete(self.options, given), host)


SETTLE = Option(
    "settle",
    "Longest wait until the device says that it is done.",
    Kind.NUMBER,
    30.0,
    low=0.5,
    high=600.0,
    unit="s",
)
PAUSE = Option(
    "pause",
    "How long a cycle leaves it off.",
    Kind.NUMBER,
    5.0,
    low=0.0,
    high=600.0,
    unit="s",
)


def permission(action: str) -> str:
    """Name the word that allows an action: a light is put out as it is lit."""
    return action.partition("-")[0]


def no_place(what: str, place: str, where: str) -> None:
    """Refuse a place of something that has none; raises BadInput."""
    if place:
        raise BadInput(
            f'a {what} has no place "{place}"', where=where, way_out="Leave it out."
        )


def await_state(
    read: Callable[[], str],
    wanted: str,
    what: str,
    where: str,
    *,
    settle_s: float,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Read until a state is there; a device that stays as it is is an error.

    Args:
        read: Reads the state.
        wanted: The state to wait for.
        what: What it is the state of, such as "outlet 3".
        where: Switch and address, for errors.
        settle_s: Longest wait.
        sleep: Waits for seconds.

    Returns:
        Such as "outlet 3 is off".

    Raises:
        SourceError: It did not come in time.
        MaybeDone: It could not be read until then: the order was sent.
    """
    end = time.monotonic() + settle_s
    state = _read(read, end, sleep)
    while state != wanted:
        if time.monotonic() > end:
            raise SourceError(
                f"{what} is still {state} and not {wanted} after {settle_s:g} s",
                where=where,
                way_out="Check whether it is blocked, or takes longer (settle).",
                status=Status.ERROR,
            )
        sleep(_BETWEEN_S)
        state = _read(read, end, sleep)
    return f"{what} is {state}"


def _read(read: Callable[[], str], end: float, sleep: Callable[[float], None]) -> str:
    """Read a state after an order, again as long as there is time."""
    while True:
        try:
            return read()
        except SourceError as error:
            if time.monotonic() > end:
                raise maybe_done(error) from error
        sleep(_BETWEEN_S)


@contextmanager
def order() -> Iterator[None]:
    """Tell an order that was not answered in time from one that was refused.

    Raises:
        MaybeDone: It was sent, and no answer came.
    """
    try:
        yield
    except MaybeDone:
        raise
    except SourceError as error:
        if error.status is Status.TIMEOUT:
            raise maybe_done(error) from error
        raise
