"""Histograms of a row's latency."""

from app.analysis.latency import LatencyHistogram
from instruments.metric import BOTH, READ, WRITE
from workloads.fio.output import Counters


def test_no_percentile_is_above_the_longest_io() -> None:
    reads = Counters(2, 0, 1000, 2e6, 2, {900_000: 1, 1_003_520: 1}, 1_000_100.0)
    writes = Counters(1, 0, 1000, 1e6, 1, {500_000: 1}, 500_900.0)
    found = LatencyHistogram({READ: reads, WRITE: writes}, (0, 1), 1)
    assert found.percentiles(READ, (50.0, 99.9)) == {50.0: 0.9, 99.9: 1.0001}
    assert found.percentiles(BOTH, (99.9,)) == {99.9: 1.0001}
    assert found.percentiles(WRITE, (99.9,)) == {99.9: 0.5}
