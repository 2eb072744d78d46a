"""What fio itself counted on each host, and what Bayscope must make of it.

No disk is quick or slow in these comparisons: results are held against the documents
that are kept as artefacts, and worked out another way than Bayscope does.
"""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.workloads.hosts.rack import Rack
from workloads.base import LoadResult
from workloads.hosts.grid import CELL_NS

LOG_CELL_S = 0.25
"""Short loads of few jobs have the finest logs."""

Entry = Mapping[str, Any]
"""What a document of fio says of one job."""

NEAR = 1e-9
"""Rounding of floating point, and nothing else."""


def documents(result: LoadResult, host: str) -> list[Entry]:
    """Get the entries of one fio, document by document."""
    return [
        one["jobs"][0] for one in parsed(_kept(result, f"{host}-fio-output.json.zz"))
    ]


def parsed(content: bytes) -> list[Any]:
    """Parse all documents of what fio printed, between its messages."""
    text, at, found = content.decode().replace("\r\n", "\n"), 0, []
    decoder = json.JSONDecoder()
    while (start := text.find("{\n", at)) >= 0:
        document, at = decoder.raw_decode(text, start)
        found.append(document)
    return found


def last_entries(result: LoadResult, *hosts: str) -> dict[str, Entry]:
    """Get what each of several fios said at its end."""
    return {host: documents(result, host)[-1] for host in hosts}


def client_entries(result: LoadResult, **hosts: str) -> dict[str, Entry]:
    """Get what fio's client says of each server, by its "address:port" or address."""
    return entries_of_client(_kept(result, "fio-client.json.zz"), **hosts)


def entries_of_client(printed: bytes, **hosts: str) -> dict[str, Entry]:
    """Get them from what the client printed."""
    [document] = parsed(printed)
    by_place = {}
    for entry in document["client_stats"]:
        if entry["jobname"] != "All clients":
            by_place[entry["hostname"]] = entry
            by_place[f"{entry['hostname']}:{entry['port']}"] = entry
    return {host: by_place[place] for host, place in hosts.items()}


def check_results(
    result: LoadResult, entries: Mapping[str, Entry], direction: str = "read"
) -> None:
    """Compare rates, latencies and windows with what each fio counted."""
    found = {name: one.value for name, one in result.values.items()}
    sides = {host: entry[direction] for host, entry in entries.items()}
    rates = {
        "iops": {h: s["total_ios"] * 1e3 / s["runtime"] for h, s in sides.items()},
        "bandwidth_mb_s": {
            h: s["io_bytes"] / s["runtime"] / 1e3 for h, s in sides.items()
        },
    }
    for name, parts in rates.items():
        assert min(parts.values()) > 0
        # Of uneven loads the rate over what they share may be a little different.
        assert found[name] == pytest.approx(sum(parts.values()), rel=0.1)
        for host, part in parts.items():
            assert found[f"{name}.{host}"] == pytest.approx(part, rel=NEAR)
    for host, side in sides.items():
        assert side["iops"] == pytest.approx(rates["iops"][host], rel=1e-6)
        mean_ms = side["lat_ns"]["mean"] / 1e6
        assert found[f"latency_mean_ms.{host}"] == pytest.approx(mean_ms, rel=NEAR)
        p99_ms = side["clat_ns"]["percentile"]["99.000000"] / 1e6
        assert found[f"latency_p99_ms.{host}"] == pytest.approx(p99_ms, rel=0.02)
    counted = [s["lat_ns"]["N"] for s in sides.values()]
    mean_ns = np.average([s["lat_ns"]["mean"] for s in sides.values()], weights=counted)
    assert found["latency_mean_ms"] == pytest.approx(mean_ns / 1e6, rel=NEAR)
    bins = [pair for s in sides.values() for pair in s["clat_ns"]["bins"].items()]
    every = np.repeat([int(value) for value, _ in bins], [count for _, count in bins])
    # The value of a bucket may be beyond the longest I/O in it: of a few I/Os no more.
    longest = max(s["lat_ns"]["max"] for s in sides.values())
    p99_ns = min(np.percentile(every, 99, method="inverted_cdf"), longest)
    assert found["latency_p99_ms"] == pytest.approx(p99_ns / 1e6, rel=NEAR)
    _check_window(result, {h: s["runtime"] * 10**6 for h, s in sides.items()})


