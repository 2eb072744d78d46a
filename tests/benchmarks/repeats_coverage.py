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
RULES = (Repeats(), Repeats(least=3), Repeats(least=8, most=30))


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
        The share of intervals that hold the true mean: of all series, of those that
        reached what was asked for, and of those found to be correlated; the share
        that reached it, and the share found to be correlated; the mean number of runs.
    """
    random = np.random.default_rng(1)
    held, reached, correlated, runs = [], [], [], []
    for _ in range(SERIES):
        values = series_of(random, share, correlation, rule.most)
        count = rule.least
        while (decision := rule.judge(values[:count])).go_on:
            count += 1
        interval = decision.interval
        assert interval is not None
        assert interval.half is not None
        held.append(abs(interval.mean - TRUE) <= interval.half)
        reached.append(decision.reached)
        correlated.append(interval.lag1 > 0)
        runs.append(count)
    all_held = np.array(held)
    parts = np.ones_like(all_held), np.array(reached), np.array(correlated)
    shares = [all_held[one].mean() if one.any() else np.nan for one in parts]
    shares += [one.mean() for one in parts[1:]]
    return tuple(map(float, (*shares, np.mean(runs))))


def main() -> None:
    """Print the table."""
    heads = "held  of reached  of correlated  reached  correlated  runs"
    print(f"least  most  r    CV %   {heads}")
    for rule in RULES:
        for correlation in (0.0, 0.5):
            for percent in (1, 2, 3, 4):
                found = coverage(rule, percent / 100, correlation)
                held, of_reached, of_correlated, reached, correlated, runs = found
                print(
                    f"{rule.least:5} {rule.most:5}  {correlation:3.1f}  {percent:4}  "
                    f"{100 * held:5.1f}  {100 * of_reached:10.1f}  "
                    f"{100 * of_correlated:13.1f}  {100 * reached:7.1f}  "
                    f"{100 * correlated:10.1f}  {runs:4.1f}"
                )


if __name__ == "__main__":
    main()
