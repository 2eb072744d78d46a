from dataclasses import replace
from pathlib import Path

import pytest

from app.operations.bench.simulate import running_bench
from instruments.errors import BenchError
from instruments.simulated.client import LineClient
from tests.app.operations.benches import bench


def test_a_simulator_lives_as_long_as_it_is_needed(tmp_path: Path) -> None:
    with running_bench(bench(tmp_path)) as ready:
        meter, enclosure, noise = ready.sources
        assert meter.address.startswith("TCPIP::127.0.0.1::")
        assert enclosure.address == noise.address
        LineClient(enclosure.address).close()
    with pytest.raises(BenchError, match="connection refused"):
        LineClient(enclosure.address)


def test_a_bench_with_instruments_is_taken_as_it_is(tmp_path: Path) -> None:
    there = "TCPIP::192.0.2.1::5025::SOCKET"
    real = replace(bench(tmp_path, there).at(there, "192.0.2.1:5026"), simulated=None)
    with running_bench(real) as ready:
        assert ready is real
