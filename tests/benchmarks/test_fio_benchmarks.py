"""The measures around fio run; here on next to nothing."""

from pathlib import Path

import pytest

from tests.benchmarks import fio_documents, fio_overhead
from tests.benchmarks.__main__ import MEASURES
from tests.benchmarks.command import measured


@pytest.mark.slow
def test_fio_is_compared_with_itself_and_with_bayscope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fio_overhead, "ROUNDS", 1)
    monkeypatch.setattr(fio_overhead, "RUNTIME_S", 0.6)
    monkeypatch.setattr(fio_overhead, "SIZE", 16 * 2**20)
    figures = measured(MEASURES["overhead"], tmp_path)
    names = ["null engine", "null engine, fine logs forced", "file, libaio"]
    assert [figure.what.rsplit(", ", 1)[0] for figure in figures[::4]] == names
    assert [figure.target for figure in figures[::4]] == [">= 0.99", "", ">= 0.99"]
    assert all(float(figure.value.split()[0]) > 0 for figure in figures)


@pytest.mark.slow
def test_documents_of_many_devices_have_their_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fio_documents, "DEVICES", 3)
    monkeypatch.setattr(fio_documents, "RUNTIME_S", 1.2)
    monkeypatch.setattr(fio_documents, "ROUNDS", 1)
    cost, share = measured(MEASURES["documents"], tmp_path)
    assert 0 < float(cost.value) < 100
    assert float(share.value) == pytest.approx(float(cost.value) / 5, abs=0.06)
