"""A simulated bench on free ports, and a clean way to talk to it."""

from collections.abc import Callable, Iterator

import pytest

from instruments.simulated.bench import BenchConfig
from instruments.simulated.client import LineClient
from instruments.simulated.server import SimulatedBench
from tests.instruments.patience import wait_longer


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    wait_longer(monkeypatch)


@pytest.fixture
def bench() -> Iterator[SimulatedBench]:
    with SimulatedBench(BenchConfig(speedup=20)) as running:
        yield running


@pytest.fixture
def tell(bench: SimulatedBench) -> Callable[[str], str]:
    """Send one line to the enclosure's port and get its answer."""

    def send(line: str) -> str:
        client = LineClient(f"127.0.0.1:{bench.enclosure_port}")
        answer = client.ask(line)
        client.close()
        return answer

    return send