def _check_window(result: LoadResult, lengths: Mapping[str, int]) -> None:
    """Each host has the length that its fio says, and the load what they share."""
    told = json.loads(_kept(result, "load-hosts.json"))
    windows = {host: told[host]["window_ns"] for host in lengths}
    assert {h: end - start for h, (start, end) in windows.items()} == lengths
    start = max(window[0] for window in windows.values())
    end = min(window[1] for window in windows.values())
    assert result.window == (start, end)
    first = min(window[0] for window in windows.values())
    for host, window in windows.items():
        assert told[host]["started_after_the_first_ns"] == window[0] - first


def check_live(found: Rack, result: LoadResult, *hosts: str) -> int:
    """Compare live rates with the documents, and their sums on the grid with both.

    Returns:
        How many cells of the grid were compared.
    """
    tracks = {}
    for host in hosts:
        rates, totals = _steps(documents(result, host))
        assert found.values(f"fio.read_iops.{host}") == pytest.approx(rates, rel=NEAR)
        ends = [end for _, end, _ in found.spans(f"fio.read_iops.{host}")]
        tracks[host] = np.array(ends), np.array(totals)
    compared = 0
    for start, end, value in found.spans("fio.read_iops"):
        assert (start % CELL_NS, end - start) == (0, CELL_NS)
        within = [t[0] <= start and end <= t[-1] for t, _ in tracks.values()]
        if all(within) and not np.isnan(value):
            parts = [np.diff(np.interp([start, end], *t))[0] for t in tracks.values()]
            # Whole I/Os are shared out at both edges of each host.
            assert value == pytest.approx(sum(parts), abs=len(hosts))
            compared += 1
    return compared


def _steps(entries: list[Entry]) -> tuple[list[float], list[int]]:
    """Work out the rate of each step of the counters, and all I/Os until its end."""
    rates, totals = [], []
    ios = runtime = passed = 0
    measures = False
    for side in (entry["read"] for entry in entries):
        if side["runtime"] < runtime or (side["lat_ns"]["N"] and not measures):
            passed, ios, runtime = passed + ios, 0, 0  # the ramp is over
        measures = measures or side["lat_ns"]["N"] > 0
        length = side["runtime"] - runtime
        if length >= 100:  # shorter ones are not shown
            rates.append((side["total_ios"] - ios) * 1e3 / length)
            totals.append(passed + side["total_ios"])
        ios, runtime = side["total_ios"], side["runtime"]
    return rates, totals


def check_logs(found: Rack, entries: Mapping[str, Entry]) -> None:
    """Compare the traces of logs with each other and with what each fio counted."""
    whole = found.values("fio_log.read_iops")
    parts = [found.values(f"fio_log.read_iops.{host}") for host in entries]
    assert whole
    summed = np.sum(parts, axis=0).tolist()
    assert whole == pytest.approx(summed, rel=NEAR, nan_ok=True)
    assert not np.isnan(whole).all()
    cell_s = LOG_CELL_S
    for host, entry in entries.items():
        trace = _known(found.values(f"fio_log.read_iops.{host}"))
        seconds, counted = entry["read"]["runtime"] / 1e3, entry["read"]["total_ios"]
        # Outside of what all share it went no faster than within; the last row of a
        # log may be missing, and idle windows of a busy host look like longer ones.
        outside = max(0.0, seconds - (len(trace) - 1) * cell_s) * max(trace)
        logged = sum(trace) * cell_s
        assert logged <= counted * 1.01 + 1
        # After a standstill fio catches up: its missing row may hold any number then.
        if min(trace[1:-1], default=0.0) > max(trace) / 2:
            assert counted * 0.9 - outside <= logged
        bandwidth = _known(found.values(f"fio_log.read_bw.{host}"))
        # fio looks at one after the other: at either edge of a row an I/O may be in
        # one of them alone, and on a busy machine all that is done between the looks.
        expected = [rate * 4096 for rate in trace]
        apart = 2 * 4096 / cell_s
        usual = np.median(np.abs(np.subtract(bandwidth, expected)))
        assert usual <= 0.02 * np.median(expected) + apart
        told, done = np.cumsum(bandwidth), np.cumsum(expected)
        assert (told[1:] >= 0.98 * done[:-1] - apart).all()
        assert (told[:-1] <= 1.02 * done[1:] + apart).all()
        assert told[-1] == pytest.approx(done[-1], rel=0.02, abs=apart)


def _known(values: list[float]) -> list[float]:
    return [value for value in values if not np.isnan(value)]


def _kept(result: LoadResult, name: str) -> bytes:
    [content] = [a.content for a in result.artefacts if a.name == name]
    return zlib.decompress(content) if name.endswith(".zz") else content
