"""What all tests of operations share."""

import pytest


@pytest.fixture(autouse=True)
def _whatever_is_missed(unhurried: None) -> None:
    """Run as a busy machine lets us."""
