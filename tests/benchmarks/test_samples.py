"""The measures of samples run; here on a few minutes."""

from pathlib import Path

import pytest

from tests.benchmarks import samples
from tests.benchmarks.__main__ import LONG, MEASURES


@pytest.mark.slow
def test_every_writer_has_its_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "SECONDS", 60)
    figures = samples.samples(tmp_path)
    assert [figure.what for figure in figures] == [
        "samples, csv",
        "csv, memory",
        "csv by pyarrow",
        "csv by pandas",
        "samples, parquet",
        "parquet, memory",
        "parquet by pyarrow",
        "parquet by pandas",
    ]
    assert all(float(figure.value) >= 0 for figure in figures)
    assert MEASURES["samples"] == "samples.samples"
    assert "samples" in LONG
