"""How often the interval of repeats holds the true mean, by simulation.

Run it with `python -m tests.benchmarks.repeats_coverage`; it takes about a minute. Runs
are normal around a known mean, independent or each resembling the one before it, and
the rule of [step.repeats] decides after each whether another one comes.
"""

from collections.abc import Sequence

import numpy as np

from app.analysis.repeat import Repeats

SERIES = 4000
TRUE = 1000.0
RULES = (Repeats(), Repeats(least=8, most=30), Repeats(least=10, most=10))


def series_of(
    random: np.random.Generator, share: float, correlation: float, count: int
) -> Sequence[float]:
    """Draw runs that scatter by a share of the mean, correlated at lag 1."""
    noise = random.standard_normal(count)
    for place in range(1, count):
        fresh = np.sqrt(1 - correlation**2) * noise[place]
        noise[place] = correlation * noise[place - 1] + fresh
    return [float(value) for value in TRUE * (1 + share * noise)]


def coverage(rule: Repeats, share: float, correlation: float) -> tuple[float, ...]:
    """Simulate many series.

    Returns:
        The share of intervals that hold the true mean: of all series, and of those
        that reached what was asked for; the share that did; the mean number of runs.
    """
    random = np.random.default_rng(1)
    held, held_reached, runs = [], [], []
    for _ in range(SERIES):
        values = series_of(random, share, correlation, rule.most)
        count = rule.least
        while (decision := rule.judge(values[:count])).go_on:
            count += 1
        interval = decision.interval
        assert interval is not None
        assert interval.half is not None
        is_held = abs(interval.mean - TRUE) <= interval.half
        held.append(is_held)
        runs.append(count)
        if decision.reached:
            held_reached.append(is_held)
    of_reached = float(np.mean(held_reached)) if held_reached else float("nan")
    reached = len(held_reached) / len(held)
    return float(np.mean(held)), of_reached, reached, float(np.mean(runs))


def main() -> None:
    """Print the table."""
    print("least  most  r    CV %   held  of reached  reached  runs")
    for rule in RULES:
        for correlation in (0.0, 0.5):
            for percent in (1, 2, 3, 4):
                found = coverage(rule, percent / 100, correlation)
                held, of_reached, reached, runs = found
                print(
                    f"{rule.least:5} {rule.most:5}  {correlation:3.1f}  {percent:4}  "
                    f"{100 * held:5.1f}  {100 * of_reached:10.1f}  "
                    f"{100 * reached:7.1f}  {runs:4.1f}"
                )


if __name__ == "__main__":
    main()
