"""One line of the pre-flight: what was looked at, how it is, and what helps."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is.

    OK: as it should be. WARN: the result will be weaker than it could be. STOP: the
    result would not be valid, or the run would not begin.
    """

    OK = "ok"
    WARN = "warn"
    STOP = "stop"


class Help(StrEnum):
    """What the window offers beside a line."""

    NONE = ""
    BENCH = "bench"
    CAMPAIGN = "campaign"
    FOLDER = "folder"
    TARGET = "target"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the pre-flight.

    Attributes:
        topic: A word or two, such as "Sources" or "Disk space".
        level: How bad it is.
        text: One sentence with figures.
        help: Where it is mended.
        detail: With Help.BENCH the name of the source, with Help.COMMAND the command
            to be typed.
    """

    topic: str
    level: Level
    text: str
    help: Help = Help.NONE
    detail: str = ""


def ok(topic: str, text: str) -> Finding:
    """Make a line that says all is well."""
    return Finding(topic, Level.OK, text)


def warn(topic: str, text: str, help_: Help = Help.NONE, detail: str = "") -> Finding:
    """Make a line that says the result will be weaker than it could be."""
    return Finding(topic, Level.WARN, text, help_, detail)


def stop(topic: str, text: str, help_: Help = Help.NONE, detail: str = "") -> Finding:
    """Make a line that says the result would not be valid."""
    return Finding(topic, Level.STOP, text, help_, detail)
