"""TLS: certificates that are known, pinned, trusted at first sight, or refused."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.tools.pinning import fetch_certificate, fingerprint
from tests.instruments.thermal.redfish.service import login_at, read_once, source
from tests.redfish_server import (
    OLD,
    RedfishServer,
    make_certificate,
)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[RedfishServer]:
    make_certificate(tmp_path / "bmc.pem", days=-1)  # as on a BMC with a wrong clock
    server = RedfishServer(OLD, tmp_path / "bmc.pem")
    yield server
    server.close()


def test_a_certificate_of_its_own_is_refused_with_its_fingerprint(
    secure: RedfishServer,
) -> None:
    shows = fingerprint(fetch_certificate("127.0.0.1", secure.port, 5))
    with pytest.raises(SourceError, match="certificate is not trusted") as refused:
        source(secure.url).open()
    assert f'fingerprint = "{shows}"' in str(refused.value)
    assert not secure.asked, "not a word before it is trusted"


def test_a_certificate_of_a_known_authority_needs_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_certificate(tmp_path / "bmc.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "bmc.pem"))
    server = RedfishServer(OLD, tmp_path / "bmc.pem")
    try:
        found = read_once(source(server.url))
        by_name = server.url.replace("127.0.0.1", "localhost")
        other = source(by_name)
        monkeypatch.setenv("BAYSCOPE_ADDRESS_BMC", login_at(by_name))
        with pytest.raises(SourceError, match="not trusted"):
            other.open()
    finally:
        server.close()
    assert found["bmc.fan.fan1"] == (2100.0, Status.OK)


def test_a_pinned_certificate_is_accepted_and_no_other(secure: RedfishServer) -> None:
    shows = fingerprint(fetch_certificate("127.0.0.1", secure.port, 5))
    pairs = ":".join(shows[at : at + 2] for at in range(0, 64, 2)).upper()
    redfish = source(secure.url, fingerprint=f"SHA256:{pairs}")
    identity = redfish.open()
    redfish.close()
    assert identity.address == f"{secure.url} (certificate sha256 {shows})"
    secure.asked.clear()
    with pytest.raises(SourceError, match="another certificate than the one that"):
        source(secure.url, fingerprint="00" * 32).open()
    assert not secure.asked


def test_trusting_the_first_certificate_tells_it_and_keeps_to_it(
    secure: RedfishServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shows = fingerprint(fetch_certificate("127.0.0.1", secure.port, 5))
    redfish = source(secure.url, trust=True)
    with caplog.at_level(logging.WARNING):
        assert read_once(redfish)["bmc.fan.fan1"] == (2100.0, Status.OK)
    assert f'fingerprint = "{shows}"' in caplog.text
    make_certificate(tmp_path / "other.pem")
    other = RedfishServer(OLD, tmp_path / "other.pem")
    moved = source(other.url, trust=True)
    moved._trusted = shows
    monkeypatch.setenv("BAYSCOPE_ADDRESS_BMC", login_at(other.url))
    with pytest.raises(SourceError, match="another certificate than the one that"):
        moved.open()
    assert not other.sessions, "it got no password"
    other.close()


def test_a_certificate_that_changes_meanwhile_is_called_another_one(
    secure: RedfishServer, tmp_path: Path
) -> None:
    redfish = source(secure.url, trust=True)
    redfish.open()
    secure.close()
    redfish._link._http._transport.close()  # type: ignore[union-attr]
    make_certificate(tmp_path / "other.pem")
    other = RedfishServer(OLD, tmp_path / "other.pem", secure.port)
    try:
        with pytest.raises(SourceError, match="another certificate than") as caught:
            redfish.read()
        assert "trust = true" not in str(caught.value)
    finally:
        redfish.close()
        other.close()


def test_tls_where_there_is_none_is_a_sentence(old: RedfishServer) -> None:
    with pytest.raises(SourceError, match="does not speak TLS"):
        source(old.url.replace("http://", "https://")).open()
