"""Looking for devices: every driver is asked, and none spoils it for the others."""

import threading

import pytest

from app.operations.bench import discover as module
from app.operations.bench.discover import (
    Discovery,
    discover,
    discoveries_as_json,
    discoveries_text,
)
from instruments.driver import Driver, Found
from instruments.errors import BenchError
from instruments.power.hmc8015.driver import DRIVER
from instruments.tools.hosts import Host, LocalHost


def _two(_: Host) -> list[Found]:
    return [
        Found("HMC8015 101", {"resource": "TCPIP::192.0.2.5::5025::SOCKET"}),
        Found("HMC8015 102", {"resource": "ASRL/dev/ttyACM0::INSTR", "element": 2}),
    ]


def _refuse(host: Host) -> list[Found]:
    raise BenchError(
        "the tool is missing", where=host.name or "here", way_out="Add it."
    )


METER = Driver("power", "meter", "Meter", DRIVER.options, DRIVER.build, _two)
SHELF = Driver("thermal", "shelf", "Shelf", (), DRIVER.build, _refuse)
EMPTY = Driver("noise", "none", "None", (), DRIVER.build)


@pytest.fixture(autouse=True)
def _offered(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {(d.section, d.name): d for d in (METER, SHELF, EMPTY)}
    monkeypatch.setattr(module, "drivers", lambda: known)


def test_what_is_found_can_be_put_into_a_bench() -> None:
    heard: list[Discovery] = []
    found = discover(LocalHost(), progress=heard.append)
    assert [one.driver.name for one in found] == ["meter", "shelf", "none"]
    assert {one.driver.name for one in heard} == {"meter", "shelf", "none"}
    text = discoveries_text(found)
    assert '[[power]]  # HMC8015 102\ndriver = "meter"\nresource = "ASRL' in text
    assert "element = 2\n" in text
    assert "# shelf: here: the tool is missing. Add it." in text
    plain = discoveries_as_json(found)
    assert plain[1]["error"] == "here: the tool is missing. Add it."
    assert plain[2]["found"] == []


def test_sections_can_be_chosen_and_the_rest_left_out() -> None:
    found = discover(sections=("noise",))
    assert discoveries_text(found) == "Nothing was found that could be a source.\n"
    cancelled = threading.Event()
    cancelled.set()
    assert not any(one.found or one.error for one in discover(cancel=cancelled))
