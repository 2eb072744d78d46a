"""What tests of runs share."""

from pathlib import Path

import pytest

from tests.app.campaign.stand import Stand


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(tmp_path)
