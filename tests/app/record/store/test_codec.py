"""Columns survive every codec bit by bit."""

import tracemalloc
import zlib

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
    assert (
        decode_floats(blob, codec, len(FLOATS[name])).tobytes()
        == FLOATS[name].tobytes()
    )


@pytest.mark.parametrize("codec", Codec)
def test_integers_come_back(codec: Codec) -> None:
    times = 2**60 + np.cumsum(np.random.default_rng(2).integers(0, 10**9, 999))
    assert (decode_ints(encode(times, codec), codec, 999) == times).all()


@pytest.mark.parametrize("codec", [Codec.ZLIB, Codec.PCO])
def test_a_damaged_blob_is_a_value_error(codec: Codec) -> None:
    blob = bytearray(encode(FLOATS["readings"], codec))
    with pytest.raises(ValueError, match=r"decoded|cut short"):
        decode_floats(bytes(blob[: len(blob) // 2]), codec, 5000)


@pytest.mark.parametrize("codec", [Codec.ZLIB, Codec.PCO])
def test_what_a_library_says_of_it_is_not_passed_on(codec: Codec) -> None:
    with pytest.raises(ValueError, match="a segment cannot be") as damaged:
        decode_floats(b"\xff" * 40, codec, 5000)
    assert "pco" not in str(damaged.value)
    assert "Error" not in str(damaged.value)


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("count", [-1, 0, 4999, 5001, 2**40])
def test_another_number_than_was_said_is_refused(codec: Codec, count: int) -> None:
    blob = encode(FLOATS["readings"], codec)
    with pytest.raises(ValueError, match="segment"):
        decode_floats(blob, codec, count)


@pytest.mark.parametrize("codec", [Codec.ZLIB, Codec.PCO])
def test_a_small_blob_of_half_a_gigabyte_takes_no_memory(codec: Codec) -> None:
    zeros = np.zeros(2**16)
    if codec is Codec.PCO:
        bomb = encode(np.zeros(2**24), codec)
    else:
        packer = zlib.compressobj()
        pieces = [packer.compress(zeros.tobytes()) for _ in range(2**8)]
        bomb = b"".join((*pieces, packer.flush()))
    assert len(bomb) < 2**18
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="segment"):
            decode_floats(bomb, codec, 1000)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_an_unknown_codec_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown codec 9"):
        decode_floats(b"", 9, 0)


def test_numbers_of_another_type_are_refused() -> None:
    blob = encode(np.arange(5), Codec.PCO)
    with pytest.raises(ValueError, match="does not match"):
        decode_floats(blob, Codec.PCO, 5)


def test_raw_is_big_endian_for_the_sqlite_shell() -> None:
    assert encode(np.array([1.0]), Codec.RAW) == bytes.fromhex("3ff0000000000000")
