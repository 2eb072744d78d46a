"""How likely a group of drives loses data: a Markov chain, and a simulation of it."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

HOURS_A_YEAR = 8760.0

_POINTS = 25
"""Points of a course."""

_MOST_STEP = 0.5
"""Of the uniformised chain; so short, few terms of the series are enough."""


@dataclass(frozen=True, slots=True)
class Group:
    """Drives that protect each other.

    Attributes:
        drives: How many there are.
        parity: How many may fail at once.
        mttf_h: Mean time to failure of a drive.
        rebuild_h: Mean time until a failed drive is replaced and rebuilt.
        unreadable: Probability that a rebuild without any redundancy left meets an
            unrecoverable error, which loses data.
    """

    drives: int
    parity: int
    mttf_h: float
    rebuild_h: float
    unreadable: float = 0.0

    def rates(self) -> list[list[float]]:
        """Get the transitions per hour between 0, 1 ... parity failed drives and loss.

        Failed drives are rebuilt beside each other, each in its own time; both times
        are exponential (Patterson, Gibson, Katz 1988 have it for one parity drive).
        """
        lost = self.parity + 1
        rates = [[0.0] * (lost + 1) for _ in range(lost + 1)]
        for failed in range(lost):
            rates[failed][failed + 1] += (self.drives - failed) / self.mttf_h
            if failed:
                back = failed / self.rebuild_h
                bad = self.unreadable if failed == self.parity else 0.0
                rates[failed][failed - 1] += back * (1 - bad)
                rates[failed][lost] += back * bad
        return rates


def loss_probability(group: Group, hours: float) -> float:
    """Get the probability that the group has lost data by then.

    The matrix exponential is made by uniformisation over a short step and squaring:
    only sums and products of what is not negative, so that a probability of 1e-15 has
    as many right digits as one of 0.1.
    """
    rates = group.rates()
    fastest = max(map(sum, rates))
    doublings = max(0, math.ceil(math.log2(max(fastest * hours / _MOST_STEP, 1e-300))))
    total = _after(rates, fastest, fastest * hours / 2**doublings)
    for _ in range(doublings):
        total = _product(total, total)
        # What rounding takes from a row it must not take from it 2^40 times.
        total = [[one / sum(line) for one in line] for line in total]
    return min(1.0, total[0][-1])


_Matrix = list[list[float]]


def _after(rates: _Matrix, fastest: float, step: float) -> _Matrix:
    """Get the probabilities of going from state to state within a short step.

    Args:
        rates: Of each state to every other one.
        fastest: The highest rate at which a state is left.
        step: How many jumps of this rate are expected in it.
    """
    size = len(rates)
    jump = [[rate / fastest for rate in line] for line in rates]
    for own, line in enumerate(rates):
        jump[own][own] += 1 - sum(line) / fastest
    term = [[float(i == j) for j in range(size)] for i in range(size)]
    total = [[0.0] * size for _ in range(size)]
    weight, number = math.exp(-step), 0
    while weight > 1e-40 and number < 60:
        total = [
            [total[i][j] + weight * term[i][j] for j in range(size)]
            for i in range(size)
        ]
        term = _product(term, jump)
        number += 1
        weight *= step / number
    return total


def _product(one: _Matrix, other: _Matrix) -> _Matrix:
    columns = list(zip(*other, strict=True))
    return [
        [sum(a * b for a, b in zip(line, column, strict=True)) for column in columns]
        for line in one
    ]


def any_of(probability: float, count: int) -> float:
    """Get the probability that any of some equal, independent groups has lost data."""
    if probability >= 1.0:
        return 1.0
    return -math.expm1(count * math.log1p(-probability))


def at_least(expected: float, count: int) -> float:
    """Get the probability of this many failures or more (Poisson, drives replaced)."""
    if count <= 0:
        return 1.0
    if expected < count:  # the tail itself: 1 - rest would lose its digits
        term = (
            math.exp(-expected + count * math.log(expected) - math.lgamma(count + 1))
            if expected > 0
            else 0.0
        )
        tail, k = 0.0, count
        while term > tail * 1e-17 and term > 0:
            tail += term
            k += 1
            term *= expected / k
        return min(1.0, tail)
    logs = (
        -expected + k * math.log(expected) - math.lgamma(k + 1) for k in range(count)
    )
    return max(0.0, 1.0 - math.fsum(map(math.exp, logs)))


def simulated_losses(
    group: Group, groups: int, hours: float, trials: int, seed: int = 1
) -> int:
    """Count the missions that lose data, drive by drive, and not by the chain.

    Args:
        group: The drives.
        groups: How many such groups there are.
        hours: Of a mission.
        trials: How many missions.
        seed: Of the random numbers.
    """
    draw = random.Random(seed)
    return sum(
        any(_loses(group, hours, draw) for _ in range(groups)) for _ in range(trials)
    )


def _loses(group: Group, hours: float, draw: random.Random) -> bool:
    """Live through one mission: when does each drive fail, when is it back."""
    fails: list[float] = [
        draw.expovariate(1 / group.mttf_h) for _ in range(group.drives)
    ]
    backs: list[float] = [math.inf] * group.drives
    while True:
        failure, rebuilt = min(fails), min(backs)
        now = min(failure, rebuilt)
        if now > hours:
            return False
        failed = sum(map(math.isfinite, backs))
        if failure < rebuilt:
            if failed == group.parity:
                return True
            place = fails.index(failure)
            fails[place] = math.inf
            backs[place] = now + draw.expovariate(1 / group.rebuild_h)
        else:
            if failed == group.parity and draw.random() < group.unreadable:
                return True
            place = backs.index(rebuilt)
            backs[place] = math.inf
            fails[place] = now + draw.expovariate(1 / group.mttf_h)


def interval_of(count: int, trials: int) -> tuple[float, float]:
    """Get the 95 % interval of a share (Wilson 1927)."""
    z, share = 1.96, count / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    whole = 1 + z * z / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def course_of(
    work: Callable[[float], float], most: float
) -> Sequence[tuple[float, float]]:
    """Get points of a course from a small part of `most` up to it."""
    return [(x := most * n / _POINTS, work(x)) for n in range(1, _POINTS + 1)]
