"""One source on its beat: opened, read, lost, opened again, by its own thread."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TypeVar

from app.record.clock import Clock
from app.record.notices import Absence, Introduction, Silence, Sink
from app.record.orders import Orders
from instruments.base import Source
from instruments.errors import SourceError
from instruments.priority import keep_the_beat
from instruments.reading import (
    MISSED_PERIODS,
    POLL,
    SECOND,
    Channel,
    Identity,
    Reading,
    Status,
)

T = TypeVar("T")
_log = logging.getLogger(__name__)

SLOW_SHARE = 0.1
"""A source that misses more than this share of its beats is told of; judged."""

SLOW = "slower than its polling interval"
"""Why beats were missed, where the reads themselves took longer than the period."""

# A single late beat is nothing; whether a source keeps up shows over some beats and
# seconds.
_BEATS = 10
_WINDOW_S = 2.0


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """A snapshot of one source."""

    state: str = "opening"  # "opening", "ok", "lost" or "stopped"
    last_ns: int = 0  # end of its last reading in monotonic ns, 0 before the first
    last_at_ns: int = 0  # the middle of it, at which its values are stored
    last_error: str = ""  # what went wrong last, "" where nothing did
    cause: str = ""  # the same without where it happened and the way out
    readings: int = 0  # how many readings it delivered
    missed: int = 0  # how many beats it missed
    reading_ns: int = 0  # when the read that is under way began, 0 while none is


class Beat:
    """Absolute deadlines, so that nothing drifts; beats that are over are left out.

    Attributes:
        due_ns: The next beat in monotonic ns.
    """

    def __init__(self) -> None:
        self.due_ns = 0
        self._beats = self._missed = 0
        self._longest_ns = 0
        self.is_slow = False

    def begin(self, now_ns: int) -> None:
        """Begin again, with the first beat now."""
        self.due_ns = now_ns
        self._beats = self._missed = self._longest_ns = 0

    def advance(self, now_ns: int, period_s: float) -> int:
        """Go on to the next beat that is not over; return how many were missed."""
        period = max(1, round(period_s * SECOND))
        self.due_ns += period
        missed = max(0, now_ns - self.due_ns) // period
        self.due_ns += missed * period
        return missed

    def judge(self, missed: int, took_ns: int, period_s: float) -> str:
        """Look at one read; say what is new: it is too slow, or keeps up again.

        Returns:
            The sentence for it, "" where all is as before.
        """
        self._beats += 1 + missed
        self._missed += missed
        self._longest_ns = max(self._longest_ns, took_ns)
        if self._beats < max(_BEATS, _WINDOW_S / period_s):
            return ""
        beats, lost, longest = self._beats, self._missed, self._longest_ns / SECOND
        self._beats = self._missed = self._longest_ns = 0
        if self.is_slow and not lost:
            self.is_slow = False
            return "keeps up with its polling interval again"
        if self.is_slow or lost <= SLOW_SHARE * beats:
            return ""
        self.is_slow = True
        if longest > period_s:
            why = f"the instrument is {SLOW} (reads take up to {longest:.2g} s, "
        else:
            why = f"this machine was late (reads take {longest:.2g} s, "
        return f"{lost} of {beats} readings missed; {why}interval {period_s:g} s)"


POLL_PERIOD_S = 0.5
"""A source read no faster than this has its poll's length recorded as a channel."""

_LISTENING = ("noise",)
"""Sections whose reads last as long as what they listen to, and disturb nothing."""


class PollCost:
    """What polling a source costs."""

    def __init__(self, source: Source) -> None:
        self._channels: tuple[Channel, ...] = ()
        if source.section not in _LISTENING and source.period_s >= POLL_PERIOD_S:
            period = round(source.period_s * SECOND)
            self._channels = (Channel(source.name, POLL, "s", period_ns=period),)

    def of(self, reading: Reading) -> Reading | None:
        """Get the length of a read in seconds, None where it is not recorded."""
        if not self._channels:
            return None
        start, end = reading.start_ns, reading.end_ns
        took = (end - start) / SECOND
        return Reading(self._channels, start, end, (took,), (Status.OK,))


FIRST_WAIT_S = 0.5
"""First wait before a lost source is opened again; it doubles each time."""

LONGEST_WAIT_S = 10.0
"""Longest wait before a lost source is opened again."""

