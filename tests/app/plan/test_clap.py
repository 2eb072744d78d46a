"""The pattern of an alignment step: unequal, bounded, the same for the same seed."""

import pytest

from app.plan.clap import LONGEST_S, OPTIONS, SHORTEST_S, beats, duration_s
from workloads.fio.job_check import check_options
from workloads.fio_job import READS, direction


def test_bursts_and_pauses_are_unequal_and_bounded() -> None:
    pattern = beats()
    lengths = [length for beat in pattern for length in (beat.burst_s, beat.pause_s)]
    assert len(pattern) == 5
    assert len(set(lengths)) == 10
    assert all(SHORTEST_S <= length <= LONGEST_S for length in lengths)
    assert duration_s(pattern) == pytest.approx(sum(lengths))
    assert 15 <= duration_s(pattern) <= 35


def test_a_seed_gives_its_pattern_for_ever() -> None:
    assert beats(seed=1) == beats(seed=1)
    assert beats(seed=1) != beats(seed=2)
    assert beats(3) == beats(5)[:3]


def test_the_burst_only_reads() -> None:
    check_options(OPTIONS)
    assert direction(OPTIONS) in READS
