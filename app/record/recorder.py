"""The recorder: a thread for each source, one writer thread, bounded queues."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, TypeVar, cast

from app.record.clock import Clock
from app.record.poll import SourceHealth, SourceThread
from app.record.store import SessionInfo, Writer
from app.record.writer_thread import Order, WriterThread
from instruments.base import Source, Stepped
from instruments.errors import BenchError
from instruments.power.ranging import Capturing, RangePlan, Ranging
from instruments.reading import Channel, Identity, Reading, Status

T = TypeVar("T")

QUEUE_LENGTH = 20_000
"""Readings that may wait for the writer; more than that is a stored gap."""

_OPEN_S = 60.0
_STOP_S = 15.0
_STEP_S = 20.0


class Recorder:
    """Records sources into a session file.

    Readings come in through a bounded queue and are made durable every `commit_s`
    seconds, more rarely where the disk is slow; then `notify` is told up to which
    monotonic time they are stored. When the disk fails, `failed` says so, and what is
    stored is kept.

    With `resume` it goes on with the session that a crash left at `path`, if its
    fingerprint is still this one.

    Attributes:
        path: The session file.
        clock: The clock of the bench.
        concluded: Whether the run has come to its verdict.
    """

    def __init__(
        self,
        path: Path,
        info: SessionInfo,
        *,
        clock: Clock,
        notify: Callable[[int], None] = lambda _: None,
        commit_s: float = 0.09,
        queue_length: int = QUEUE_LENGTH,
        resume: str | None = None,
    ) -> None:
        self.path = path
        self.clock = clock
        self._writer = WriterThread(
            path,
            info,
            clock=clock,
            notify=notify,
            commit_s=commit_s,
            queue_length=queue_length,
            resume=resume,
        )
        self._sources: dict[str, SourceThread] = {}
        self._closing = threading.Lock()
        self._closed = False
        self.concluded = False

    @property
    def failed(self) -> BenchError | None:
        """Why nothing can be stored any more, None as long as it can."""
        return self._writer.failed

    def start(self) -> None:
        """Make the session file and begin, or go on with one that was cut off.

        Raises:
            BadInput: The file exists or cannot be written, did not end in a crash, or
                is another one by now.
        """
        self._writer.start()
        self._writer.started.result()

    def watch(self, source: Source, *, required: bool = True) -> Identity | None:
        """Open a source and read it on its beat from now on.

        Args:
            source: The source; its name is unique in the session.
            required: Whether a source that cannot be opened is an error. If not, it
                is tried again and again while its channels have a gap.

        Returns:
            What the source says of itself, None where it is not there yet.

        Raises:
            SourceError: It is required and cannot be opened.
            BenchError: It does not open within a minute.
        """
        if source.name in self._sources:
            raise ValueError(f"{source.name} is watched already")
        thread = SourceThread(source, self, self.clock, required=required)
        thread.start()
        try:
            identity = thread.opened.result(_OPEN_S)
        except TimeoutError as error:
            thread.ask_to_stop()
            raise BenchError(
                f"it did not open within {_OPEN_S:.0f} s",
                where=source.name,
                way_out="Check that nothing else uses it.",
            ) from error
        except BenchError:
            if required:
                thread.join(_STOP_S)
                raise
            identity = None
        self._sources[source.name] = thread
        return identity

    def begin_step(self, label: str, *, under_load: bool) -> None:
        """Tell the sources that want to know; see `instruments.base.Stepped`.

        A source that fails to make ready is lost, as the events say; one that takes
        too long goes on with it while the step begins.
        """
        self._tell(
            Stepped, lambda source: source.begin_step(label, under_load=under_load)
        )

    def end_step(self) -> None:
        """Tell the sources that want to know, and store what they read then."""
        ends: dict[str, Sequence[Reading]]
        ends = self._tell(Stepped, lambda source: source.end_step())
        for readings in ends.values():
            for reading in readings:
                self.append(reading)

    def ranging_sources(self) -> list[str]:
        """Name the meters that can choose their ranges in a ranging pass."""
        threads = self._sources.items()
        return [name for name, one in threads if isinstance(one.source, Ranging)]

    def begin_ranging(self) -> None:
        """Let these meters choose their ranges and watch; see `Ranging`."""
        self._tell(Ranging, lambda source: source.begin_ranging())

    def end_ranging(self, label: str) -> dict[str, RangePlan]:
        """Let them keep fixed ranges for a step's label; return what they chose."""
        return self._tell(Ranging, lambda source: source.end_ranging(label))

    def begin_capture(self) -> list[str]:
        """Let meters that can measure at their fastest rate; name those that do."""
        return list(self._tell(Capturing, lambda source: source.begin_capture()))

    def end_capture(self) -> None:
        """Let them measure all functions again."""
        self._tell(Capturing, lambda source: source.end_capture())

    def _tell(self, kind: type, action: Callable[[Any], T]) -> dict[str, T]:
        """Let every source of a kind do something, all at once."""
        asked = {
            name: thread.ask(action)
            for name, thread in self._sources.items()
            if isinstance(thread.source, kind)
        }
        wait(asked.values(), _STEP_S)
        answers: dict[str, T] = {}
        for name, answer in asked.items():
            if not answer.done():
                self.event("warning", name, f"was not ready within {_STEP_S:.0f} s")
            elif answer.exception() is None:
                answers[name] = answer.result()
        return answers

    def channels(self) -> list[Channel]:
        """Get the channels that the sources deliver on their beat."""
        return [c for t in self._sources.values() for c in t.source.channels]

    def health(self) -> dict[str, SourceHealth]:
        """Get how every source is doing."""
        return {name: thread.health for name, thread in self._sources.items()}

    def append(self, reading: Reading) -> None:
        """Take a reading from any thread; one too many for the queue is a gap."""
        self._writer.put_reading(reading)

    def gap(
        self,
        channels: Sequence[Channel],
        start_ns: int,
        end_ns: int,
        status: Status,
        detail: str,
    ) -> None:
        """Store that channels delivered nothing; one that goes on is extended."""
        self.post(lambda w: w.gap(channels, start_ns, end_ns, status, detail))

    def event(self, level: str, source: str, message: str) -> None:
        """Store an event with the time it has now; level info, warning or error."""
        now = self.clock.monotonic_ns()
        self.post(lambda w: w.event(now, level, source, message))

    def journal(self, action: str, detail: str) -> None:
        """Store what the program did, with the time it has now."""
        now = self.clock.monotonic_ns()
        self.post(lambda w: w.journal(now, action, detail))

    def introduce(self, source: Source, identity: Identity) -> None:
        """Store what a source says of itself, and its channels."""
        name, section, driver = source.name, source.section, source.driver
        channels = source.channels
        self._writer.introduce(name)

        def store(writer: Writer) -> None:
            writer.add_source(name, section, driver, identity, "")
            writer.add_channels(channels)

        self.post(store)

    def call(self, action: Callable[[Writer], T]) -> T:
        """Do something with the writer in its thread and make it durable.

        What this thread appended and posted before is stored before it.

        Raises:
            BenchError: It could not be stored, or the recording is closed.
        """
        if self._writer.is_current():
            raise RuntimeError("call() would wait for itself; use post()")
        done: Future[object] = Future()
        with self._closing:
            if self._closed:
                raise BenchError("the recording is closed", where=str(self.path))
            self._writer.put_order(Order(action, done))
        return cast(T, done.result())

    def post(self, action: Callable[[Writer], object]) -> None:
        """Do something with the writer in its thread, without waiting for it."""
        self._writer.put_order(Order(action))

    def last_words(self, action: Callable[[Writer], None]) -> None:
        """Do something with the writer as `call` does, as far as there is room.

        After a failure, which `failed` tells, this is stored in the disk's reserve or
        is lost.

        Raises:
            BenchError: It could not be stored for another reason.
        """
        try:
            self.call(action)
        except BenchError:
            if self.failed is None:
                raise

    def close(self) -> None:
        """Stop the sources, store what is left and finish the file.

        May be called twice. It does not raise: `failed` says what went wrong.
        """
        self._end(abandon=False)

    def abandon(self) -> None:
        """Stop, and leave the file as a crash would: it can be continued again."""
        self._end(abandon=True)

    def _end(self, *, abandon: bool) -> None:
        for thread in self._sources.values():
            thread.ask_to_stop()
        for thread in self._sources.values():
            thread.join(_STOP_S)
        with self._closing:
            self._closed = True
        self._writer.end(abandon=abandon)
