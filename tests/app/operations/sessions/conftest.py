"""A run of every kind of row that is computed again, recorded once."""

import shutil
from pathlib import Path

import pytest

from app.operations.run.run import run_campaign
from tests.app.operations.benches import CAMPAIGN, bench, campaign

STEADY = """
[[step]]
label = "Until steady"
engine = "fio"
runtime = "30s"
steady = {method = "sss-pts", round = "1s", quantities = ["iops"]}
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 120
[[step]]
label = "Without its end"
engine = "fio"
runtime = "2s"
rampdown = "500ms"
[step.fio]
rw = "randrw"
bs = "4k"
rate_iops = 120
"""


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all tests share: read only."""
    folder = tmp_path_factory.mktemp("recorded")
    return run_campaign(campaign(CAMPAIGN + STEADY), bench(folder), folder).session


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copyfile(recorded, tmp_path / "copy.bayscope"))
