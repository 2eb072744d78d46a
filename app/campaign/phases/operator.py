"""What stands in for operator and tools of drives on a simulated bench."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.bench.model import SIMULATED, Bench
from instruments.simulated.client import LineClient
from instruments.simulated.tools import NAMES, simulated_tools


@dataclass(frozen=True, slots=True)
class SimulatedOperator:
    """Does what prompts ask for; a bench with real devices has none.

    Attributes:
        do: Sends lines to the simulator; None where the bench is not simulated.
        env: Variables for commands, by which they find simulated tools first.
        tools: Names of those tools.
    """

    do: Callable[[Sequence[str]], None] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()


NO_OPERATOR = SimulatedOperator()

SIMULATION_NOTE = "(Simulated bench: answer, and the simulator does it.)"
"""What is added to a question whose answer the simulator acts on."""


@contextlib.contextmanager
def simulated_operator(bench: Bench, ready: Bench) -> Iterator[SimulatedOperator]:
    """Make the operator of a bench; that of a bench with a real device does nothing.

    Args:
        bench: The bench as it is described.
        ready: The same one with the addresses of its simulator.
    """
    addresses = [
        source.address for source in ready.sources if source.driver.name == SIMULATED
    ]
    if not bench.has_no_device or not addresses:
        yield NO_OPERATOR
        return

    def do(lines: Sequence[str]) -> None:
        client = LineClient(addresses[0], f"simulated bench ({addresses[0]})")
        try:
            for line in lines:
                client.ask(line)
        finally:
            client.close()

    with simulated_tools(addresses[0]) as env:
        yield SimulatedOperator(do, env, NAMES)
