"""Switches in a check: what is on, what may be done, and what went wrong."""

from collections.abc import Iterator

import pytest

from app.bench.model import Bench
from app.operations.bench.switch_check import (
    SwitchCheck,
    check_switches,
    switches_as_json,
    switches_text,
)
from app.operations.bench.switching import consequence
from instruments.errors import BadInput
from tests.app.operations.switch_bench import serve, switch_bench
from tests.redfish_server import RedfishServer

MORE = """
[[switch]]
name = "pdu"
driver = "snmp"
address = "127.0.0.1"
port = 9
profile = "apc-rpdu2"
allow = ["cycle"]
[[switch]]
name = "shelf"
driver = "ses"
allow = ["locate", "fan"]
"""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedfishServer]:
    yield from serve(monkeypatch)


@pytest.fixture
def bench(service: RedfishServer) -> Bench:
    return switch_bench(service, MORE)


def test_each_switch_says_what_is_on_and_what_may_be_done(
    bench: Bench, service: RedfishServer
) -> None:
    server, pdu, shelf = found = check_switches(bench)
    assert server.ok
    assert server.text == "on"
    assert server.config.allowed == ("off", "identify", "identify-off")
    assert not pdu.ok
    assert "pdu" in pdu.error
    assert not shelf.states
    text = switches_text(found)
    assert f"server (switch redfish, {service.url}): OK, on" in text
    assert "  allowed: off, identify, identify-off" in text
    assert "  not allowed: on, " in text
    assert "pdu (switch snmp, 127.0.0.1): FAILED" in text
    told = switches_as_json(found)
    assert [one["section"] for one in told] == ["switch"] * 3
    assert told[0]["states"] == {"": "on"}
    assert told[1]["ok"] is False
    assert "on" in server.config.forbidden


def test_states_are_told_shortly(bench: Bench) -> None:
    states = {str(n): "off" if n == 6 else "on" for n in range(1, 9)}
    found = SwitchCheck(bench.switches[1], states=states)
    assert found.text == "on 1-5, 7, 8; off 6"
    assert SwitchCheck(bench.switches[0], states={"": "on"}).text == "on"


def test_a_question_says_what_loses_power(bench: Bench) -> None:
    assert "everything plugged into it" in consequence(bench, "pdu", "off", "3")
    assert consequence(bench, "pdu", "off", "3").startswith("Outlet 3 of pdu")
    assert "not written is lost" in consequence(bench, "server", "off")
    assert consequence(bench, "shelf", "locate", "7") == "Nothing loses power."
    with pytest.raises(BadInput, match='no switch "lamp"'):
        consequence(bench, "lamp", "off")
