"""The tracking variable of a matrix, round by round, with its line and its bands."""

import numpy as np

from app.analysis.steady.matrix import Tracked
from app.analysis.steady.rules import SSS_PTS
from app.report.figures.figure import Axis, Figure, Floats, Series, Shape
from instruments.metric import BY_NAME


def tracking_figure(found: Tracked) -> Figure | None:
    """Draw the tracking variable of a matrix; None where no round was run.

    Each band is the mean of the window plus and minus half of what the rule allows. A
    steady best-fit line lies in that of the rise.
    """
    if not found.values:
        return None
    head = BY_NAME[found.plan.of].head
    rounds = np.arange(1.0, len(found.values) + 1)
    first, last = found.window
    window = np.array([float(first), float(last)])
    series = []
    if found.mean is not None:
        mean = np.full(2, found.mean)
        range_, rise = (share / 2 for share in (SSS_PTS.range, SSS_PTS.slope))
        series += [
            _band(f"Range allowed, {200 * range_:g} %", window, found.mean, range_, 1),
            _band(f"Rise allowed, {200 * rise:g} %", window, found.mean, rise, 2),
            Series("Mean of the window", window, mean, Shape.DASHES, colour=1),
        ]
    if found.line is not None:
        line = np.array(found.line)
        series.append(Series("Best-fit line", window, line, colour=3))
    values = np.array(found.values)
    series += [
        Series(head, rounds, values),
        Series("Rounds", rounds, values, Shape.POINTS),
    ]
    return Figure(
        f"Tracking variable: {found.label}",
        f"{found.told}.",
        Axis("Round", is_whole=True),
        Axis(head),
        tuple(series),
    )


def _band(name: str, x: Floats, mean: float, share: float, colour: int) -> Series:
    low, high = (np.full(2, mean * (1 + way * share)) for way in (-1, 1))
    return Series(name, x, low, Shape.BAND, high, colour)
