"""The watch over a run's interlocks: a thread that holds the run and lets it go."""

import math
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.campaign.phases.steering import Steering
from app.plan.interlocks import Interlock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.reading import SECOND, Channel
from instruments.sizes import describe_size

BACK_S = 600.0
"""So far back the first look goes: slow sources have a reading there."""


class _Lasting:
    """Whether something has been so without a break for long enough."""

    def __init__(self) -> None:
        self._since_ns: int | None = None

    def take(self, is_so: bool, at_ns: int, span_ns: int) -> bool:
        if not is_so:
            self._since_ns = None
            return False
        if self._since_ns is None:
            self._since_ns = at_ns
        return at_ns - self._since_ns >= span_ns


class ChannelWatch:
    """Follows a channel from sample to sample.

    Attributes:
        value: The newest value; NaN before the first.
        tripped: Whether it has been beyond the threshold for long enough.
        clear: Whether it has been good again for long enough.
    """

    def __init__(self, channel: Channel, interlock: Interlock, now_ns: int) -> None:
        self.channel = channel
        self.value = float("nan")
        self.tripped = False
        self.clear = False
        self._interlock = interlock
        self._seen_ns = now_ns - round(BACK_S * SECOND)
        self._bad = _Lasting()
        self._good = _Lasting()

    def look(self, session: Session, now_ns: int) -> None:
        """Take the samples since the last look; gaps among them say nothing."""
        trace = session.trace(self.channel, (self._seen_ns, now_ns))
        known = np.isfinite(trace.mean) & (trace.times > self._seen_ns)
        for time, value in zip(trace.times[known], trace.mean[known], strict=True):
            self._take(int(time), float(value))

    def _take(self, time_ns: int, value: float) -> None:
        self._seen_ns, self.value = time_ns, value
        one, span = self._interlock, round(self._interlock.for_s * SECOND)
        self.tripped = self._bad.take(one.trips_at(value), time_ns, span)
        self.clear = self._good.take(one.clears_at(value), time_ns, span)


# The writer commits twice a second; looking oftener would see nothing new.
PERIOD_S = 0.5


@dataclass
class _State:
    """How it stands with one interlock.

    Attributes:
        key: Under which it holds.
        interlock: The plan.
        watches: Of its channels, by name.
        held_ns: Since when it holds; None where it does not.
        bad: Whether its source is lost or its disk full for long enough.
        good: Whether neither is so for long enough.
    """

    key: str
    interlock: Interlock
    watches: dict[str, ChannelWatch] = field(default_factory=dict)
    held_ns: int | None = None
    bad: _Lasting = field(default_factory=_Lasting)
    good: _Lasting = field(default_factory=_Lasting)


class InterlockWatch:
    """Looks at all interlocks twice a second, in its own thread.

    It reads what is stored, as every view does, and never the sources.
    """

    def __init__(
        self,
        interlocks: Sequence[Interlock],
        recorder: Recorder,
        steering: Steering,
    ) -> None:
        # Those of bench and campaign may have one name, and hold each for itself.
        self._states = [
            _State(f"{number} {one.name}", one) for number, one in enumerate(interlocks)
        ]
        self._recorder = recorder
        self._steering = steering
        self._clock = recorder.clock
        self._done = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name="interlocks", daemon=True
        )

    def __enter__(self) -> "InterlockWatch":
        if self._states:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            with Session.open(self._recorder.path) as session:
                while not self._done.is_set():
                    session.refresh()
                    for state in self._states:
                        self._look(state, session)
                    self._done.wait(PERIOD_S)
        except Exception as error:  # noqa: BLE001  (blind interlocks protect nothing)
            text = f"the interlocks cannot be watched: {error}"
            self._tell("error", text)
            self._steering.end(text)

    def _look(self, state: _State, session: Session) -> None:
        now = self._clock.monotonic_ns()
        one = state.interlock
        if one.channels:
            tripped, clear = self._channels(state, session, now)
        else:
            tripped, clear = self._other(state, now)
        if state.held_ns is None and tripped:
            self._trip(state, tripped, now)
        elif state.held_ns is not None:
            if clear:
                state.held_ns = None
                self._steering.release(state.key)
                self._tell("info", f"{one.name}: cleared, run resumed")
            elif now - state.held_ns > one.give_up_s * SECOND:
                waited = f"{one.give_up_s:g} s"
                self._steering.end(f"{one.name}: still so after {waited}")

    def _trip(self, state: _State, why: str, now: int) -> None:
        one = state.interlock
        state.held_ns = now
        reason = f"{one.name}: {why}"
        if one.action == "stop":
            self._tell("error", f"the run is ended: {reason}")
            self._steering.end(reason)
        else:
            self._tell("warning", f"the run is paused: {reason}")
            self._steering.hold(state.key, reason, one.cleared)

    def _channels(self, state: _State, session: Session, now: int) -> tuple[str, bool]:
        """Look at the channels: what trips it, and whether all are good again."""
        one = state.interlock
        for channel in session.channels():
            if one.watches(channel.name) and channel.name not in state.watches:
                state.watches[channel.name] = ChannelWatch(channel, one, now)
        for watch in state.watches.values():
            watch.look(session, now)
        tripped = [watch for watch in state.watches.values() if watch.tripped]
        # One that never had a value, an empty slot, cannot be what trips or clears.
        seen = [w for w in state.watches.values() if not math.isnan(w.value)]
        return _reason(one, tripped), all(watch.clear for watch in seen)

    def _other(self, state: _State, now: int) -> tuple[str, bool]:
        """Look at sources and at the disk."""
        one = state.interlock
        why = self._missing(one) if one.lost else self._full(one)
        span = round(one.for_s * SECOND)
        is_bad = state.bad.take(bool(why), now, span)
        is_good = state.good.take(not why, now, span)
        return why if is_bad else "", is_good

    def _missing(self, one: Interlock) -> str:
        lost = [
            name
            for name, health in self._recorder.health().items()
            if health.state == "lost" and one.needs(name)
        ]
        return f"{', '.join(lost)} is lost" if lost else ""

    def _full(self, one: Interlock) -> str:
        free = shutil.disk_usage(self._recorder.path.parent).free
        if free >= one.disk_free:
            return ""
        wanted = describe_size(one.disk_free)
        return (
            f"{describe_size(free)} are left on the disk of the session, below {wanted}"
        )

    def _tell(self, level: str, text: str) -> None:
        self._recorder.event(level, "interlock", text)
        self._recorder.journal("interlock", text)


def _reason(interlock: Interlock, tripped: Sequence[ChannelWatch]) -> str:
    """Name the worst of the channels that trip it, and count the others."""
    if not tripped:
        return ""
    sign = 1 if interlock.above is not None else -1
    worst = max(tripped, key=lambda watch: sign * watch.value)
    value = f"{worst.value:.4g} {worst.channel.printed_unit}".rstrip()
    more = f" (and {len(tripped) - 1} more)" if len(tripped) > 1 else ""
    return f"{worst.channel.name} is {value}, {interlock.limit}{more}"
