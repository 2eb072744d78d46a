"""One source on its beat: opened, read, lost, opened again, by a thread of its own."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol, TypeVar

from app.record.clock import Clock
from app.record.health import SourceHealth
from app.record.orders import Orders
from instruments.base import Source
from instruments.errors import SourceError
from instruments.left_out import told_left_out
from instruments.reading import SECOND, Channel, Identity, Reading, Status

T = TypeVar("T")
_log = logging.getLogger(__name__)

FIRST_WAIT_S = 0.5
"""First wait before a lost source is opened again; it doubles each time."""

LONGEST_WAIT_S = 10.0
"""Longest wait before a lost source is opened again."""

_GAP_STEP_S = 0.5
_ORDER_STEP_S = 0.2
_BETWEEN = "settings or further functions between two steps"

POLL_PERIOD_S = 0.5
"""A source read no faster than this has its poll's length recorded as a channel."""

_LISTENING = ("noise",)
"""Sections whose reads last as long as what they listen to, and disturb nothing."""


class Sink(Protocol):
    """What a source's thread hands its findings to."""

    def append(self, reading: Reading) -> None:
        """Take a reading."""
        ...

    def gap(
        self,
        channels: Sequence[Channel],
        start_ns: int,
        end_ns: int,
        status: Status,
        detail: str,
    ) -> None:
        """Take note that channels delivered nothing."""
        ...

    def event(self, level: str, source: str, message: str) -> None:
        """Take note of an event."""
        ...

    def introduce(self, source: Source, identity: Identity) -> None:
        """Take note of what a source says of itself."""
        ...


