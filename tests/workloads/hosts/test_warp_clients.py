"""WARP's clients on load hosts: real SSH servers, stand-ins for WARP on both sides."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput
from tests.s3_server import s3_server
from tests.workloads.engine_bench import use_standin
from tests.workloads.hosts.rack import Rack, rack
from workloads.base import LoadOutcome
from workloads.hosts.warp_clients import WarpOnHosts
from workloads.warp.job import WarpJob

# Stands in for WARP on a host: tells its version, or listens until it is ended.
CLIENT = """
[ "$1" = --version ] && {{ echo "{version}"; exit 0; }}
exec python3 -c 'import socket, sys
host, _, port = sys.argv[1].partition(":")
socket.create_server((host, int(port))).accept()
{after}' "$2"
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rack]:
    use_standin(monkeypatch, tmp_path, "warp")
    monkeypatch.setenv("WARP_ACCESS_KEY", "tester")
    monkeypatch.setenv("WARP_SECRET_KEY", "not-to-be-found")
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def load(found: Rack, server: str) -> WarpOnHosts:
    options = {"host": server, "bucket": "warp-bench", "erase": "warp-bench"}
    places = [found.place("load1"), found.place("load2")]
    return WarpOnHosts(WarpJob("one", 1, 0, options), places)


def test_clients_are_started_there_and_reached_by_tunnels(two: Rack) -> None:
    for server in two.servers.values():
        server.tool("warp", CLIENT.format(version="warp 1", after="input()"))
    with s3_server() as address:
        result = two.run(load(two, address))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    told = json.loads(result.artefacts[-1].content)
    assert sorted(told) == ["load1", "load2"]
    assert told["load2"]["clock"] == "realtime"
    output = next(a for a in result.artefacts if a.name == "warp-output.txt")
    assert b"not-to-be-found" not in output.content


def test_a_client_that_ended_is_told(two: Rack) -> None:
    two.servers["load1"].tool("warp", CLIENT.format(version="1", after="input()"))
    two.servers["load2"].tool("warp", 'echo "cannot listen" >&2; exit 1')
    with s3_server() as address:
        result = two.run(load(two, address))
    assert result.outcome is LoadOutcome.FAILED
    assert "load2 was lost: its warp client has ended (code 1)" in result.reason


def test_another_version_is_said_before_the_start(
    two: Rack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own-warp"
    own.write_text("#!/bin/sh\necho warp 2\n")
    own.chmod(0o755)
    monkeypatch.setenv("BAYSCOPE_WARP", str(own))
    two.servers["load1"].tool("warp", CLIENT.format(version="warp 1", after=""))
    with pytest.raises(BadInput, match='WARP is "warp 1" there and "warp 2" here'):
        two.run(load(two, "127.0.0.1:1"))
