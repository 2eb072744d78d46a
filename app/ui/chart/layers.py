"""What a chart draws: one session, or two laid over each other."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from app.plan.interlocks import Interlock
from app.plan.limits import Limit
from app.plan.verdict import Outcome
from app.record.store import GapRow, Session, StepRow
from app.report.chart.gaps import charted_gaps
from app.report.chart.layout import Arranger, Layout
from app.report.chart.panel import Panel, Row
from app.ui.chart.spans import Span
from instruments.durations import length_text
from instruments.errors import one_line
from instruments.reading import SECOND, Channel, Status


@dataclass(frozen=True, slots=True)
class Phase:
    """One step as the chart shows it.

    Attributes:
        start: Seconds from the origin.
        end: Seconds from the origin.
        label: What the step is called.
        state: Its outcome or verdict, in a word.
        window: The measured window in seconds from the origin, or None.
        marks: What follows its verdict, such as that it is not clean.
    """

    start: float
    end: float
    label: str
    state: str
    window: tuple[float, float] | None = None
    marks: str = ""


_BESIDE_NS = 5 * SECOND // 2
"""At most so much at either end is of other steps, or half of another one's."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A session on the chart's time axis.

    Attributes:
        session: Where traces are read from.
        rows: What it has to show.
        origin: The moment at x = 0, in nanoseconds.
        start: First moment to show, in nanoseconds.
        end: Last moment to show, in nanoseconds.
        name: What tells it from the other layer; "" for the only one.
        lane: Index of its colour among sessions that are compared; None for the only
            one, where colours tell quantities.
        part: First and last moment of the step that is compared, in nanoseconds; None
            for all of the session.
        interlocks: What paused or ended its run beyond a threshold.
        limits: The limits of its steps, by their labels.
        arranger: Makes its rows of a layout; None where there is none.
    """

    session: Session
    rows: tuple[Row, ...]
    origin: int
    start: int
    end: int
    name: str = ""
    lane: int | None = None
    part: tuple[int, int] | None = None
    interlocks: tuple[Interlock, ...] = ()
    limits: tuple[tuple[str, tuple[Limit, ...]], ...] = ()
    arranger: Arranger | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """All that can be charted of it."""
        return self.arranger.channels if self.arranger is not None else ()

    @property
    def core(self) -> tuple[float, float]:
        """What there is without what is shown before and after it, in seconds."""
        left, right = self.start - self.origin, self.end - self.origin
        room = min((right - left) / 5, _BESIDE_NS)
        return (left + room) / SECOND, (right - room) / SECOND

    def laid_out(self, layout: Layout | None) -> "Layer":
        """Get it with the rows of a layout; of None with those of every session."""
        if self.arranger is None:
            return self
        rows = self.arranger.rows
        if layout is not None:
            rows = self.arranger.arrange(layout).rows
        return self if rows == self.rows else replace(self, rows=rows)

    def panel(self, row: str, title: str) -> Panel | None:
        """Find what this session has for a panel of the chart."""
        for one in self.rows:
            for panel in one.panels:
                if one.name == row and panel.title == title:
                    return panel
        return None

    def window(self, left: float, right: float, limit: int | None) -> tuple[int, int]:
        """Get the part of the session between two x, not beyond a limit.

        Args:
            left: Seconds from the origin.
            right: Seconds from the origin.
            limit: The playhead in nanoseconds, or None.
        """
        start = max(self.start, self.origin + int(left * SECOND))
        end = min(self.end, self.origin + int(right * SECOND))
        if limit is not None:
            end = min(end, limit)
        return start, max(end, start)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A value beyond which an interlock trips: in the unit shown, and its name."""

    value: float
    text: str
    side: int = 0  # 1 where its axis is that at the right


def thresholds_of(interlocks: Iterable[Interlock], panel: Panel) -> list[Threshold]:
    """Find the thresholds of interlocks that watch what a panel shows."""
    thresholds = []
    for one in interlocks:
        scales = [
            curve.scale
            for curve in panel.curves
            if curve.maths is None
            and any(one.watches(part.name) for part in curve.parts)
        ]
        limit = one.above if one.above is not None else one.below
        if scales and limit is not None:
            text = f"{one_line(one.name)}: {one.limit}"
            side = int(scales[0].unit != panel.unit)
            thresholds.append(Threshold(limit * scales[0].factor, text, side))
    return list(dict.fromkeys(thresholds))


