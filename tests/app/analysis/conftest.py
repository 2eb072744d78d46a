"""What tests of results share."""

from pathlib import Path

import pytest

from tests.app.analysis.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path)
