"""What the mains see of the simulated enclosure, with the noise of a real line."""

import math
import random
from dataclasses import dataclass

# Power factor at idle; supplies come nearer to 1 the more they deliver.
IDLE_LAMBDA = 0.975
MAINS_V = 230.0
MAINS_HZ = 50.0


@dataclass(frozen=True, slots=True)
class Electric:
    """What the mains see at one moment: W, VA, var, V, A, Hz."""

    active: float
    apparent: float
    reactive: float
    voltage: float
    current: float
    frequency: float


def measure(watts: float, load_watts: float, noise: random.Random) -> Electric:
    """Measure once.

    Args:
        watts: Active power without noise.
        load_watts: The part of it that a load makes, which is less steady.
        noise: Gives the noise.
    """
    active = watts * (1.0 + noise.gauss(0.0, 0.0015))
    active += noise.gauss(0.0, 0.02) * load_watts
    factor = 1.0 - (1.0 - IDLE_LAMBDA) * (580.0 / max(active, 1.0)) ** 0.8
    apparent = active / max(factor, 0.3)
    voltage = MAINS_V + noise.gauss(0.0, 0.15)
    return Electric(
        active=active,
        apparent=apparent,
        reactive=math.sqrt(max(0.0, apparent**2 - active**2)),
        voltage=voltage,
        current=apparent / voltage,
        frequency=MAINS_HZ + noise.gauss(0.0, 0.004),
    )
