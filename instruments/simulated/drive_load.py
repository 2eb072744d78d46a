"""How hard the drives of the simulated enclosure work, and what power that takes."""

from dataclasses import dataclass

# Watts on top of idle at full load of one kind, for all 60 drives.
SEQUENTIAL_WRITE_W = 120.0
SEQUENTIAL_READ_W = 110.0
RANDOM_WRITE_W = 20.0
RANDOM_READ_W = 200.0
MIXED_W = 55.0
"""Heads that go back and forth between reads and writes."""

MOST_W = 210.0
"""What a load adds at most, whatever it is made of."""


@dataclass(frozen=True, slots=True)
class Load:
    """How hard the drives work, each as a fraction of what they can do, 0 to 1."""

    sequential_read: float = 0.0
    sequential_write: float = 0.0
    random_read: float = 0.0
    random_write: float = 0.0

    @property
    def watts(self) -> float:
        """What the load adds to the idle power, in W."""
        each_alone = (
            self.sequential_write * SEQUENTIAL_WRITE_W
            + self.sequential_read * SEQUENTIAL_READ_W
            + self.random_write * RANDOM_WRITE_W
            + self.random_read * RANDOM_READ_W
        )
        reads = min(1.0, self.sequential_read + self.random_read)
        writes = min(1.0, self.sequential_write + self.random_write)
        both = min(1.0, 2.0 * min(reads, writes))
        return min(each_alone + both * MIXED_W, MOST_W)


IDLE = Load()