# A gap grows as it lasts, so that charts and interlocks see it before the source is
# back.
_GAP_STEP_S = 0.5
_ORDER_STEP_S = 0.2
_BETWEEN = "the instrument was reconfigured between steps"


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
        self._absence = Absence(source, sink, clock)
        self._silence = Silence()
        self._beat = Beat()
        self._introduction = Introduction(source, sink)
        self._cost = PollCost(source)
        self._took_ns = 0
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
        keep_the_beat()
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
                self._set(state="lost", last_error=str(error), cause=error.what)
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
        self._beat.begin(self._clock.monotonic_ns())
        while not self._stop.is_set():
            if self._absence.lasts:
                if self._pause(wait):
                    return
                wait = min(2 * wait, LONGEST_WAIT_S)
                if not self._open_again():
                    continue
                self._beat.begin(self._clock.monotonic_ns())
            try:
                self._carry_out_orders()
                start = self._clock.monotonic_ns()
                self._set(reading_ns=start)
                reading = _call(self.source.name, self.source.read)
            except SourceError as error:
                self._lose(error, self._health.last_ns or self._beat.due_ns)
                continue
            self._explain_pause(reading)
            self._take(reading)
            wait = FIRST_WAIT_S
            self._took_ns = self._clock.monotonic_ns() - start
            self._go_on()
            self._wait_for_the_beat()

    def _wait_for_the_beat(self) -> None:
        """Wait for the next beat; orders that come meanwhile are done at once."""
        left = 1.0
        while left > 0 and not self._orders.are_waiting:
            left = (self._beat.due_ns - self._clock.monotonic_ns()) / SECOND
            if self._clock.wait(self._stop, min(left, _ORDER_STEP_S)):
                return

    def _carry_out_orders(self) -> None:
        """Do what was asked for, and go on from there.

        Raises:
            SourceError: The source is lost by it.
        """
        if not self._orders.are_waiting:
            return
        since = self._health.last_ns or self._clock.monotonic_ns()
        _call(self.source.name, self._orders.carry_out)
        now = self._clock.monotonic_ns()
        if now - since > 2 * self.source.period_s * SECOND:
            self._sink.gap(self.source.channels, since, now, Status.STALE, _BETWEEN)
        self._beat.begin(now)

    def _take(self, reading: Reading) -> None:
        if reading.channels:  # else the bench leaves out all that was due now
            self._sink.append(reading)
        if reading.notice:
            self._sink.event("warning", self.source.name, reading.notice)
        for level, message in self._silence.note(reading):
            self._sink.event(level, self.source.name, message)
        if (cost := self._cost.of(reading)) is not None:
            self._sink.append(cost)
        count = self._health.readings + 1
        self._set(
            state="ok",
            last_ns=reading.end_ns,
            last_at_ns=(reading.start_ns + reading.end_ns) // 2,
            readings=count,
            reading_ns=0,
        )

    def _explain_pause(self, reading: Reading) -> None:
        """Store why there is nothing since the reading before, where that was slow."""
        period_ns = self.source.period_s * SECOND
        since = self._health.last_ns
        if (
            self._took_ns > period_ns
            and reading.channels is self.source.channels
            and reading.start_ns - since > MISSED_PERIODS * period_ns
        ):
            took = f"{self._took_ns / SECOND:.2g} s a read"
            why = f"the instrument is {SLOW} ({took})"
            start = reading.start_ns
            self._sink.gap(reading.channels, since, start, Status.MISSED, why)

    def _go_on(self) -> None:
        """Go on to the next beat that is not over; count and tell those that are."""
        period_s = self.source.period_s
        missed = self._beat.advance(self._clock.monotonic_ns(), period_s)
        if missed:
            self._set(missed=self._health.missed + missed)
        if told := self._beat.judge(missed, self._took_ns, period_s):
            level = "warning" if self._beat.is_slow else "info"
            self._sink.event(level, self.source.name, told)

    def _open(self) -> Identity:
        identity = _call(self.source.name, self.source.open)
        self._introduction.take(identity)
        return identity

    def _lose(self, error: SourceError, since: int) -> None:
        """Note that the source is lost; the gap goes on until it is read again."""
        self._silence.forget()
        self._set(state="lost", last_error=str(error), cause=error.what, reading_ns=0)
        self._close()
        self._absence.note(error, since)

    def _pause(self, seconds: float) -> bool:
        """Wait while the gap grows; return whether the thread shall end."""
        end = self._clock.monotonic_ns() + round(seconds * SECOND)
        while (left := (end - self._clock.monotonic_ns()) / SECOND) > 0:
            if self._clock.wait(self._stop, min(left, _GAP_STEP_S)):
                break
            self._orders.refuse(self._health.last_error)
            self._absence.grow()
        self._absence.grow()
        return self._stop.is_set()

    def _open_again(self) -> bool:
        try:
            self._open()
        except SourceError as error:
            self._lose(error, 0)
            return False
        self._set(state="ok", last_ns=self._absence.end())
        return True

    def _close(self) -> None:
        try:
            self.source.close()
        except Exception as error:  # noqa: BLE001  (a driver's bug on the way out)
            self._set(last_error=str(error))

    def _set(self, **changes: str | int) -> None:
        self._health = replace(self._health, **changes)  # type: ignore[arg-type]


def _call(name: str, action: Callable[[], T]) -> T:
    """Call a driver; whatever it raises is a SourceError of the source."""
    try:
        return action()
    except SourceError:
        raise
    except Exception as error:
        _log.exception("the driver of %s failed", name)
        raise SourceError(
            f"the driver failed ({error!r})",
            where=name,
            way_out="This is an internal error of Bayscope; please report it.",
        ) from error
