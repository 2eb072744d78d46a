"""Columns survive every codec bit by bit."""

import numpy as np
import pytest

from app.record.store.codec import Codec, decode_floats, decode_ints, encode

FLOATS = {
    "empty": np.empty(0),
    "one": np.array([3.25]),
    "gaps": np.array([np.nan, 1.5, np.nan, -0.0, 1e-300, 1e300]),
    "all gaps": np.full(1000, np.nan),
    "readings": np.round(230 + np.random.default_rng(1).normal(size=5000), 2),
}


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_come_back_bit_by_bit(codec: Codec, name: str) -> None:
    blob = encode(FLOATS[name], codec)
    assert decode_floats(blob, codec).tobytes() == FLOATS[name].tobytes()


@pytest.mark.parametrize("codec", Codec)
def test_integers_come_back(codec: Codec) -> None:
    times = 2**60 + np.cumsum(np.random.default_rng(2).integers(0, 10**9, 999))
    assert (decode_ints(encode(times, codec), codec) == times).all()


@pytest.mark.parametrize("codec", [Codec.ZLIB, Codec.PCO])
def test_a_damaged_blob_is_a_value_error(codec: Codec) -> None:
    blob = bytearray(encode(FLOATS["readings"], codec))
    with pytest.raises(ValueError, match="decoded"):
        decode_floats(bytes(blob[: len(blob) // 2]), codec)


def test_an_unknown_codec_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown codec 9"):
        decode_floats(b"", 9)


def test_numbers_of_another_type_are_refused() -> None:
    blob = encode(np.arange(5), Codec.PCO)
    with pytest.raises(ValueError, match="what it should"):
        decode_floats(blob, Codec.PCO)


def test_raw_is_big_endian_for_the_sqlite_shell() -> None:
    assert encode(np.array([1.0]), Codec.RAW) == bytes.fromhex("3ff0000000000000")
