"""What one plot shows: curves on one axis, and the panels of a row."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.report.chart.maths import Maths, Operation
from app.report.chart.scale import Scale
from instruments.reading import Channel


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a panel, a sum, or a minimum-maximum band with its mean."""

    label: str  # what the legend calls it
    # the channels it is made of: one for a line, many for a band or a sum
    parts: tuple[Channel, ...]
    scale: Scale  # how its values are written
    colour: int = 0  # index of its colour; the line style follows after four
    # the same quantity, finer, from another source, or None
    fine: Channel | None = None
    maths: Maths | None = None  # what it is computed by; None for what was measured
    name: str = ""  # what it is compared by where its label says more; "" for the label

    @property
    def key(self) -> str:
        """What the same curve of another session has, too."""
        return self.name or self.label

    @property
    def is_band(self) -> bool:
        """Whether it is drawn as a band from minimum to maximum."""
        return len(self.parts) > 1 and self.maths is None

    @property
    def is_sum(self) -> bool:
        """Whether its parts add up, such as the feeds of one device."""
        return self.maths is not None and self.maths.operation is Operation.SUM

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Every channel that it is made of."""
        return self.parts + (self.maths.over if self.maths is not None else ())

    @property
    def unit(self) -> str:
        """Of its values before they are scaled."""
        return self.parts[0].unit if self.maths is None else self.maths.unit


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves on one axis, or those of another unit on a second one at the right."""

    title: str  # what is shown, such as "Throughput"
    unit: str  # unit of the axis
    curves: tuple[Curve, ...]  # at least one
    from_zero: bool = False  # whether the axis always begins at zero
    simulated: bool = False  # whether any of its values comes from a simulator
    # the panel of which it shows how other sessions differ from the first; "" for none
    less: str = ""

    @property
    def is_difference(self) -> bool:
        """Whether it shows by how much other sessions differ from the first one."""
        return bool(self.less)

    @property
    def quantity(self) -> str:
        """What it shows, or shows the differences of."""
        return self.less or self.title

    @property
    def right_unit(self) -> str | None:
        """Unit of the second axis, which other curves have; None without one."""
        units = (curve.scale.unit for curve in self.curves)
        return next((unit for unit in units if unit != self.unit), None)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Every channel of every curve."""
        return tuple(part for curve in self.curves for part in curve.channels)


@dataclass(frozen=True, slots=True)
class Row:
    """One plot of the stack, with the panels it can show; the first by default."""

    name: str
    panels: tuple[Panel, ...]
    group: str = ""  # rows of one group show the same quantity; "" for one alone


def panel_of(title: str, curves: Sequence[Curve], *, from_zero: bool = False) -> Panel:
    """Make a panel of curves that share a unit."""
    unit = curves[0].scale.unit if curves else ""
    return Panel(title, unit, tuple(curves), from_zero)
