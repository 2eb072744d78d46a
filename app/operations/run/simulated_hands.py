"""The hands of a bench on which everything that measures is simulated."""

import contextlib
from collections.abc import Iterator, Sequence

from app.bench.model import Bench
from app.campaign.phases.hands import NO_HANDS, Hands
from instruments.simulated.client import LineClient
from instruments.simulated.tools import NAMES, simulated_tools

SIMULATED = "simulated"


@contextlib.contextmanager
def simulated_hands(bench: Bench, ready: Bench) -> Iterator[Hands]:
    """Make the hands of a bench; those of a bench with a real device do nothing.

    Args:
        bench: The bench as it is described.
        ready: The same one with the addresses of its simulator.
    """
    addresses = [
        source.address for source in ready.sources if source.driver.name == SIMULATED
    ]
    if not bench.has_no_device or not addresses:
        yield NO_HANDS
        return

    def do(lines: Sequence[str]) -> None:
        client = LineClient(addresses[0], f"simulated bench ({addresses[0]})")
        try:
            for line in lines:
                client.ask(line)
        finally:
            client.close()

    with simulated_tools(addresses[0]) as env:
        yield Hands(do, env, NAMES)
