"""What fio's client prints at its end, and the sums that are made of it."""

import json
from typing import Any

import pytest

from workloads.hosts.servers import client_results
from workloads.hosts.sums import sum_values


def entry(host: str, port: int, name: str = "load", ios: int = 100) -> dict[str, Any]:
    side = {
        "total_ios": ios,
        "io_bytes": ios * 4096,
        "runtime": 1000,
        "lat_ns": {"mean": 5000.0, "N": ios},
        "clat_ns": {"bins": {"4000": ios - 2, "900000": 2}},
    }
    none = {
        "total_ios": 0,
        "io_bytes": 0,
        "runtime": 0,
        "lat_ns": {"mean": 0.0, "N": 0},
        "clat_ns": {},
    }
    own = {"jobname": name, "hostname": host, "port": port, "error": 0}
    return {**own, "read": side, "write": none, "trim": none}


def printed(*entries: dict[str, Any], before: str = "") -> str:
    document = {"fio version": "fio-3.33", "client_stats": list(entries)}
    return f"{before}\n{json.dumps(document, indent=2)}\n"


def test_hosts_are_told_apart_and_fios_own_sum_is_left_out() -> None:
    text = printed(
        entry("127.0.0.1", 8801),
        entry("127.0.0.1", 8802, ios=300),
        # It has the address of the last one.
        entry("127.0.0.1", 8802, "All clients", ios=7998),
        before="<vm> Starting 1 thread\nclient: host=x disconnected\n",
    )
    found = client_results(text)
    assert sorted(found) == [("127.0.0.1", 8801), ("127.0.0.1", 8802)]
    values = sum_values(
        {"load1": found["127.0.0.1", 8801], "load2": found["127.0.0.1", 8802]},
        ("read",),
        "x, {host}",
    )
    assert values["iops"].value == 400
    assert values["iops.load2"].value == 300
    assert values["iops.load2"].origin == "x, load2"
    assert values["latency_mean_ms"].value == pytest.approx(0.005)
    # Two of a hundred are slow, and two of three hundred; four of four hundred.
    assert values["latency_p99_ms.load1"].value == 0.9
    assert values["latency_p99_ms.load2"].value == 0.004
    assert values["latency_p99_ms"].value == 0.004
    assert "write_iops" not in values


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fio: connect: Connection refused\n",
        printed(entry("a", 1))[:-40],
        "\n{\n}\n",
        '\n{\n "client_stats" : [ { "jobname" : "x" } ]\n}\n',
        '\n{\n "client_stats" : 7\n}\n',
    ],
)
def test_what_is_not_whole_is_nothing(text: str) -> None:
    assert client_results(text) == {}
    assert sum_values({}, ("read",), "") == {}
