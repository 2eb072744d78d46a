"""Charts as a lab wants them: which there are, what is in each; values, no files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.record.store import Session
from app.report.chart.maths import RULES, Operation, maths_of
from app.report.chart.panel import Curve, Panel, Row
from app.report.chart.panels_heat import place_of
from app.report.chart.scale import channel_scale
from instruments.errors import BadInput, one_line
from instruments.files.foreign_text import stored_table
from instruments.power.hmc8015.functions import FUNCTIONS
from instruments.reading import Channel

_CAPACITY = "capacity_tb"


@dataclass(frozen=True, slots=True)
class OwnCurve:
    """A curve that somebody has put into a chart.

    Attributes:
        channels: Names of what it is of; of several it is computed.
        operation: How; None for one channel as it was measured.
        over: Names of what is taken off or divided by.
        seconds: How long a moving mean looks back.
        label: What the legend calls it; "" for what follows from the channels.
    """

    channels: tuple[str, ...]
    operation: Operation | None = None
    over: tuple[str, ...] = ()
    seconds: float = 0.0
    label: str = ""


@dataclass(frozen=True, slots=True)
class OwnChart:
    """One chart of a layout.

    Attributes:
        title: What it is called; that of its panel where it is "".
        panel: Title of the panel that every session has it from; "" for none.
        without: Keys of the curves of that panel which are left out.
        curves: What was put into it.
    """

    title: str = ""
    panel: str = ""
    without: tuple[str, ...] = ()
    curves: tuple[OwnCurve, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title or self.panel


@dataclass(frozen=True, slots=True)
class Layout:
    """Charts from top to bottom, by a name."""

    name: str
    charts: tuple[OwnChart, ...]

    def with_chart(self, place: int, chart: OwnChart) -> "Layout":
        """Get it with another chart at a place; behind the last one it is new."""
        charts = [*self.charts]
        charts[place : place + 1] = [chart]
        return replace(self, charts=tuple(charts))

    def without_chart(self, place: int) -> "Layout":
        """Get it without a chart."""
        return replace(self, charts=self.charts[:place] + self.charts[place + 1 :])

    def moved(self, place: int, by: int) -> "Layout":
        """Get it with a chart this many places further down; it stops at the ends."""
        charts = [*self.charts]
        chart = charts.pop(place)
        charts.insert(max(0, place + by), chart)
        return replace(self, charts=tuple(charts))


@dataclass(frozen=True, slots=True)
class Arranged:
    """What a layout comes to in a session.

    Attributes:
        rows: One for each chart of which there is anything.
        places: Which chart of the layout each row is.
        lacking: What of it this session does not have, a text each.
    """

    rows: tuple[Row, ...]
    places: tuple[int, ...]
    lacking: tuple[str, ...] = ()


class Arranger:
    """Makes rows of layouts, for one session.

    Args:
        session: Where channels and the device are from.
        rows: What every session of its kind shows.
    """

    def __init__(self, session: Session, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._channels = {one.name: one for one in session.channels()}
        self._fakes = {one.name for one in session.sources() if one.simulated}
        self._last: tuple[Layout, Arranged] | None = None
        self._tb = stored_table(session.info.bench, "dut").get(_CAPACITY)
        panels = [panel for row in rows for panel in row.panels]
        self._names = self._named(panels)
        # Finer logs, scale and name of a channel are those of the chart that has it.
        self._usual: dict[Channel, tuple[Panel, Curve]] = {}
        for panel in panels:
            for curve in panel.curves:
                if len(curve.channels) == 1:
                    self._usual.setdefault(curve.parts[0], (panel, curve))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """All that can be charted."""
        return tuple(self._channels.values())

    def name_of(self, channel: Channel) -> str:
        """Get what a channel is called: by its chart, such as "Fans: Fan 3"."""
        return self._names[channel]

    def _named(self, panels: Sequence[Panel]) -> dict[Channel, str]:
        """Name channels by the first chart that has them; the same ones by source."""
        found: dict[Channel, str] = {}
        for panel in panels:
            for curve in panel.curves:
                for channel in curve.channels:
                    own = place_of(channel) if len(curve.channels) > 1 else curve.label
                    is_said = own.lower() in panel.title.lower()
                    name = panel.title if is_said else f"{panel.title}: {own}"
                    found.setdefault(channel, name)
        for channel in self.channels:
            found.setdefault(channel, quantity_name(channel))
        counts = Counter(found.values())
        return {
            channel: f"{name}, {channel.source}" if counts[name] > 1 else name
            for channel, name in found.items()
        }

    def arrange(self, layout: Layout) -> Arranged:
        """Get the rows of a layout, and what this session lacks for it."""
        if self._last is None or self._last[0] != layout:
            self._last = layout, self._arranged(layout)
        return self._last[1]

    def _arranged(self, layout: Layout) -> Arranged:
        rows: list[Row] = []
        places: list[int] = []
        lacking: list[str] = []
        for place, chart in enumerate(layout.charts):
            row = self._row(chart, lacking)
            if row is not None:
                taken = {one.name for one in rows}
                rows.append(replace(row, name=_unique(row.name, taken)))
                places.append(place)
        return Arranged(tuple(rows), tuple(places), tuple(dict.fromkeys(lacking)))

    def _row(self, chart: OwnChart, lacking: list[str]) -> Row | None:
        """Make the row of a chart; None where there is nothing in it."""
        found = self._panel(chart.panel)
        if found is None:
            if chart.panel:
                lacking.append(f'chart "{one_line(chart.panel)}"')
            return self._new_row(chart, lacking)
        row, usual = found
        kept = [one for one in usual.curves if one.key not in chart.without]
        curves = self._with_own(kept, chart.curves, lacking)
        if not curves:
            return None
        # Unchanged it is the row that every session has, with what it can switch to.
        if not (chart.curves or chart.without or chart.title):
            others = (one for one in row.panels if one is not usual)
            return Row(row.name, (usual, *others))
        units = [one.scale.unit for one in curves]
        unit = usual.unit if usual.unit in units else units[0]
        panel = self._made(chart.name, curves, unit, usual.from_zero)
        return Row(row.name, (panel,))

    def _new_row(self, chart: OwnChart, lacking: list[str]) -> Row | None:
        """Make the row of a chart that is not one of the usual ones."""
        curves = self._with_own([], chart.curves, lacking)
        if not curves:
            return None
        zero = all(map(self._from_zero, curves))
        panel = self._made(chart.name, curves, curves[0].scale.unit, zero)
        return Row(chart.name, (panel,))

    def _with_own(
        self, curves: list[Curve], own: Sequence[OwnCurve], lacking: list[str]
    ) -> list[Curve]:
        """Add what was put into a chart, as far as the session has it."""
        for one in own:
            try:
                curves.append(self._fitting(one, curves))
            except BadInput as error:
                lacking.append(str(error))
        return curves

    def _made(
        self, title: str, curves: Sequence[Curve], unit: str, from_zero: bool
    ) -> Panel:
        fake = any(c.source in self._fakes for one in curves for c in one.channels)
        return Panel(title, unit, tuple(curves), from_zero, fake)

    def _from_zero(self, curve: Curve) -> bool:
        usual = self._usual.get(curve.parts[0])
        return curve.maths is None and usual is not None and usual[0].from_zero

    def _panel(self, title: str) -> tuple[Row, Panel] | None:
        return next(
            (
                (row, panel)
                for row in self.rows
                for panel in row.panels
                if panel.title == title
            ),
            None,
        )

    def _fitting(self, own: OwnCurve, others: Sequence[Curve]) -> Curve:
        """Make a curve that goes into a chart with others.

        Raises:
            BadInput: It does not, or the session lacks a channel.
        """
        curve = self.curve(own)
        if any(curve.key == one.key for one in others):
            raise BadInput(f'"{one_line(curve.label)}" is in this chart already')
        units = dict.fromkeys(one.scale.unit for one in (*others, curve))
        if len(units) > 2:
            raise BadInput(
                f'"{one_line(curve.label)}" needs a third axis: '
                f"{', '.join(unit or 'no unit' for unit in units)}",
                way_out="A chart has two; put it into another one.",
            )
        colour = max((one.colour for one in others), default=-1) + 1
        return replace(curve, colour=colour)

    def curve(self, own: OwnCurve) -> Curve:
        """Make a curve of channels of this session.

        Raises:
            BadInput: It lacks one, or they mean nothing together.
        """
        missing = [n for n in (*own.channels, *own.over) if n not in self._channels]
        if missing:
            raise BadInput(f"channel {', '.join(map(one_line, missing))}")
        parts = tuple(self._channels[name] for name in own.channels)
        over = tuple(self._channels[name] for name in own.over)
        if own.operation is None:
            label = own.label or self.name_of(parts[0])
            if (usual := self._usual.get(parts[0])) is not None:
                return replace(usual[1], label=label, name="")
            return Curve(label, parts, channel_scale(parts[0]))
        return self._computed(own, own.operation, parts, over)

    def _computed(
        self,
        own: OwnCurve,
        operation: Operation,
        parts: tuple[Channel, ...],
        over: tuple[Channel, ...],
    ) -> Curve:
        """Make a curve that is computed; raises BadInput where units do not fit."""
        divisor = self._terabytes() if operation is Operation.PER_TB else 1.0
        maths, scale = maths_of(
            *(operation, parts, over),
            seconds=own.seconds,
            divisor=divisor,
            name_of=self.name_of,
        )
        if own.label:
            return Curve(own.label, parts, scale, maths=maths)
        rule, seconds = RULES[operation].label, own.seconds
        label = rule.format(
            _joined([self.name_of(one) for one in parts]),
            over=_joined([self.name_of(one) for one in over]),
            seconds=seconds,
        )
        # Another session may call the same channel otherwise, beside others.
        key = rule.format(
            _joined(own.channels), over=_joined(own.over), seconds=seconds
        )
        return Curve(label, parts, scale, maths=maths, name=key)

    def _terabytes(self) -> float:
        if not (isinstance(self._tb, int | float) and self._tb > 0):
            raise BadInput(
                "the bench does not say how many terabytes the device has",
                way_out="Enter its capacity under Bench, Device under test.",
            )
        return float(self._tb)


def _joined(names: Sequence[str]) -> str:
    if len(names) > 2:
        return f"({names[0]} + {len(names) - 1} more)"
    return f"({' + '.join(names)})" if len(names) > 1 else "".join(names)


def _unique(name: str, taken: Iterable[str]) -> str:
    """Tell a name from those that are taken by a number."""
    known, number, found = set(taken), 1, name
    while found in known:
        number += 1
        found = f"{name} {number}"
    return found


_METERED = {one.quantity: one.title for one in FUNCTIONS} | {
    "U_range": "Voltage range",
    "I_range": "Current range",
}

_WORDS = {
    "1min": "over 1 min",
    "bw": "throughput",
    "cpu": "CPU",
    "io": "I/O",
    "iops": "IOPS",
    "lat": "latency",
    "net": "network",
    "rx": "received",
    "tx": "sent",
}
"""Parts of names that are no words."""


def quantity_name(channel: Channel) -> str:
    """Get what a channel is called by what it measures, such as "Disk busy: Sda"."""
    quantity = channel.quantity
    parts = (_WORDS.get(part, part) for part in quantity.split("_"))
    words = " ".join(filter(None, parts))
    name = _METERED.get(quantity, words[:1].upper() + words[1:] or quantity)
    return f"{name}: {place_of(channel)}" if channel.location else name
