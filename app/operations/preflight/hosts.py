"""Pre-flight of the load hosts: do they answer, and can the steps run on them?"""

from collections.abc import Sequence

from app.bench.load_places import ENGINES
from app.bench.model import Bench
from app.operations.bench.load_hosts import tell_hosts
from app.operations.preflight.finding import Finding, Help, ok, stop
from app.plan.campaign import Campaign
from instruments.errors import BenchError
from workloads.engines import LOADS

_TOPIC = "Load hosts"


def check_load_hosts(
    campaign: Campaign, bench: Bench, without: Sequence[str]
) -> list[Finding]:
    """Say which load host cannot be used, and which steps do not run on any.

    Args:
        campaign: The plan.
        bench: What is connected.
        without: Names of sources the run may start without.
    """
    if bench.load is None:
        return []
    found = [
        stop(_TOPIC, f"{label}: {step.engine} does not run on them", Help.CAMPAIGN)
        for label, step in campaign.runs
        if step.engine in LOADS and step.engine not in ENGINES
    ]
    try:
        lines = tell_hosts(bench.without_hosts(without)).splitlines()
    except BenchError as error:
        return [*found, stop(_TOPIC, str(error), Help.BENCH)]
    return [*found, ok(_TOPIC, f"{len(lines)} answer: {'; '.join(lines)}")]
