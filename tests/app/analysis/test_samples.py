"""The samples that are kept at hand, and what becomes of the many asked for."""

from pathlib import Path

import numpy as np

from app.analysis.samples import Recent, samples_of
from app.record.store import Session
from instruments.reading import SECOND
from tests.app.report.chart.test_computed import FAST, START, beat, write

SLICE = SECOND // 10


def test_windows_without_a_sample_are_let_go_of_as_well(tmp_path: Path) -> None:
    write(tmp_path, (FAST, beat(1, 10), np.ones(10))).finish()
    with Session.open(tmp_path / "s.bayscope") as session:
        kept = session.once_at_all(Recent)
        first = samples_of(session, FAST, (START, START + SECOND))
        assert samples_of(session, FAST, (START, START + SECOND)) is first
        for number in range(1_000):
            begin = START + (10 + number) * SECOND
            assert not samples_of(session, FAST, (begin, begin + SLICE)).values.size
        assert len(kept) <= 500
        # The oldest one went, and what is asked for all the time stays.
        again = samples_of(session, FAST, (START, START + SECOND))
        assert again is not first
        for number in range(1_000):
            begin = START + (2_000 + number) * SECOND
            samples_of(session, FAST, (begin, begin + SLICE))
            assert samples_of(session, FAST, (START, START + SECOND)) is again


def test_samples_of_all_offsets_are_kept_together_and_not_mixed(
    tmp_path: Path,
) -> None:
    write(tmp_path, (FAST, beat(10, 10), np.arange(100.0))).finish()
    window = START + 2 * SECOND, START + 3 * SECOND
    with Session.open(tmp_path / "s.bayscope") as session:
        kept = session.once_at_all(Recent)
        for _ in range(2):
            for seconds in range(3):
                with session.with_offsets(None, {"mains": seconds * SECOND}):
                    assert session.once_at_all(Recent) is kept
                    values = samples_of(session, FAST, window).values
                assert values[0] == 20 - 10 * seconds
        assert len(kept) == 3
        for number in range(1_000):
            with session.with_offsets(number):
                samples_of(session, FAST, window)
        assert len(kept) == 500
