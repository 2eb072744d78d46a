"""How often twice the uncertainty by scatter holds the true mean, by simulation.

Run it with `python -m tests.benchmarks.scatter_coverage`; it takes half a minute.
Readings are normal around zero, each resembling the one before it.
"""

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter  # type: ignore[import-untyped]

from app.analysis.scatter import mean_uncertainty

Floats = npt.NDArray[np.float64]

WINDOWS = 2000


def readings(random: np.random.Generator, count: int, r: float, windows: int) -> Floats:
    """Draw readings of deviation 1, correlated by r at lag 1; one row a window."""
    noise = random.standard_normal((windows, count))
    noise[:, 1:] *= np.sqrt(1 - r**2)
    found: Floats = lfilter([1.0], [1.0, -r], noise, axis=1)
    return found


def share_held(windows: Floats) -> float:
    """Get in what share of windows the mean is within twice what is told of it."""
    held = [abs(one.mean()) <= 2 * (mean_uncertainty([one]) or 0) for one in windows]
    return float(np.mean(held))


def main() -> None:
    """Print the table."""
    random = np.random.default_rng(1)
    print("readings     r   held %")
    for count in (60, 120, 300, 900):
        for r in (0.0, 0.5, 0.8, 0.9, 0.95, 0.98):
            held = share_held(readings(random, count, r, WINDOWS))
            print(f"{count:8}  {r:4.2f}  {100 * held:6.1f}")


if __name__ == "__main__":
    main()
