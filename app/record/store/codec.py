"""How columns of numbers become blobs: raw, zlib or pcodec, one id a blob."""

import zlib
from enum import IntEnum

import numpy as np
import numpy.typing as npt
from pcodec import ChunkConfig, standalone

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Codec(IntEnum):
    """The codec of a blob, as stored beside it."""

    RAW = 0
    """Big-endian numbers, which the stock sqlite3 shell can decode."""
    ZLIB = 1
    """zlib of little-endian numbers, readable by any language's library."""
    PCO = 2
    """pcodec, standalone format; by far the smallest for instrument readings."""


_LEVEL = 8
"""pcodec's default; higher ones are slower and hardly smaller here."""


def encode(numbers: Floats | Ints, codec: Codec) -> bytes:
    """Write float64 or int64 numbers as a blob."""
    kind = numbers.dtype.kind
    if codec is Codec.PCO:
        column = np.ascontiguousarray(numbers)
        return bytes(
            standalone.simple_compress(column, ChunkConfig(compression_level=_LEVEL))
        )
    if codec is Codec.ZLIB:
        return zlib.compress(numbers.astype(f"<{kind}8", copy=False).tobytes(), 6)
    return numbers.astype(f">{kind}8", copy=False).tobytes()


def decode_floats(blob: bytes, codec: int) -> Floats:
    """Read a blob of float64.

    Raises:
        ValueError: The codec is unknown or the blob is damaged.
    """
    return _decode(blob, codec, "f").astype(np.float64, copy=False)


def decode_ints(blob: bytes, codec: int) -> Ints:
    """Read a blob of int64.

    Raises:
        ValueError: The codec is unknown or the blob is damaged.
    """
    return _decode(blob, codec, "i").astype(np.int64, copy=False)


def _decode(blob: bytes, codec: int, kind: str) -> npt.NDArray[np.generic]:
    try:
        if codec == Codec.PCO:
            numbers = standalone.simple_decompress(blob)
            if numbers is None:
                return np.empty(0)
            if numbers.dtype != np.dtype(f"{kind}8"):
                raise ValueError("a segment does not hold what it should")
            return np.asarray(numbers)
        if codec == Codec.ZLIB:
            return np.frombuffer(zlib.decompress(blob), f"<{kind}8")
        if codec == Codec.RAW:
            return np.frombuffer(blob, f">{kind}8")
    except (zlib.error, RuntimeError) as error:
        raise ValueError(f"a segment cannot be decoded ({error})") from error
    raise ValueError(f"a segment has the unknown codec {codec}")
