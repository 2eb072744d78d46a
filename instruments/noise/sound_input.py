"""Sound from an input, block by block; PortAudio's own thread never waits for us."""

import queue
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from instruments.errors import SourceError
from instruments.noise.sound_devices import AudioApi, count_streams
from instruments.reading import Status
from instruments.timebase import monotonic_ns

if TYPE_CHECKING:
    from instruments.noise.weighting import Floats

BLOCKS_A_SECOND = 20  # so that a second is complete at most 50 ms after it is over
_LONGEST_BACKLOG_S = 30  # what a busy machine may be late by before sound is lost
_PATIENCE_S = 3.0


@dataclass(frozen=True, slots=True)
class Block:
    """Some sound.

    Attributes:
        end_ns: Monotonic time when it was complete.
        samples: 1.0 is full scale.
        is_after_gap: Whether sound before it was lost.
    """

    end_ns: int
    samples: "Floats"
    is_after_gap: bool


class SoundInput:
    """An opened input; PortAudio's thread puts blocks in, the owner takes them out.

    Args:
        api: PortAudio.
        device: Number of the input.
        where: The source and its input, for errors.
        rate: Sampling rate in Hz.
        channel: Which channel, from 1.
        clock: Gives monotonic nanoseconds.

    Raises:
        SourceError: It does not open with this rate and channel.
    """

    def __init__(
        self,
        api: AudioApi,
        device: int,
        where: str,
        *,
        rate: int,
        channel: int,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self._where = where
        self._clock = clock
        self._column = channel - 1
        longest = _LONGEST_BACKLOG_S * BLOCKS_A_SECOND
        self._blocks: queue.Queue[Block] = queue.Queue(longest)
        self._has_lost = False
        self._is_open = True
        count_streams(1)
        try:
            self._stream = api.InputStream(
                device=device,
                samplerate=rate,
                channels=channel,
                dtype="float32",
                blocksize=rate // BLOCKS_A_SECOND,
                callback=self._take,
            )
        except Exception as error:  # PortAudioError cannot be imported without it
            self._is_open = False
            count_streams(-1)
            raise self._not_opened(error) from error
        try:
            self._stream.start()
        except Exception as error:
            self.close()
            raise self._not_opened(error) from error

    @property
    def backlog_s(self) -> float:
        """Seconds of sound that wait to be taken."""
        return self._blocks.qsize() / BLOCKS_A_SECOND

    def take(self, timeout_s: float) -> Block:
        """Take the next block, or wait for it.

        Raises:
            SourceError: None came in time.
        """
        try:
            return self._blocks.get(timeout=max(0.0, timeout_s))
        except queue.Empty as error:
            if not self._stream.active:
                raise SourceError(
                    "the sound input has stopped",
                    where=self._where,
                    way_out="Was the microphone unplugged?",
                    status=Status.ABSENT,
                ) from error
            raise SourceError(
                "no sound comes from the input",
                where=self._where,
                way_out="Was the microphone unplugged, or the input suspended?",
                status=Status.TIMEOUT,
            ) from error

    def error(self, what: str, way_out: str) -> SourceError:
        """Make an error of this input."""
        return SourceError(what, where=self._where, way_out=way_out)

    def close(self) -> None:
        """Let go of the input; may be called twice."""
        if self._is_open:
            self._is_open = False
            with suppress(Exception):  # of a device that is gone; there is no more
                self._stream.close()
            count_streams(-1)

    def _not_opened(self, error: Exception) -> SourceError:
        reason = str(error).strip().rstrip(".")
        return self.error(
            f"the sound input does not open ({reason})",
            "Does another program use it? Does it have this rate and channel?",
        )

    def _take(self, data: "Floats", _frames: int, _time: object, status: Any) -> None:
        """Put a block in; called by PortAudio's thread, which must not wait."""
        if status.input_overflow:
            self._has_lost = True
        # A copy: PortAudio fills the same memory again.
        samples = np.array(data[:, self._column], dtype=np.float64)
        try:
            self._blocks.put_nowait(Block(self._clock(), samples, self._has_lost))
            self._has_lost = False
        except queue.Full:
            self._has_lost = True


def record(source: SoundInput, rate: int, seconds: float) -> "Floats":
    """Take a stretch of sound from the moment on.

    Args:
        source: The opened input; it stays open.
        rate: Its sampling rate in Hz.
        seconds: How much.

    Raises:
        SourceError: No sound comes, or some of it was lost.
    """
    blocks: list[Floats] = []
    while sum(block.size for block in blocks) < seconds * rate:
        block = source.take(_PATIENCE_S)
        if block.is_after_gap:
            raise source.error("some of the sound was lost", "Try it again.")
        blocks.append(block.samples)
    return np.concatenate(blocks)
