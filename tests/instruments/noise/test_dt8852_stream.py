import pytest

from instruments.noise.dt8852_stream import Dt8852Stream, Heard, Mode


def _hear(*parts: str) -> Heard:
    stream = Dt8852Stream()
    heard = Heard()
    for part in parts:
        heard.add(stream.feed(bytes.fromhex(part)))
    return heard


def test_a_level_is_four_decimal_digits_of_tenths() -> None:
    heard = _hear("a5 0d 06 58 a5 0b")
    assert heard.levels == [65.8]
    assert heard.garbage == 0
    assert heard.raw == bytes.fromhex("a50d0658a50b")


def test_a_level_counts_without_its_mark_and_the_bargraph_does_not() -> None:
    assert _hear("a5 0d 06 58 a5 0d 06 60 a5 1b").levels == [65.8, 66.0]
    assert _hear("a5 0d 06 58 a5 0c a5 0d 04 11 a5 0b").levels == [41.1]


def test_settings_are_told_in_their_order() -> None:
    heard = _hear("a5 1b a5 02 a5 0e a5 40 a5 07 a5 11 a5 0f a5 06 21 15 30 a5 1a")
    assert heard.modes == [
        (Mode.WEIGHTING, "A"),
        (Mode.SPEED, "fast"),
        (Mode.HOLD, "live"),
        (Mode.RANGE, "30-130"),
        (Mode.LIMIT, "over"),
        (Mode.LIMIT, "in"),
        (Mode.BATTERY, "low"),
    ]
    assert heard.garbage == 0


def test_every_way_to_cut_the_stream_gives_the_same() -> None:
    whole = "a51ca50d0477a50ba5062115300a50d"[:-1] + "0d0480a50b"
    data = bytes.fromhex(whole)
    stream = Dt8852Stream()
    wanted = stream.feed(data)
    for cut in range(len(data)):
        parts = Dt8852Stream()
        heard = parts.feed(data[:cut])
        heard.add(parts.feed(data[cut:]))
        assert heard == wanted


@pytest.mark.parametrize(
    ("sent", "levels", "garbage"),
    [
        ("ff ff a5 0d 06 58 a5 0b", [65.8], 2),
        ("a5 0d 06 a5 0d 06 58 a5 0b", [65.8], 3),
        ("a5 0d fa ce a5 0b", [], 4),
        ("a5 77 a5 0d 06 58 a5 0b", [65.8], 2),
        ("00 01 02 03", [], 4),
    ],
)
def test_bytes_without_sense_are_counted_and_passed_over(
    sent: str, levels: list[float], garbage: int
) -> None:
    heard = _hear(sent)
    assert heard.levels == levels
    assert heard.garbage == garbage


def test_a_level_that_no_meter_can_show_is_garbage() -> None:
    heard = _hear("a5 0d 85 03 a5 0b a5 0d 06 58 a5 0b")
    assert heard.levels == [65.8]
    assert heard.garbage == 4
