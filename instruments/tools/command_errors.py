"""Errors of programs that do not start or do not end, here and elsewhere."""

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager

from instruments.errors import BenchError, SourceError
from instruments.reading import Status

_PACKAGES = {
    "nvme": "nvme-cli",
    "sensors": "lm-sensors",
    "setpriv": "util-linux",
    "setsid": "util-linux",
    "sg_logs": "sg3-utils",
    "sg_ses": "sg3-utils",
    "smartctl": "smartmontools",
    "timeout": "coreutils",
}
"""The Debian package of a program where it is not named like it."""


_READERS = ("cat", "grep", "ls")
"""Programs that read small files, and ask no device."""

_MAKERS = {
    "arcconf": "Microchip (Adaptec)",
    "perccli": "Dell",
    "perccli64": "Dell",
    "storcli": "Broadcom",
    "storcli64": "Broadcom",
}
"""Whose site has a program that no distribution has."""


class Missing(BenchError):  # noqa: N818  (reads as a sentence where it is raised)
    """A program is not installed where it is to run."""


class TooLate(BenchError):  # noqa: N818  (reads as a sentence where it is raised)
    """A program, or the machine that it runs on, did not answer in time."""


def missing(program: str, place: str = "") -> Missing:
    """Make the error of a program that is not there; `place` is another machine."""
    name = posixpath.basename(program)
    way_out = (
        f"Install it, for instance with 'apt install {_PACKAGES.get(name, name)}'."
    )
    if maker := _MAKERS.get(name):
        way_out = f"Get it from {maker}, who makes the controllers, and install it."
    return Missing(
        "the program is not installed, or not on the PATH",
        where=f"{program} on {place}" if place else program,
        way_out=way_out,
    )


class TooMuch(BenchError):  # noqa: N818  (reads as a sentence where it is raised)
    """A program was stopped since it printed without end."""

    def __init__(self, program: str, most: int, place: str = "") -> None:
        super().__init__(
            f"it printed more than {most >> 20} MiB and was stopped",
            where=f"{program} on {place}" if place else program,
            way_out="See what it prints when it is run by hand.",
        )


def too_late(program: str, timeout_s: float, place: str = "") -> TooLate:
    """Make the error of a program that was stopped at its deadline."""
    way_out = "Check whether the device it asks still answers."
    if place:
        way_out = "Check whether that machine is too busy, or the network to it slow."
        if posixpath.basename(program) not in _READERS:
            way_out = f"{way_out[:-1]}, or the device it asks does not answer."
    return TooLate(
        f"it did not finish within {timeout_s:g} s and was stopped",
        where=f"{program} on {place}" if place else program,
        way_out=way_out,
    )


def cannot_start(program: str, reason: str, place: str = "") -> BenchError:
    """Make the error of a file that is not a program, or may not be run."""
    return BenchError(
        f"the program cannot be started ({reason})",
        where=f"{program} on {place}" if place else program,
        way_out="Check whether you may execute it and it is made for this machine.",
    )


def lost(error: BenchError) -> SourceError:
    """Make the error of a source of any other; late is the status "timeout"."""
    if isinstance(error, SourceError):
        return error
    return SourceError(
        error.what,
        where=error.where,
        way_out=error.way_out,
        status=Status.TIMEOUT if isinstance(error, TooLate) else Status.ERROR,
    )


def lost_source(source: str, error: BenchError) -> SourceError:
    """Make the error of a source whose tool or machine failed.

    Args:
        source: Name of the source.
        error: What happened; its status is kept, or follows from its kind.
    """
    return SourceError(
        error.what,
        where=f"{source} ({error.where})" if error.where else source,
        way_out=error.way_out,
        status=lost(error).status,
    )


@contextmanager
def errors_of(source: str) -> Iterator[None]:
    """Make what fails in a tool or on its machine an error of a source.

    Raises:
        SourceError: As `lost_source` makes it, of any BenchError.
    """
    try:
        yield
    except BenchError as error:
        raise lost_source(source, error) from error
