"""The order of runs: as written, reversed, or shuffled the same way for ever."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from app.plan.toml_table import TomlTable

ORDERS = ("fixed", "reversed", "shuffled")

_MASK = 2**64 - 1

T = TypeVar("T")


def ordered(items: Sequence[T], order: str, seed: int, passes: int = 1) -> list[T]:
    """Put items into the order of a sweep.

    Args:
        items: In the order they were written.
        order: One of ORDERS.
        seed: Of the shuffle; the same seed gives the same order on every machine,
            with every version of Python.
        passes: How often all of them come; each pass of a shuffle is shuffled again,
            so that a drift of the bench does not meet the same item every time.
    """
    if order == "reversed":
        return list(reversed(items)) * passes
    if order != "shuffled":
        return list(items) * passes
    numbers = split_mix(seed)
    in_order: list[T] = []
    for _ in range(passes):
        in_order += _shuffled(items, numbers)
    return in_order


def parse_order(table: TomlTable) -> tuple[str, int]:
    """Read `order`, and the seed of a shuffle, from a table that may name them."""
    order = table.choice("order", ORDERS, "fixed")
    return order, table.integer("seed", 1, high=2**63 - 1)


def order_values(order: str, seed: int) -> dict[str, object]:
    """Get what stands in a table for an order; nothing for that as written."""
    if order == "fixed":
        return {}
    return {"order": order, "seed": seed} if order == "shuffled" else {"order": order}


def split_mix(seed: int) -> Iterator[int]:
    """Make 64-bit numbers from a seed: the generator SplitMix64.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
    2014, with the constants of Vigna's public-domain version. Python promises only
    `random.random` to stay as it is, and not `shuffle`; hence this one.
    """
    state = seed & _MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)


def _shuffled(items: Sequence[T], numbers: Iterator[int]) -> list[T]:
    """Shuffle after Fisher and Yates, from the end: Knuth, TAOCP 2, 3.4.2 P."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        other = _below(last + 1, numbers)
        found[last], found[other] = found[other], found[last]
    return found


def _below(limit: int, numbers: Iterator[int]) -> int:
    """Take a number from 0 to limit - 1, each equally likely."""
    # The remainder of all 2^64 numbers alone would come to small ones more often.
    fair = (_MASK + 1) - (_MASK + 1) % limit
    return next(number for number in numbers if number < fair) % limit
