"""How a driver introduces itself: its name, its options, how a source of it is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from instruments.base import Source
from instruments.settings import Kind, Option, Settings, Value, complete
from instruments.tools.hosts import Host

HOST = Option("host", "The [[host]] its tools run on; without it, this machine.")
"""For drivers that run tools or read system files; these may be on another machine."""


def period(default_s: float, low_s: float) -> Option:
    """Make the option for the seconds from one read to the next."""
    return Option(
        "period",
        "Seconds from one reading to the next.",
        Kind.NUMBER,
        default_s,
        low=low_s,
        high=3600.0,
        unit="s",
    )


@dataclass(frozen=True, slots=True)
class Found:
    """Something a driver found that could be a source.

    Attributes:
        label: What a person would call it: model, serial, place.
        values: The keys of bench.toml that reach it.
    """

    label: str
    values: Mapping[str, Value]


def _find_nothing(_: Host) -> list[Found]:
    return []


@dataclass(frozen=True, slots=True)
class Driver:
    """One kind of source that a bench may have.

    Attributes:
        section: "power", "thermal", "noise" or "host".
        name: As in bench.toml.
        title: Maker and models, for a person.
        options: Its keys in bench.toml, apart from name and driver.
        build: Makes a source that is not opened yet; raises BadInput where values do
            not go together.
        discover: Looks for devices on a host; slow, may be empty, never raises for
            "none found".
        secret: What password it needs, such as "password of the BMC's user"; "" where
            none. `instruments.tools.secrets` has it under the source's name.
        retired: Keys that older benches have, and that mean nothing any more.
        login: Names the account and the address that the password is for.
    """

    section: str
    name: str
    title: str
    options: tuple[Option, ...]
    build: Callable[[Settings], Source]
    discover: Callable[[Host], list[Found]] = field(default=_find_nothing)
    secret: str = ""
    retired: tuple[str, ...] = ()
    login: Callable[[Settings], str] = field(default=lambda _: "")

    def settings(self, name: str, given: Mapping[str, object], host: Host) -> Settings:
        """Check what a bench says of one source and fill in the defaults.

        Raises:
            BadInput: A key is unknown, missing or wrong; `where` is the key.
        """
        return Settings(name, complete(self.options, self.current(given)), host)

    def current(self, given: Mapping[str, object]) -> dict[str, object]:
        """Leave out the keys that only older benches have."""
        return {key: given[key] for key in given if key not in self.retired}
