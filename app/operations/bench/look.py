"""A look at one source: opened, read until it has told what it can, closed."""

import logging
import time
from dataclasses import dataclass

from instruments.base import Shared, Source
from instruments.errors import BenchError
from instruments.left_out import told_left_out, whole
from instruments.reading import Channel, Identity, Reading, Status

_log = logging.getLogger(__name__)

_LONGEST_WAIT_S = 2.0
_SLACK = 1.05
"""Rates need a whole period between two readings."""

Values = dict[Channel, tuple[float, Status]]


@dataclass(frozen=True, slots=True)
class Look:
    """What a source answered.

    Attributes:
        identity: What it said of itself, None where it did not answer.
        values: Channel, value and status, of two readings where one was not enough.
        raw: The raw reply to the last one.
        poll_s: Seconds the longest of them took.
        left_out: What the bench leaves out of it, "" for nothing.
        trouble: Why values are missing, where the source says so.
        error: What went wrong, None where nothing did.
        later: How many places it did not read, because it reads them in turns.
    """

    identity: Identity | None = None
    values: tuple[tuple[Channel, float, Status], ...] = ()
    raw: str = ""
    poll_s: float = 0.0
    error: BenchError | None = None
    left_out: str = ""
    trouble: str = ""
    later: int = 0


def look(source: Source) -> Look:
    """Open a source, read it once, or twice where rates need it, and close it.

    What somebody else is measuring with it goes on.
    """
    instrument = whole(source)
    if isinstance(instrument, Shared):
        instrument.yields = True
    identity: Identity | None = None
    values: Values = {}
    took = 0.0
    left_out = ""
    try:
        identity = source.open()
        left_out = told_left_out(source)
        reading, took = _read(source, values)
        troubles = [reading.trouble, reading.news]
        if _wants_more(source, values):
            time.sleep(min(_SLACK * source.period_s, _LONGEST_WAIT_S))
            reading, again = _read(source, values)
            took = max(took, again)
            troubles += [reading.trouble, reading.news]
    except BenchError as error:
        return Look(identity, error=error)
    except Exception as error:  # noqa: BLE001  (a bug in a driver is told, too)
        _log.exception("the driver of %s failed", source.name)
        return Look(identity, error=_mistake(source, error))
    finally:
        source.close()
    found = tuple((channel, *value) for channel, value in values.items())
    raw = reading.raw.decode("utf-8", "replace")
    trouble = "; ".join(filter(None, dict.fromkeys(troubles)))
    read = {channel.location for channel in values}
    later = len({channel.location for channel in source.channels} - read)
    return Look(
        identity, found, raw, took, left_out=left_out, trouble=trouble, later=later
    )


def _read(source: Source, values: Values) -> tuple[Reading, float]:
    begin = time.monotonic()
    reading = source.read()
    took = time.monotonic() - begin
    read = zip(reading.channels, reading.values, reading.statuses, strict=True)
    for channel, value, status in read:
        known = values.get(channel)
        if known is None or status.is_value or not known[1].is_value:
            values[channel] = (value, status)
    return reading, took


def _mistake(source: Source, error: Exception) -> BenchError:
    return BenchError(
        f"the driver failed ({error!r})",
        where=source.name,
        way_out="This is a mistake in Bayscope; please report it.",
    )


def _wants_more(source: Source, values: Values) -> bool:
    """Tell whether a value may yet come: a rate, or what is read in turn."""
    missing = any(channel not in values for channel in source.channels)
    return missing or any(status is Status.NAN for _, status in values.values())