class SourceThread:
    """Owns one source; the source is called from this thread only.

    The beat is kept by absolute deadlines, so that it does not drift; beats that the
    source was too slow for are left out. After an error the source is closed and
    opened again with growing waits, and the time until its next reading is a gap
    with the error's status as its reason.
    """

    def __init__(
        self, source: Source, sink: Sink, clock: Clock, *, required: bool
    ) -> None:
        self.source = source
        self.opened: Future[Identity] = Future()
        self._sink = sink
        self._clock = clock
        self._required = required
        self._stop = threading.Event()
        self._orders = Orders(source)
        self._health = SourceHealth()
        self._lost_since: int | None = None
        self._gap_until = 0
        self._status = Status.ERROR
        self._identity: Identity | None = None
        self._cost = _cost_channel(source)
        self._thread = threading.Thread(
            target=self._run, name=f"source-{source.name}", daemon=True
        )

    @property
    def health(self) -> SourceHealth:
        """How the source is doing."""
        return self._health

    def start(self) -> None:
        """Begin; `opened` tells how the first opening went."""
        self._thread.start()

    def ask(self, action: Callable[[Source], T]) -> Future[T]:
        """Let the thread do something with the source between two reads.

        Returns:
            What comes of it. A source that is lost, or gets lost by it, makes it a
            SourceError; the beats that it takes are a gap.
        """
        return self._orders.ask(action)

    def ask_to_stop(self) -> None:
        """Ask the thread to close the source and end."""
        self._stop.set()

    def join(self, seconds: float) -> bool:
        """Wait for the thread; return whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        start = self._clock.monotonic_ns()
        try:
            if self._open_first(start):
                self._read_on_the_beat()
        finally:
            self._close()
            self._set(state="stopped")
            self._orders.close(self._health.last_error)

    def _open_first(self, start: int) -> bool:
        try:
            identity = self._open()
        except SourceError as error:
            if self._required:
                self._set(state="lost", last_error=str(error))
                self.opened.set_exception(error)
                return False
            self._lose(error, start)
            self.opened.set_exception(error)
            return True
        self._set(state="ok")
        self.opened.set_result(identity)
        return True

    def _read_on_the_beat(self) -> None:
        wait = FIRST_WAIT_S
        beat = self._clock.monotonic_ns()
        while not self._stop.is_set():
            if self._lost_since is not None:
                if self._pause(wait):
                    return
                wait = min(2 * wait, LONGEST_WAIT_S)
                if not self._open_again():
                    continue
                beat = self._clock.monotonic_ns()
            try:
                beat = self._carry_out_orders(beat)
                reading = self._blame(self.source.read)
            except SourceError as error:
                self._lose(error, self._health.last_ns or beat)
                continue
            self._take(reading)
            wait = FIRST_WAIT_S
            beat = self._next_beat(beat)
            self._wait_until(beat)

    def _wait_until(self, beat: int) -> None:
        """Wait for a beat; orders that come meanwhile are carried out at once."""
        left = 1.0
        while left > 0 and not self._orders.are_waiting:
            left = (beat - self._clock.monotonic_ns()) / SECOND
            if self._clock.wait(self._stop, min(left, _ORDER_STEP_S)):
                return

    def _carry_out_orders(self, beat: int) -> int:
        """Do what was asked for; return the beat to go on from.

        Raises:
            SourceError: The source is lost by it.
        """
        if not self._orders.are_waiting:
            return beat
        since = self._health.last_ns or self._clock.monotonic_ns()
        self._blame(self._orders.carry_out)
        now = self._clock.monotonic_ns()
        if now - since > 2 * self.source.period_s * SECOND:
            self._sink.gap(self.source.channels, since, now, Status.STALE, _BETWEEN)
        return now

    def _take(self, reading: Reading) -> None:
        if reading.channels:  # else the bench leaves out all that was due now
            self._sink.append(reading)
        if self._cost is not None:
            took = (reading.end_ns - reading.start_ns) / SECOND
            start, end = reading.start_ns, reading.end_ns
            self._sink.append(Reading(self._cost, start, end, (took,), (Status.OK,)))
        self._set(
            state="ok", last_ns=reading.end_ns, readings=self._health.readings + 1
        )

    def _next_beat(self, beat: int) -> int:
        """Get the next beat that is not over, and count those that are."""
        period = max(1, round(self.source.period_s * SECOND))
        beat += period
        late = self._clock.monotonic_ns() - beat
        if late > 0:
            missed = late // period
            if missed:
                self._set(missed=self._health.missed + missed)
            beat += missed * period
        return beat

    def _open(self) -> Identity:
        identity = self._blame(self.source.open)
        if self._identity is not None and _differs(self._identity, identity):
            self._sink.event(
                "warning",
                self.source.name,
                f"another device answers: {identity.model} {identity.serial} in place "
                f"of {self._identity.model} {self._identity.serial}",
            )
        elif self._identity is None and (told := told_left_out(self.source)):
            self._sink.event("info", self.source.name, told)
        self._identity = identity
        self._sink.introduce(self.source, identity)
        return identity

    def _blame(self, action: Callable[[], T]) -> T:
        """Call the driver; a bug in it is a lost source, not a dead thread."""
        try:
            return action()
        except SourceError:
            raise
        except Exception as error:
            _log.exception("the driver of %s failed", self.source.name)
            raise SourceError(
                f"the driver failed ({error!r})",
                where=self.source.name,
                way_out="This is a mistake in Bayscope; please report it.",
            ) from error

    def _lose(self, error: SourceError, since: int) -> None:
        """Note that the source is lost; the gap goes on until it is read again."""
        if self._lost_since is None:
            self._lost_since = self._gap_until = since
            self._sink.event("error", self.source.name, f"lost: {error}")
        self._status = error.status
        self._set(state="lost", last_error=str(error))
        self._close()
        self._extend_gap()

    def _pause(self, seconds: float) -> bool:
        """Wait while the gap grows; return whether the thread shall end."""
        end = self._clock.monotonic_ns() + round(seconds * SECOND)
        while (left := (end - self._clock.monotonic_ns()) / SECOND) > 0:
            if self._clock.wait(self._stop, min(left, _GAP_STEP_S)):
                break
            self._orders.refuse(self._health.last_error)
            self._extend_gap()
        self._extend_gap()
        return self._stop.is_set()

    def _open_again(self) -> bool:
        try:
            self._open()
        except SourceError as error:
            self._lose(error, self._gap_until)
            return False
        self._extend_gap()
        now = self._clock.monotonic_ns()
        away = (now - (self._lost_since or now)) / SECOND
        self._sink.event("info", self.source.name, f"is back after {away:.1f} s")
        self._lost_since = None
        self._set(state="ok", last_ns=now)
        return True

    def _extend_gap(self) -> None:
        now = self._clock.monotonic_ns()
        self._sink.gap(
            self.source.channels,
            self._gap_until,
            now,
            self._status,
            self._health.last_error,
        )
        self._gap_until = now

    def _close(self) -> None:
        try:
            self.source.close()
        except Exception as error:  # noqa: BLE001  (a driver's bug on the way out)
            self._set(last_error=str(error))

    def _set(self, **changes: str | int) -> None:
        self._health = replace(self._health, **changes)  # type: ignore[arg-type]


def _differs(before: Identity, after: Identity) -> bool:
    return (before.maker, before.model, before.serial) != (
        after.maker,
        after.model,
        after.serial,
    )


def _cost_channel(source: Source) -> tuple[Channel] | None:
    """Make the channel for the length of a poll, where polling may disturb."""
    if source.section in _LISTENING or source.period_s < POLL_PERIOD_S:
        return None
    period = round(source.period_s * SECOND)
    return (Channel(source.name, "poll", "s", period_ns=period),)
