"""Fixtures of the store's tests."""

from collections.abc import Iterator

import pytest

from tests.app.record.store.killing import Killer


@pytest.fixture(scope="package")
def killer() -> Iterator[Killer]:
    """Something that kills recordings."""
    killer = Killer()
    yield killer
    killer.close()
