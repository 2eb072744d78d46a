"""Services of the old and of the new schema."""

from collections.abc import Iterator

import pytest

from tests.redfish_server import (
    NEW,
    OLD,
    PASSWORD,
    RedfishServer,
)


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", PASSWORD)


@pytest.fixture
def old() -> Iterator[RedfishServer]:
    server = RedfishServer(OLD)
    yield server
    server.close()


@pytest.fixture
def new() -> Iterator[RedfishServer]:
    server = RedfishServer(NEW)
    yield server
    server.close()
