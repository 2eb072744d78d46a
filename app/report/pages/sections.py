"""The sections of a report, from a session and its document."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter

from app.record.store import Session
from app.report.chart.plot import Plot, plots_of
from app.report.document import Document
from app.report.figures.figure import Figure
from app.report.figures.of_session import report_figures
from app.report.gates import ALL_ROWS, unmet_gates
from app.report.notes import said_once
from app.report.numbers import Figure as Number
from app.report.origins import charts_in
from app.report.pages.content import (
    Block,
    Charts,
    Drawing,
    Facts,
    Figures,
    Notes,
    Script,
    Section,
)
from app.report.pages.setup import device_blocks, setup_blocks
from app.report.pages.template import ORIGINS, Template
from app.report.spread import SAID, uncertainty_beside
from app.report.table import Column, Kind, Label, Table, number_of, without_blanks
from app.report.tables import LOADS_TITLE
from instruments.metric import BY_NAME
from instruments.reading import SECOND

SCREEN_POINTS, PAPER_POINTS, TEX_POINTS = 2400, 700, 160
"""Points of a curve, where one can zoom, where not, and where TeX sets each."""

# A longer script is kept in the session; printed it would fill pages that nobody reads.
_MOST_SCRIPT = 16_384
_OUTPUTS = ("output", "counts", "log", "result")
STEPS = "Steps and measured windows"
_DERIVED = (Kind.EFFICIENCY, Kind.FORMULAS)
_QUALITY = (Kind.QUALITY, Kind.UNCERTAINTIES)
BESIDE = (*_DERIVED, *_QUALITY, Kind.GATES, Kind.CHECKLISTS, Kind.LOADS, Kind.COMPARED)
"""Tables that stand in other sections than the results."""


def sections_of(
    session: Session | None,
    document: Document,
    template: Template,
    points: int,
) -> tuple[Section, ...]:
    """Make the sections that a template wants; empty ones are left out.

    Args:
        session: The session, None for what its document alone says.
        document: Its tables and notes.
        template: Which sections, in which order.
        points: Of a curve.
    """
    makers: Mapping[str, tuple[str, Callable[[], Iterator[Block]]]] = {
        "summary": ("Summary", lambda: _summary(document, template)),
        "device": ("What was tested", lambda: _device(session, document, template)),
        "setup": ("Set-up", lambda: setup_blocks(session, template)),
        "method": ("Method", _method),
        "steps": (STEPS, lambda: _steps(session)),
        "scripts": ("Exact scripts", lambda: _scripts(session)),
        "results": ("Results", lambda: _results(document)),
        "latency": (LOADS_TITLE, lambda: _latency(document)),
        "charts": ("Charts", lambda: _charts(session, document, template, points)),
        "derived": ("Derived figures", lambda: _derived(document)),
        "deviations": ("Deviations", lambda: _deviations(document, template)),
        "gates": ("Gates", lambda: _gates(document, template)),
        "quality": ("Data quality", lambda: _quality(session, document)),
        "checklists": ("Checklists", lambda: _checklists(document)),
        "rules": ("Rules of the checklists", lambda: _rules(document)),
        "reproduce": ("How to reproduce", lambda: _reproduce(session)),
        ORIGINS: ("Where it comes from", lambda: _origins(document)),
    }
    found = []
    appendix = template.say("Appendix")
    parts = [(name, "") for name in template.sections]
    for name, part in (*parts, *((name, appendix) for name in template.appendix)):
        title, make = makers[name]
        blocks = tuple(_translated(block, template) for block in make())
        if blocks:
            found.append(Section(name, template.say(title), blocks, part))
    return tuple(found)


def _translated(block: Block, template: Template) -> Block:
    """Say the sentences of a block in the words of a template."""
    if isinstance(block, Notes):
        return replace(block, lines=tuple(map(template.say_all, block.lines)))
    return block


def _summary(document: Document, template: Template) -> Iterator[Block]:
    verdict = template.say(document.judged)
    rows = [("Verdict", verdict)] if verdict else []
    verdicts = [str(row.get("verdict") or row.get("outcome")) for row in document.rows]
    counted = {one: verdicts.count(one) for one in dict.fromkeys(verdicts)}
    if counted:
        parts = (f"{count} {one}" for one, count in counted.items())
        rows.append(("Steps", ", ".join(parts)))
    rows += _extremes(document, template)
    if rows:
        yield Facts(tuple(rows))


def _device(
    session: Session | None, document: Document, template: Template
) -> Iterator[Block]:
    yield from device_blocks(session, template)
    yield from _of_kinds(document, Kind.COMPARED)


def _extremes(document: Document, template: Template) -> Iterator[tuple[str, str]]:
    """Name the highest rate, power, temperature and efficiency, each with its row."""
    names = ("bandwidth_mb_s", "iops", "power_w", "drive_max_c", "iops_per_w")
    for name in (*names, "mb_s_per_w"):
        known = [
            (value, str(row["step"]), row)
            for row in document.rows
            if (value := number_of(row, name)) is not None
            and row.get("outcome") == "DONE"
        ]
        if known:
            metric = BY_NAME[name]
            value, step, row = max(known, key=itemgetter(0, 1))
            what = metric.head.partition(" (")[0]
            shown = Number(
                value,
                decimals=metric.decimals,
                unit=metric.unit.replace("1/s", "IOPS"),
                spread=uncertainty_beside(row, name) if document.has_spread else None,
            )
            yield (
                f"{template.say('Highest')}: {template.say(what)}",
                Label(shown.text(template.language.style), f" ({step})"),
            )


def _method() -> Iterator[Block]:
    yield Notes(
        (
            "Power, temperatures and noise are means over the measured window of the "
            "load itself, from samples on one clock; levels of sound are averaged by "
            "energy.",
            "MB/s are 10^6 bytes a second. Lambda is P/S. A peak is quoted with its "
            "window.",
        )
    )


def _steps(session: Session | None) -> Iterator[Block]:
    if session is None:
        return
    columns = (
        Column("Workload", "step"),
        Column("Engine", "of"),
        Column("Begin (s)", "begin", 1),
        Column("Measured from (s)", "from", 1),
        Column("to (s)", "to", 1),
        Column("Window (s)", "window", 1),
        Column("Outcome", "verdict"),
    )
    start = session.begin_ns

    def since(moment: int | None) -> float | None:
        return None if moment is None else (moment - start) / SECOND

    cells = []
    for step in session.steps():
        begin, end = since(step.window_start_ns), since(step.window_end_ns)
        window = None if begin is None or end is None else end - begin
        times = (since(step.start_ns), begin, end, window)
        cells.append((step.label, step.engine, *times, step.outcome))
    if any(any(one[2:-1]) for one in cells):  # what is quoted from print has no times
        yield Figures("", without_blanks(Table(columns, tuple(cells))))


def _scripts(session: Session | None) -> Iterator[Block]:
    if session is None:
        return
    labels = {step.id: step.label for step in session.steps()}
    for kept in session.artefacts():
        is_script = kept.media_type.startswith("text/plain") and not any(
            word in kept.name for word in _OUTPUTS
        )
        if kept.step_id in labels and is_script and kept.size <= _MOST_SCRIPT:
            text = session.artefact(kept.name, kept.step_id).decode("utf-8", "replace")
            yield Script(f"{labels[kept.step_id]}: {kept.name}", text.rstrip("\n"))


def _results(document: Document) -> Iterator[Block]:
    # A form has the columns that a lab wants, filled or not.
    first = document.table if document.form else without_blanks(document.table)
    yield Figures(document.caption, first)
    for title, table in document.more:
        if table.kind not in BESIDE:
            yield Figures(title, table)
    if document.has_spread:
        yield Notes((SAID,))


def _latency(document: Document) -> Iterator[Block]:
    for one in _of_kinds(document, Kind.LOADS):
        yield replace(one, title="")


def _charts(
    session: Session | None, document: Document, template: Template, points: int
) -> Iterator[Block]:
    plots = plots_of(session, points, template.charts) if session is not None else []
    if plots:
        anchors = {template.say(name): to for name, to in charts_in(document)}
        yield Charts(tuple(_named(one, template) for one in plots), anchors)
    for figure in report_figures(session) if session is not None else ():
        yield Drawing(in_words(figure, template))


def _named(plot: Plot, template: Template) -> Plot:
    """Say title and legend of a chart in the words of a template."""
    curves = (replace(one, label=template.say(one.label)) for one in plot.curves)
    return replace(plot, title=template.say(plot.title), curves=tuple(curves))


_COUNT = re.compile(r"\b\d+(?= I/Os)")


def in_words(figure: Figure, template: Template) -> Figure:
    """Say title, axes, legend and marks of a figure in the words of a template."""
    say, style = template.say, template.language.style
    about = template.say_all(figure.about)
    return replace(
        figure,
        title=say(figure.title),
        about=_COUNT.sub(lambda count: style.write(count[0]), about),
        style=style,
        x=replace(figure.x, title=say(figure.x.title)),
        y=replace(figure.y, title=say(figure.y.title)),
        series=tuple(
            replace(
                one,
                name=say(one.name),
                shades=one.shades and replace(one.shades, title=say(one.shades.title)),
            )
            for one in figure.series
        ),
        marks=tuple(replace(one, name=say(one.name)) for one in figure.marks),
        below=None if figure.below is None else in_words(figure.below, template),
    )


def _derived(document: Document) -> Iterator[Block]:
    yield from _of_kinds(document, *_DERIVED)


def _deviations(document: Document, template: Template) -> Iterator[Block]:
    pairs = [
        (
            str(row["step"]),
            f"{row.get('verdict') or row.get('outcome')}, {row['reason']}",
        )
        for row in document.rows
        if row.get("reason")
    ]
    lines = said_once(pairs)
    lines += unmet_gates(document.rows, template.language.style)
    if document.rows:
        yield Notes(tuple(lines or ["No row deviates from its plan."]))


def _gates(document: Document, template: Template) -> Iterator[Block]:
    for found in _of_kinds(document, Kind.GATES):
        gates = found.table
        *_, last = gates.columns
        rows = tuple(row[:-1] for row in gates.rows if any(row[1:-1]))
        yield Figures(
            found.title, replace(gates, columns=gates.columns[:-1], rows=rows)
        )
        steps: dict[str, list[str]] = {}
        for row in gates.rows:
            if row[-1]:
                name = template.say(ALL_ROWS) if row[0] == ALL_ROWS else str(row[0])
                steps.setdefault(str(row[-1]), []).append(name)
        lines = (
            Label(f"{last.head}, {why}: ", ", ".join(of)) for why, of in steps.items()
        )
        yield Notes(tuple(lines))


def _checklists(document: Document) -> Iterator[Block]:
    if document.checklists:
        for one in _of_kinds(document, Kind.CHECKLISTS):
            yield replace(one, title="")


def _rules(document: Document) -> Iterator[Block]:
    for title, table in document.checklists:
        yield Figures(title, table)


def _quality(session: Session | None, document: Document) -> Iterator[Block]:
    yield from _of_kinds(document, *_QUALITY)
    reasons = [(str(row["step"]), str(row.get("reason"))) for row in document.rows]
    deviations = said_once(reasons)
    notes = tuple(one for one in document.notes if one not in (*deviations, SAID))
    if notes:
        yield Notes(notes)
    if session is not None:
        yield from _gaps(session)


def _gaps(session: Session) -> Iterator[Block]:
    """Count the gaps by source and reason; a gap counts once for each channel."""
    sources = {channel.name: channel.source for channel in session.channels()}
    gaps: dict[tuple[str, str], tuple[int, float]] = {}
    for gap in session.gaps():
        key = (sources.get(gap.channel_name, gap.channel_name), gap.reason)
        count, seconds = gaps.get(key, (0, 0.0))
        gaps[key] = (count + 1, seconds + (gap.end_ns - gap.start_ns) / SECOND)
    if gaps:
        columns = (
            Column("Source", "step"),
            Column("Reason", "reason"),
            Column("Gaps", "gaps"),
            Column("Channel seconds", "seconds", 1),
        )
        cells = tuple((*key, float(n), s) for key, (n, s) in gaps.items())
        yield Figures("Gaps: nothing is filled in", Table(columns, cells))


def _of_kinds(document: Document, *kinds: Kind) -> Iterator[Figures]:
    """Yield the tables of some kinds, those of one after those of another."""
    for kind in kinds:
        for title, table in document.more:
            if table.kind is kind:
                yield Figures(title, table)


def _origins(document: Document) -> Iterator[Block]:
    for title, table in document.appendix:
        yield Figures(title, table)


def _reproduce(session: Session | None) -> Iterator[Block]:
    if session is None:
        return
    info = session.info
    if info.campaign:
        yield Notes(
            (
                "Write the two texts below as campaign.toml and bench.toml, and run: "
                "bayscope run campaign.toml --bench bench.toml",
                "Every value can be computed again from the session's samples: "
                f"bayscope verify {session.path.name}",
            )
        )
    if info.campaign:
        yield Script("campaign.toml", info.campaign.rstrip("\n"))
    if info.bench:
        yield Script("bench.toml", info.bench.rstrip("\n"))
