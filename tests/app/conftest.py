"""What tests of whole runs share, wherever they start one."""

from pathlib import Path

import pytest

from app.operations.sessions.published import published_sessions
from tests.instruments.patience import wait_longer


@pytest.fixture(scope="session")
def published(_shared_caches: None) -> list[Path]:
    """The sessions of published reports, made once and only to be read."""
    return published_sessions()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let steps of a few seconds count where a busy machine missed beats of them.

    The shares of samples below which a result does not count have tests of their own.
    A step of three seconds on a machine that stands still for two of them is an ERROR,
    as it should be, but that is not what tests of whole runs are about. Nor is that of
    three readings of power, which come late, the energy differs by more than it may.
    """
    monkeypatch.setattr("app.analysis.power.UNEQUAL", 1.0)
    for name in ("app.analysis.coverage.MEASURED", "app.analysis.coverage.JUDGED"):
        monkeypatch.setattr(name, 0.0)
    wait_longer(monkeypatch)
