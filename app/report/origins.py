"""Where the figures of a report come from: its appendix, and links that lead there."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.analysis.again.verify import Again, Agreement
from app.analysis.rules.quality import Part
from app.plan.gates import rule_named
from app.record.store import Result, Session, StepRow, Window
from app.report.chart.plot import panels_of
from app.report.document import Document
from app.report.explain import FORMULAS
from app.report.gates import PART, QUALITY, head_of_part
from app.report.rows import report_rows
from app.report.table import Cell, Column, Kind, Row, Table, number_of
from app.report.tables import result_at
from instruments.errors import BadInput
from instruments.metric import BY_NAME
from instruments.reading import SECOND

FIGURES, OUTPUTS, CHARTS = "Where the figures come from", "Raw outputs", "Charts"
"""Titles of the tables of the appendix."""

_FIGURES = (
    Column("Workload", "step"),
    Column("Result", "of"),
    Column("Value", "value", 4),
    Column("Unit", "device"),
    Column("From (s)", "from", 3),
    Column("Until (s)", "until", 3),
    Column("n", "n_valid"),
    Column("of n", "n_expected"),
    Column("Made of", "reason"),
    Column("Computed again", "verdict"),
)
_OUTPUTS = (
    Column("Workload", "step"),
    Column("Name", "name"),
    Column("What", "of"),
    Column("Bytes", "size"),
    Column("SHA-256", "reason"),
)
_MOST_NAMES = 8
_CHARTS = (Column("Chart", "chart"), Column("Unit", "of"), Column("Channels", "reason"))


@dataclass(frozen=True, slots=True)
class Origin:
    """What a figure of a report was made of.

    Attributes:
        step: The row, as the report names it.
        name: The result, as in report_table.
        value: What it is; None where it is blank.
        unit: Of the value.
        window: What it is quoted over, None where its row has none.
        n_valid: How many samples count; None where none are counted.
        n_expected: How many the nominal periods promise.
        made_of: The channels, the document or the formula.
        agreement: Whether computing it again gives the same; None where it is worked
            out from others, which have their own.
        outputs: What was kept as it came and it was made of.
    """

    step: str
    name: str
    value: float | None
    unit: str
    window: Window | None
    n_valid: int | None
    n_expected: int | None
    made_of: str
    agreement: Agreement | None
    outputs: Sequence["Output"] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """What was kept as it came: an output of a tool, or the replies of a source.

    Attributes:
        step: The row it belongs to, "" for the session.
        name: Of the output, or of the source.
        size: Bytes.
        sha256: Of its content, or of the replies one after another; "" where it cannot
            be read.
        replies: How many replies it is; 0 for an output.
    """

    step: str
    name: str
    size: int
    sha256: str
    replies: int = 0


class Origins:
    """Finds the origin of figures of a session; each row is computed again once.

    Attributes:
        outputs: What was kept, and the replies of sources that figures were made of.
    """

    def __init__(self, session: Session, rows: Iterable[Row]) -> None:
        self._session = session
        self._rows = {str(row["step"]): row for row in rows}
        self._steps = {step.label: step for step in session.steps()}
        self._again = Again(session)
        self._replies: dict[tuple[str, Window], Output | None] = {}
        self.outputs = _kept(session)

    def of(self, label: str, name: str) -> Origin | None:
        """Get the origin of a result of a row; None where there is no such row."""
        step, row = self._steps.get(label), self._rows.get(label)
        if step is None or row is None:
            return None
        stored = {result.name: result for result in self._session.results(step.id)}
        result = stored.get(name)
        if result is None:
            metric = BY_NAME.get(name)
            unit = metric.unit if metric is not None else ""
            made_of = " ".join(FORMULAS.get(name, ())) or "other values of its row"
            value, window = number_of(row, name), _window(step)
            return Origin(label, name, value, unit, window, None, None, made_of, None)
        agreement = self._again.agreement(step, result)
        return Origin(
            *(label, name, result.value, result.unit),
            *((result.start_ns, result.end_ns), result.n_valid, result.n_expected),
            *(result.origin, agreement, self._outputs_of(step, result)),
        )

    def _outputs_of(self, step: StepRow, result: Result) -> list[Output]:
        """Get the outputs of the row, and the replies, that a result is made of."""
        outputs = [
            output
            for output in self.outputs
            if output.step == step.label and result.origin.startswith(output.name)
        ]
        again = (self._again.of(step) or {}).get(result.name)
        channels = again.channels if again is not None else ()
        sources = dict.fromkeys(one.source for one in channels)  # In their order.
        window = result.start_ns, result.end_ns
        replies = (self._of_source(step.label, source, window) for source in sources)
        return [*outputs, *filter(None, replies)]

    def _of_source(self, label: str, source: str, window: Window) -> Output | None:
        """Get the replies of a source in a window; None where none are kept."""
        if (source, window) not in self._replies:
            replies = [reply for _, reply in self._session.raw(source, window)]
            found = None
            if replies:
                digest = hashlib.sha256()
                for reply in replies:
                    digest.update(reply)
                size, count = sum(map(len, replies)), len(replies)
                found = Output(label, source, size, digest.hexdigest(), count)
                self.outputs.append(found)
            self._replies[source, window] = found
        return self._replies[source, window]


def _window(step: StepRow) -> Window | None:
    start, end = step.window_start_ns, step.window_end_ns
    return None if start is None or end is None else (start, end)


def _kept(session: Session) -> list[Output]:
    """List the outputs of tools that were kept, each with its hash."""
    labels = {step.id: step.label for step in session.steps()}
    outputs = []
    for one in session.artefacts():
        try:
            content = session.artefact(one.name, one.step_id)
            digest = hashlib.sha256(content).hexdigest()
        except BadInput:
            digest = ""
        label = labels.get(one.step_id, "") if one.step_id is not None else ""
        outputs.append(Output(label, one.name, one.size, digest))
    return outputs


def with_origins(
    session: Session, document: Document, charts: Sequence[str] = ()
) -> Document:
    """Add to a report where each of its figures comes from, and links that lead there.

    All samples that its rows are made of are read for it, as where it is verified.

    Args:
        session: The session.
        document: Its document.
        charts: Titles of its charts, see `panels_of`.
    """
    origins = Origins(session, document.rows or report_rows(session))
    places: dict[tuple[str, str], str] = {}
    found: list[Origin] = []

    def linked(table: Table) -> Table:
        links = {}
        for line in range(len(table.rows)):
            for place in range(len(table.columns)):
                key = table.label_at(line, place), result_at(table, line, place)
                if key[1] and key not in places:
                    origin = origins.of(*key)
                    if origin is None:
                        continue
                    found.append(origin)
                    places[key] = f"figure-{len(found)}"
                if key[1]:
                    links[line, place] = places[key]
        return replace(table, links=links)

    table = linked(document.table)
    more = tuple((title, linked(one)) for title, one in document.more)
    begin = session.begin_ns
    appendix = [
        (FIGURES, _figures(found, origins.outputs, begin)),
        (OUTPUTS, _outputs(origins.outputs)),
        (CHARTS, _charts(session, charts)),
    ]
    return replace(
        document,
        table=table,
        more=more,
        appendix=tuple((title, one) for title, one in appendix if one.rows),
    )


def charts_in(document: Document) -> list[tuple[str, str]]:
    """Get the names of the charts of a report, and the anchors that tell of them."""
    return [
        (str(cells[0]), anchor)
        for _, table in document.appendix
        if table.kind is Kind.CHARTS
        for cells, anchor in zip(table.rows, table.anchors, strict=True)
    ]


def numbered(word: str, count: int) -> tuple[str, ...]:
    """Name anchors: a word and a number each, from 1."""
    return tuple(f"{word}-{number}" for number in range(1, count + 1))


def _figures(found: Sequence[Origin], outputs: Sequence[Output], begin: int) -> Table:
    places = {id(one): f"output-{number}" for number, one in enumerate(outputs, 1)}
    column = [one.key for one in _FIGURES].index("reason")
    made_of = {
        (line, column): {kept.name: places[id(kept)] for kept in one.outputs}
        for line, one in enumerate(found)
    }
    return Table(
        _FIGURES,
        tuple(_line(one, begin) for one in found),
        Kind.ORIGINS,
        anchors=numbered("figure", len(found)),
        links={
            at: to for at, of in made_of.items() if len(of) == 1 for to in of.values()
        },
        several={at: of for at, of in made_of.items() if len(of) > 1},
    )


def _line(one: Origin, begin: int) -> tuple[Cell, ...]:
    window: list[Cell] = [None, None]
    # What is quoted from print has a moment, and no window.
    if one.window is not None and one.window[0] < one.window[1]:
        window = [(moment - begin) / SECOND for moment in one.window]
    return (
        one.step,
        _head(one.name),
        *(one.value, one.unit.replace("degC", "°C")),
        *window,
        *(one.n_valid, one.n_expected, one.made_of),
        str(one.agreement) if one.agreement is not None else "",
    )


def _outputs(found: Sequence[Output]) -> Table:
    """List what was kept as it came, each with its hash."""
    lines = tuple(
        (
            *(one.step, one.name),
            f"{one.replies} replies" if one.replies else "output",
            *(one.size, one.sha256 or "it cannot be read"),
        )
        for one in found
    )
    return Table(_OUTPUTS, lines, Kind.OUTPUTS, anchors=numbered("output", len(lines)))


def _charts(session: Session, titles: Sequence[str]) -> Table:
    """List what each chart of the report shows, from all samples of the session."""
    lines = []
    for one in panels_of(session, titles):
        names = [channel.name for channel in one.channels]
        shown = ", ".join(names)
        if len(names) > _MOST_NAMES:
            shown = f"{names[0]} .. {names[-1]}, {len(names)} channels"
        lines.append((one.title, one.unit, shown))
    return Table(
        _CHARTS, tuple(lines), Kind.CHARTS, anchors=numbered("chart", len(lines))
    )


def _head(name: str) -> str:
    """Get what a result, a gate, quality or a part of it is called in the report."""
    if metric := BY_NAME.get(name):
        return metric.head
    if rule := rule_named(name):
        return rule.title
    heads = {one.key: one.head for one in QUALITY}
    heads |= {f"{PART}{part}": head_of_part(part) for part in Part}
    return heads.get(name, name)
