"""Which stretch of time a chart shows, in seconds from the origin; no Qt."""

from app.ui.chart.layers import Layer
from instruments.reading import SECOND

_LEAST_S = 5.0
"""So much is shown at least, while a session has just begun."""


class ChartRange:
    """Follows the data up to a limit, or stays where the user has zoomed.

    Attributes:
        layers: The sessions that are shown.
        limit: The moment in nanoseconds up to which they are known; None for all.
        span_s: How many seconds before the limit are shown; None for everything.
        is_zoomed: Whether the user has zoomed or panned.
        shown: From and to.
        coming: What is shown as soon as it has been read, None for what is shown.
    """

    def __init__(self) -> None:
        self.layers: tuple[Layer, ...] = ()
        self.limit: int | None = None
        self.span_s: float | None = None
        self.is_zoomed = False
        self.shown = (0.0, 1.0)
        self.coming: tuple[float, float] | None = None

    def seconds(self, t_ns: int) -> float:
        """Write a moment in seconds from the origin; there is a layer."""
        return (t_ns - self.layers[0].origin) / SECOND

    @property
    def known(self) -> float:
        """The limit, infinite without one."""
        if self.limit is None or not self.layers:
            return float("inf")
        return self.seconds(self.limit)

    @property
    def rest(self) -> float:
        """Where values are read while there is no crosshair."""
        right = self.shown[1]
        if not self.layers:
            return right
        last = self.layers[0].end if self.limit is None else self.limit
        return min(right, self.seconds(last))

    @property
    def whole(self) -> tuple[float, float]:
        """What there is up to the limit, in seconds from the origin."""
        left, right = self.extent
        return left, min(right, self.known)

    @property
    def extent(self) -> tuple[float, float]:
        """What there is, in seconds from the origin."""
        left = min(((layer.start - layer.origin) for layer in self.layers), default=0)
        right = max(((layer.end - layer.origin) for layer in self.layers), default=0)
        return left / SECOND, right / SECOND

    @property
    def fitted(self) -> tuple[float, float] | None:
        """What would follow the data, None where the user looks at a part of it."""
        if self.is_zoomed or not self.layers:
            return None
        left = min((layer.start - layer.origin) / SECOND for layer in self.layers)
        right = max((layer.end - layer.origin) / SECOND for layer in self.layers)
        if self.span_s is not None:
            if self.limit is not None:
                right = self.seconds(self.limit)
            left = right - self.span_s
        return left, max(right, left + _LEAST_S)

    def show(self, left: float, right: float) -> None:
        """Show this stretch at once."""
        self.shown, self.coming = (left, right), None

    def arrive(self) -> None:
        """Show what was coming: it has been read."""
        if self.coming is not None:
            self.show(*self.coming)

    def scaled(self, factor: float) -> tuple[float, float]:
        """Get a stretch around the same middle, this many times as long."""
        left, right = self.shown
        middle, half = (left + right) / 2, (right - left) / 2 * factor
        return middle - half, middle + half