def phases_of(layer: Layer, limit: int | None = None) -> list[Phase]:
    """Get the steps that have begun; a running one ends at the limit."""
    until = layer.end if limit is None else limit
    marks = layer.session.step_marks()
    return [
        replace(_phase(layer, step, start, until), marks=marks.get(step.id, ""))
        for step in layer.session.steps()
        if (start := step.start_ns) is not None and start <= until
    ]


def _phase(layer: Layer, step: StepRow, start: int, until: int) -> Phase:
    end = until if step.end_ns is None else min(step.end_ns, until)
    window = None
    if step.window_start_ns is not None and step.window_start_ns <= until:
        last = end if step.window_end_ns is None else min(step.window_end_ns, until)
        window = _seconds(layer, step.window_start_ns), _seconds(layer, last)
    state = step.verdict or step.outcome
    return Phase(
        _seconds(layer, start),
        _seconds(layer, end),
        one_line(step.label),
        "" if state == Outcome.PLANNED else state,
        window,
    )


def _was_never_there(layer: Layer, gap: GapRow) -> bool:
    """Tell whether a gap is of a sensor that had no value before: none was pulled."""
    if gap.reason not in (Status.ABSENT, Status.UNSUPPORTED):
        return False
    before = (layer.session.extent()[0], gap.start_ns)
    trace = layer.session.trace(gap.channel_name, before, 2)
    return not np.isfinite(trace.mean).any()


def _silent_beside_others(layer: Layer, names: frozenset[str]) -> frozenset[str]:
    """Get the channels without any value among others that have some.

    Their one gap from begin to end would hide all the gaps of the others.
    """
    mute = {
        name
        for name in names & {gap.channel_name for gap in layer.session.gaps()}
        if not np.isfinite(layer.session.trace(name, None, 2).mean).any()
    }
    return frozenset(mute) if mute != names else frozenset()


def gap_spans(
    layer: Layer, names: Sequence[str], limit: int | None = None
) -> list[Span]:
    """Get the gaps of these channels; equal ones of many channels count once.

    Times without a load are not gaps to warn of: nothing ran that could be measured.
    Nor is a sensor that was never there, such as that of an empty bay, or one that
    never told anything beside others that did.

    Args:
        layer: The session on its time axis.
        names: Names of the channels.
        limit: Gaps are shown up to this moment, in nanoseconds.
    """
    wanted = frozenset(names)
    wanted -= _silent_beside_others(layer, wanted)
    counts = Counter(
        _Gap.of(gap, limit)
        for gap in charted_gaps(layer.session)
        if gap.channel_name in wanted
        and (limit is None or gap.start_ns <= limit)
        and not _was_never_there(layer, gap)
    )
    return [gap.span(layer, count) for gap, count in counts.items()]


class _Gap(NamedTuple):
    """What is equal in the gaps of several channels of one source."""

    source: str
    start: int
    end: int
    reason: str

    @classmethod
    def of(cls, gap: GapRow, limit: int | None) -> Self:
        end = gap.end_ns if limit is None else min(gap.end_ns, limit)
        source = gap.channel_name.split(".", 1)[0]
        reason = ", ".join(filter(None, (gap.shown_reason, gap.detail)))
        return cls(source, gap.start_ns, end, reason)

    def span(self, layer: Layer, count: int) -> Span:
        length = length_text((self.end - self.start) / SECOND)
        many = f" ({count} channels)" if count > 1 else ""
        text = f"Gap of {length}: {self.source}{many}: {self.reason}"
        if layer.name:
            text = f"{layer.name}: {text}"
        start, end = _seconds(layer, self.start), _seconds(layer, self.end)
        return Span(start, end, text, layer.name)


def mark_spans(layer: Layer, limit: int | None = None) -> list[Span]:
    """Get the notes that somebody made at a moment of the session."""
    return [
        Span(
            _seconds(layer, note.start_ns),
            _seconds(layer, note.end_ns if note.end_ns is not None else note.start_ns),
            f"Note: {note.text}",
        )
        for note in layer.session.annotations()
        if note.start_ns is not None and (limit is None or note.start_ns <= limit)
    ]


def _seconds(layer: Layer, t_ns: int) -> float:
    return (t_ns - layer.origin) / SECOND
