"""The samples of a WAV file, as numbers of full scale."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import wavfile  # type: ignore[import-untyped]  # scipy has no types

from instruments.errors import SourceError
from instruments.files.foreign_text import why_no_file
from instruments.noise.weighting import Floats

_BLOCK = 2**20  # samples at a time, so that hours of sound need not be in memory


class Recording:
    """One channel of a WAV file; the file is mapped where its format allows it.

    Args:
        file: PCM of 8, 16, 24 or 32 bits, or floats.
        channel: Which channel, from 1.
        where: The source and the file, for errors.

    Attributes:
        rate: Sampling rate in Hz.

    Raises:
        SourceError: It cannot be read, is not a WAV file, or has no such channel.
    """

    def __init__(self, file: Path, channel: int, where: str) -> None:
        self.rate, samples = _read(file, where)
        if not len(samples):
            raise SourceError(
                "there is no sound in the file",
                where=where,
                way_out="Was the recording interrupted? Choose another file.",
            )
        columns = samples.reshape(len(samples), -1)
        count = columns.shape[1]
        if channel > count:
            raise SourceError(
                f"the file has no channel {channel}",
                where=where,
                way_out=f"It has {count}.",
            )
        self._samples = columns[:, channel - 1]

    def __len__(self) -> int:
        return len(self._samples)

    def part(self, first: int, count: int) -> Floats:
        """Get samples, 1.0 is full scale; fewer at the end, none before the start.

        Args:
            first: Number of the first sample; may be negative.
            count: How many.
        """
        begin = max(0, first)
        part = self._samples[begin : max(begin, first + count)]
        if part.dtype.kind == "f":
            return np.asarray(part, dtype=np.float64)
        if part.dtype == np.uint8:  # WAV has 8 bits without a sign, all others with one
            return (part.astype(np.float64) - 128) / 128
        # 24 bits come as the upper ones of 32.
        return part.astype(np.float64) / 2.0 ** (8 * part.dtype.itemsize - 1)

    def first_at(self, level: float, first: int = 0) -> int | None:
        """Find the first sample that is as loud as this, or louder.

        Args:
            level: Of full scale, 1.0 at most.
            first: Number of the sample from which on it is looked for.

        Returns:
            Its number; None where there is none.
        """
        for begin in range(max(0, first), len(self), _BLOCK):
            loud = np.flatnonzero(np.abs(self.part(begin, _BLOCK)) >= level)
            if loud.size:
                return begin + int(loud[0])
        return None


def _read(file: Path, where: str) -> tuple[int, NDArray[Any]]:
    try:
        if file.exists() and not file.is_file():  # a pipe would be waited for
            raise OSError
        with warnings.catch_warnings():
            # Chunks with notes of the recorder are of no interest.
            warnings.simplefilter("ignore", wavfile.WavFileWarning)
            try:
                rate, samples = wavfile.read(file, mmap=True)
            except ValueError:  # 24 bits cannot be mapped
                rate, samples = wavfile.read(file)
    except OSError as error:
        raise SourceError(
            f"the file cannot be read ({why_no_file(file, error)})",
            where=where,
            way_out="Check its name and whether you may read it.",
        ) from error
    except Exception as error:  # a broken head ends in many kinds of errors
        raise SourceError(
            "this is not a WAV file",
            where=where,
            way_out="Expected PCM of 8 to 32 bits, or floats.",
        ) from error
    return int(rate), samples
