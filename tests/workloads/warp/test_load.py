"""WARP as a workload: a stand-in for the program, a real S3 server for its bucket."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from tests.s3_server import ask, s3_server
from tests.workloads.engine_bench import EngineBench, use_standin
from workloads.base import LoadOutcome
from workloads.warp.bucket import keys
from workloads.warp.job import WarpJob
from workloads.warp.load import Warp, program
from workloads.warp.s3 import sign

SECRET = "not-to-be-found"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineBench:
    use_standin(monkeypatch, tmp_path, "warp")
    monkeypatch.setenv("WARP_ACCESS_KEY", "tester")
    monkeypatch.setenv("WARP_SECRET_KEY", SECRET)
    return EngineBench(tmp_path)


def job(server: str, runtime: float = 2, ramp: float = 0, **own: str) -> WarpJob:
    named = {key.replace("_", "-"): value for key, value in own.items()}
    options = {"host": server, "bucket": "warp-bench", "erase": "warp-bench", **named}
    return WarpJob("one", runtime, ramp, options)


def test_a_benchmark_is_live_and_gives_its_aggregated_result(
    bench: EngineBench, server: str
) -> None:
    result = bench.run(Warp(job(server)))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.window is not None
    assert result.window[1] - result.window[0] == pytest.approx(2e9, rel=0.1)
    values = result.values
    assert values["read_iops"].value == pytest.approx(200, rel=0.05)
    assert values["write_mb_s"].value == pytest.approx(100 * 2**20 / 1e6, rel=0.05)
    assert values["iops"].value == pytest.approx(380, rel=0.05)
    assert values["read_latency_ms"].value == 20
    assert bench.readings
    quantities = [c.quantity for c in bench.readings[0].channels]
    last = dict(zip(quantities, bench.readings[-1].values, strict=True))
    assert last["read_iops"] == pytest.approx(200, rel=0.6)
    for kept in result.artefacts:
        assert SECRET.encode() not in kept.content
    assert not any(SECRET in text for _, text in bench.said)


def test_every_request_gives_percentiles_and_a_ramp(
    bench: EngineBench, server: str
) -> None:
    result = bench.run(Warp(job(server, runtime=1, ramp=1, full="1")))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.window is not None
    assert result.window[1] - result.window[0] == pytest.approx(1e9, rel=0.2)
    assert result.values["read_iops"].value == pytest.approx(200, rel=0.15)
    assert result.values["read_p99_ms"].value == pytest.approx(109, abs=2)
    told = [result.values[f"latency_{one}_ms"].value for one in ("p50", "p99", "max")]
    assert told == sorted(told)


def test_a_stop_is_partial_and_the_bucket_is_emptied(
    bench: EngineBench, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_S3", "1")
    result = bench.run(Warp(job(server, runtime=600)), stop_after=2)
    assert result.outcome is LoadOutcome.STOPPED
    assert "after" in result.reason
    assert bench.heard("1 object that WARP left")
    listing = ask("GET", f"http://{server}/warp-bench?list-type=2")
    assert "left behind" not in listing


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("errors", "3 requests failed: Internal Error: disk full"),
        ("cut", "result.json.zst is incomplete: it is cut off"),
        ("no-file", "there is no result file"),
        ("not-final", "not the final ones"),
        ("no-server", "warp failed (exit code 1): <ERROR> Unable to prepare"),
        (
            "dies",
            "it did not say why; its last line is",
        ),
    ],
)
def test_a_benchmark_that_is_not_whole_is_not_done(
    bench: EngineBench,
    server: str,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    expected: str,
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", fault)
    result = bench.run(Warp(job(server, runtime=1)))
    assert result.outcome is LoadOutcome.FAILED
    assert expected in result.reason


def test_one_that_dies_leaves_an_empty_bucket_for_the_next_step(
    bench: EngineBench, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_S3", "1")
    monkeypatch.setenv("STANDIN_FAULT", "dies")
    for _ in range(2):
        result = bench.run(Warp(job(server, runtime=1, bucket="dying", erase="dying")))
        assert result.outcome is LoadOutcome.FAILED
        assert bench.heard("1 object that WARP left in bucket dying")
    assert "left behind" not in ask("GET", f"http://{server}/dying?list-type=2")


def test_one_that_dies_does_not_cost_what_was_there_before(
    bench: EngineBench, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, content in (("old", b""), ("old/data", b"x")):
        ask("PUT", f"http://{server}/{path}", content)
    monkeypatch.setenv("STANDIN_FAULT", "dies")
    own = job(server, runtime=1, bucket="old", erase="old")
    result = bench.run(Warp(own, erase=["old"]))
    assert result.outcome is LoadOutcome.FAILED
    assert "data" in ask("GET", f"http://{server}/old?list-type=2")


def test_a_bucket_of_old_versions_is_called_so(bench: EngineBench, server: str) -> None:
    base = f"http://{server}/versioned"
    ask("PUT", base)
    versioning = (
        "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    )
    ask("PUT", f"{base}?versioning", versioning)
    ask("PUT", f"{base}/data", b"x")
    path = "/versioned/data"
    signed = sign(
        "DELETE",
        server,
        path,
        {},
        body=b"",
        keys=keys(job(server)),
        region="us-east-1",
        now=datetime.now(UTC),
    )
    ask("DELETE", f"{base}/data", headers=signed)
    own = job(server, runtime=1, bucket="versioned", erase="versioned")
    with pytest.raises(BadInput, match="it holds old versions of deleted objects"):
        bench.run(Warp(own))


def test_a_lost_load_host_is_not_overlooked(
    bench: EngineBench, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", "lost-client")
    result = bench.run(Warp(job(server, runtime=1, warp_client="a:1,b:1")))
    assert result.outcome is LoadOutcome.FAILED
    assert "only 1 of 2 load hosts" in result.reason


def test_somebodys_bucket_is_refused_until_it_is_named_for_this_run(
    bench: EngineBench, server: str
) -> None:
    for path, content in (("precious", b""), ("precious/data", b"x")):
        ask("PUT", f"http://{server}/{path}", content)
    own = job(server, runtime=1, bucket="precious", erase="precious")
    with pytest.raises(BadInput, match="--erase-bucket precious"):
        bench.run(Warp(own))
    assert "data" in ask("GET", f"http://{server}/precious?list-type=2")
    with pytest.raises(BadInput):
        bench.run(Warp(own, erase=["other"]))
    result = bench.run(Warp(own, erase=["precious"]))
    assert result.outcome is LoadOutcome.DONE
    assert bench.heard("all of them are deleted, as confirmed")


def test_keys_are_for_the_servers_that_they_were_first_used_with(
    bench: EngineBench, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan that came by mail names another server: nothing is asked of it."""
    assert keys(job(server)).access == "tester"
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        elsewhere = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(BenchError, match="not used with"):
            bench.run(Warp(job(elsewhere)))
        with pytest.raises(BlockingIOError):
            other.accept()
        monkeypatch.setenv("BAYSCOPE_ADDRESS_WARP_TESTER", f"http://{elsewhere}")
        assert keys(job(elsewhere)).access == "tester"


def test_without_keys_or_program_it_says_what_to_do(
    bench: EngineBench, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WARP_SECRET_KEY")
    with pytest.raises(BenchError, match="Set WARP_ACCESS_KEY and WARP_SECRET_KEY"):
        bench.run(Warp(job(server)))
    monkeypatch.delenv("BAYSCOPE_WARP")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BenchError, match=r"github\.com/minio/warp"):
        program()


def test_the_command_line_has_no_key() -> None:
    own = job("10.0.0.1:9000", runtime=60, tls="1", objects="50", operation="get")
    argv = own.argv("warp", "127.0.0.1:7763", "/x/result")
    assert argv[:4] == [
        "warp",
        "get",
        "--host=10.0.0.1:9000",
        "--bucket=warp-bench",
    ]
    assert {"--obj.size=1MiB", "--duration=60s", "--tls", "--objects=50"} <= set(argv)
    assert not any("key" in word for word in argv)
