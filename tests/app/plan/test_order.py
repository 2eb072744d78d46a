"""The order of a sweep: the same seed gives the same order for ever."""

import itertools
from collections import Counter

from app.plan.order import ordered, split_mix

ITEMS = ("a", "b", "c", "d", "e", "f", "g", "h")


def test_the_generator_gives_the_published_numbers() -> None:
    # Reference values of SplitMix64 for the seed 1234567.
    first = list(itertools.islice(split_mix(1234567), 5))
    assert first == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_shuffle_never_changes() -> None:
    assert "".join(ordered(ITEMS, "shuffled", 7)) == "befcgadh"
    assert "".join(ordered(ITEMS, "shuffled", 8)) == "dfacebhg"


def test_each_pass_has_everything_once_in_another_order() -> None:
    runs = ordered(ITEMS, "shuffled", 7, passes=3)
    passes = ["".join(runs[start : start + 8]) for start in (0, 8, 16)]
    assert all(sorted(one) == list(ITEMS) for one in passes)
    assert len(set(passes)) == 3


def test_fixed_and_reversed() -> None:
    assert ordered("abc", "fixed", 1, passes=2) == list("abcabc")
    assert ordered("abc", "reversed", 1) == list("cba")


def test_every_order_is_about_as_likely() -> None:
    seen = Counter("".join(ordered("abc", "shuffled", seed)) for seed in range(6000))
    assert len(seen) == 6
    assert all(abs(count - 1000) < 150 for count in seen.values())
