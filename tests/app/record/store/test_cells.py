"""Statistics in cells agree with computing each cell by itself."""

import numpy as np

from app.record.store.cells import coarsen, join, summarise

RNG = np.random.default_rng(3)
TIMES = np.sort(RNG.integers(0, 10_000, 800))
VALUES = np.where(RNG.random(800) < 0.2, np.nan, RNG.normal(size=800))


def test_cells_are_those_of_numpy() -> None:
    cells = summarise(TIMES, VALUES, 250)
    for place, start in enumerate(cells.starts):
        own = VALUES[(start <= TIMES) & (start + 250 > TIMES)]
        own = own[~np.isnan(own)]
        assert cells.counts[place] == own.size
        assert cells.low[place] == own.min()
        assert cells.high[place] == own.max()
        assert np.isclose(cells.mean[place], own.mean())
    assert cells.counts.sum() == (~np.isnan(VALUES)).sum()


def test_coarser_cells_are_those_made_of_the_samples() -> None:
    fine, direct = summarise(TIMES, VALUES, 125), summarise(TIMES, VALUES, 1000)
    coarse = coarsen(fine, 1000)
    assert (coarse.starts == direct.starts).all()
    assert (coarse.counts == direct.counts).all()
    assert (coarse.low == direct.low).all()
    assert (coarse.high == direct.high).all()
    assert np.allclose(coarse.mean, direct.mean)


def test_cells_without_a_value_are_not_filled() -> None:
    cells = summarise(np.array([5, 15, 25]), np.array([1.0, np.nan, 3.0]), 10)
    assert cells.counts.tolist() == [1, 0, 1]
    assert np.isnan(cells.low[1])
    assert cells.filled().starts.tolist() == [0, 20]


def test_many_channels_at_once_are_like_one_by_one() -> None:
    both = np.stack([VALUES, -VALUES], axis=1)
    cells = summarise(TIMES, both, 500)
    for column, values in enumerate(both.T):
        alone = summarise(TIMES, values, 500)
        assert (cells.counts[:, column] == alone.counts).all()
        assert np.array_equal(cells.low[:, column], alone.low, equal_nan=True)


def test_join_sorts_by_time_and_takes_empty_parts() -> None:
    early, late = (
        summarise(TIMES[:400], VALUES[:400], 10),
        summarise(TIMES[400:], VALUES[400:], 10),
    )
    none = summarise(TIMES[:0], VALUES[:0], 10)
    joined = coarsen(join([late, none, early]), 1000)
    assert (joined.counts == summarise(TIMES, VALUES, 1000).counts).all()
