"""Switching as a user does it: asked, done, read back and written down."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from app.bench.model import Bench
from app.operations.bench.switching import act, acted_as_json, journal_file
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.errors import Aborted, BadInput, BenchError, MaybeDone, SourceError
from tests.app.operations.switch_bench import serve, switch_bench
from tests.app.record.recording import INFO
from tests.redfish_server import RedfishServer, send


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedfishServer]:
    yield from serve(monkeypatch)


@pytest.fixture
def bench(service: RedfishServer) -> Bench:
    return switch_bench(service)


def journal() -> list[dict[str, object]]:
    return [json.loads(line) for line in journal_file().read_text().splitlines()]


def test_an_action_is_done_and_written_down(
    bench: Bench, service: RedfishServer
) -> None:
    asked: list[str] = []

    def confirm(question: str) -> bool:
        asked.append(question)
        return True

    record = act(bench, "server", "off", confirm=confirm)
    assert len(asked) == 1
    assert asked[0].startswith('Do "off" on server? The machine behind ')
    assert service.tree["/Systems/1"]["PowerState"] == "Off"
    assert record.answer == "the system is off"
    assert journal() == [acted_as_json(record)]
    assert not service.sessions


def test_what_is_not_confirmed_is_not_done(
    bench: Bench, service: RedfishServer
) -> None:
    with pytest.raises(Aborted):
        act(bench, "server", "off", confirm=lambda _: False)
    assert not service.asked
    assert journal()[0]["done"] is False


def test_a_light_needs_no_confirmation(bench: Bench) -> None:
    record = act(bench, "server", "identify", confirm=lambda _: False)
    assert record.answer == "the identify light is on"


def test_what_is_not_allowed_is_refused_and_written_down(
    bench: Bench, service: RedfishServer
) -> None:
    with pytest.raises(BadInput, match='Add "on" to allow'):
        act(bench, "server", "on", confirm=lambda _: True)
    assert not service.asked
    assert "does not allow" in str(journal()[0]["answer"])


def test_a_failure_is_written_down(bench: Bench, service: RedfishServer) -> None:
    service.stuck = True
    with pytest.raises(SourceError, match="still on and not off"):
        act(bench, "server", "off", confirm=lambda _: True)
    assert "still on and not off" in str(journal()[0]["answer"])


def _hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    handler.close_connection = True


def test_an_order_without_an_answer_may_have_been_done(
    bench: Bench, service: RedfishServer
) -> None:
    service.faults["/Systems/1/Actions/ComputerSystem.Reset"] = _hang_up
    with pytest.raises(MaybeDone, match="sent, and it may have been done: the conn"):
        act(bench, "server", "off", confirm=lambda _: True)
    assert journal()[0]["done"] is None
    assert str(journal()[0]["answer"]).startswith("may have been done: server ")


def test_a_state_that_cannot_be_read_back_leaves_it_open(
    bench: Bench, service: RedfishServer
) -> None:
    def order(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        service.faults["/Systems/1"] = _hang_up
        send(handler, 200, b"no document")

    service.faults["/Systems/1/Actions/ComputerSystem.Reset"] = order
    with pytest.raises(MaybeDone, match="it may have been done"):
        act(bench, "server", "off", confirm=lambda _: True)
    assert journal()[0]["done"] is None


def test_a_read_that_fails_before_the_order_is_a_failure(
    bench: Bench, service: RedfishServer
) -> None:
    service.faults["/Systems/1"] = _hang_up
    with pytest.raises(SourceError, match="broke in the middle") as caught:
        act(bench, "server", "off", confirm=lambda _: True)
    assert not isinstance(caught.value, MaybeDone)
    assert journal()[0]["done"] is False


def test_nothing_is_done_that_cannot_be_written_down(
    bench: Bench, service: RedfishServer
) -> None:
    place = journal_file()
    place.parent.parent.mkdir(parents=True, exist_ok=True)
    place.parent.write_text("a file where the folder should be")
    with pytest.raises(BenchError, match="Nothing was done"):
        act(bench, "server", "off", confirm=lambda _: True)
    assert not service.asked


def test_a_recording_that_is_under_way_gets_the_record(
    bench: Bench, tmp_path: Path
) -> None:
    recorder = Recorder(tmp_path / "s.bayscope", INFO, clock=SystemClock())
    recorder.start()
    record = act(bench, "server", "identify", confirm=bool, recorder=recorder)
    recorder.close()
    with Session.open(tmp_path / "s.bayscope") as session:
        rows = [(row.action, row.detail) for row in session.journal()]
    assert ("switch", record.text) in rows
    assert not journal_file().exists()


def test_a_session_that_somebody_else_records_is_marked(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "s.bayscope"
    recorder = Recorder(path, INFO, clock=SystemClock())
    recorder.start()
    record = act(bench, "server", "identify", confirm=bool, session=path)
    recorder.close()
    with Session.open(path) as session:
        marks = [
            (annotation.kind, annotation.text) for annotation in session.annotations()
        ]
    assert marks == [("mark", record.text)]
    assert journal() == [acted_as_json(record)]
