"""The measures of the import run; here on next to nothing."""

from pathlib import Path

import pytest

from tests.benchmarks import importing
from tests.benchmarks.__main__ import MEASURES


@pytest.mark.slow
def test_every_kind_has_its_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "DEVICES", 3)
    monkeypatch.setattr(importing, "DOCUMENTS", 4)
    monkeypatch.setattr(importing, "LOG_ROWS", 200)
    monkeypatch.setattr(importing, "METER_ROWS", 50)
    monkeypatch.setattr(importing, "REQUESTS", 1100)
    figures = importing.importing(tmp_path)
    assert [figure.what for figure in figures] == [
        "import, fio JSON",
        "import, fio log",
        "import, HMC8015 log",
        "import, WARP csv",
    ]
    assert all(float(figure.value) >= 0 for figure in figures)
    assert MEASURES["importing"] == "importing.importing"
