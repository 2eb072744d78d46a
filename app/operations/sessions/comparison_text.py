"""Writes a comparison as text for the terminal, and as JSON."""

from collections.abc import Iterator, Sequence

from app.analysis.compare import Comparison, Difference
from app.analysis.compare_notes import (
    correction_told,
    duty_told,
    lengths_told,
    many_told,
    nothing_common_told,
    same_recording_told,
    setups_told,
    terms_told,
)
from app.analysis.setup_facts import differing
from app.analysis.significance import WORDS, judgement_word
from app.report.numbers import difference
from app.report.table import show


def comparison_text(comparison: Comparison) -> str:
    """Write a comparison for the terminal, one line a row and metric."""
    letters = [chr(ord("A") + i) for i in range(len(comparison.names))]
    lines = [*_sessions(comparison, letters), ""]
    lines += [f"{told}.", ""] if (told := same_recording_told(comparison)) else []
    if told := setups_told(comparison):
        lines += [f"They do not differ in the device alone. {told}", ""]
    lines += [told, ""] if (told := nothing_common_told(comparison)) else []
    lines += _table(comparison, letters)
    lines += ["", *lengths] if (lengths := lengths_told(comparison)) else []
    for tell in (many_told, correction_told, duty_told):
        lines += ["", f"{said}."] if (said := tell(comparison)) else []
    lines += ["", *terms] if (terms := terms_told(comparison)) else []
    lines += ["", *comparison.crossings] if comparison.crossings else []
    lines += _facts(comparison)
    for letter, about in zip(letters, comparison.about, strict=True):
        lines += ["", *(f"{letter}: {note}" for note in about.notes)]
    return "\n".join(lines) + "\n"


def _sessions(comparison: Comparison, letters: Sequence[str]) -> Iterator[str]:
    for letter, name, simulated, about in zip(
        letters, comparison.names, comparison.simulated, comparison.about, strict=True
    ):
        label = " (simulated)" if simulated else ""
        yield f"{letter} = {name}{label}, {about.judged}"
        yield from (f"    {text}" for text in about.warnings)


def _facts(comparison: Comparison) -> list[str]:
    """List what of the set-ups differs; nothing where nothing does."""
    facts = differing([about.facts for about in comparison.about])
    lines = [f"  {name}: {' / '.join(values)}" for name, values in facts]
    return ["", "What differs:", *lines] if lines else []


def _head(letters: Sequence[str]) -> str:
    head = "".join(f"  {letter:>12}" for letter in letters)
    for letter in letters[1:]:
        head += f"  {letter + ' - A':>12}  {'+-':>10}  {'%':>8}"
        head += f"  {'':{WORDS}}  {'p (Holm)':>8}"
    return head


def _table(comparison: Comparison, letters: Sequence[str]) -> Iterator[str]:
    width = max([8, *(len(label) for label, _ in comparison.rows)])
    metrics = [item.metric.head for _, items in comparison.rows for item in items]
    heads = max([16, *map(len, metrics)])
    yield f"{'Workload':{width}}  {'':{heads}}{_head(letters)}".rstrip()
    for (label, differences), verdicts, load in zip(
        comparison.rows, comparison.judged, comparison.loads, strict=True
    ):
        line = f"{label:{width}}  {'Verdict':{heads}}"
        yield line + "".join(f"  {verdict or '-':>12}" for verdict in verdicts)
        if load.told and label not in comparison.hosts:
            yield f"{'':{width}}  {load.told}"
        for item in differences:
            line = f"{'':{width}}  {item.metric.head:{heads}}{_cells(item)}"
            yield line.rstrip()


def _cells(item: Difference) -> str:
    """Write the values of a metric, and their differences from the first."""
    decimals = item.metric.decimals
    line = ""
    for value, is_thin in zip(item.values, item.thin, strict=True):
        line += f"  {_value(value, decimals) + '*' * is_thin:>12}"
    for index in range(1, len(item.values)):
        change = _change(item.against_first(index), decimals)
        percent = _change(item.percent(index), 1)
        judged = item.judgement(index)
        error = _value(judged.uncertainty if judged else None, decimals + 1)
        line += f"  {change:>12}  {error:>10}  {percent:>8}"
        line += f"  {judgement_word(judged):{WORDS}}"
        line += f"  {_p(judged.p if judged else None):>8}"
    return line


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """Write a comparison as plain values; differences are against the first."""
    return {
        "sessions": list(comparison.names),
        "simulated": list(comparison.simulated),
        "verdicts": [about.verdict for about in comparison.about],
        "warnings": [
            [*about.warnings, *filter(None, [about.unclean])]
            for about in comparison.about
        ],
        "notes": [list(about.notes) for about in comparison.about],
        "setups": [
            {"dut": one.dut, "bench": one.bench, "meters": one.meters}
            for one in comparison.about
        ],
        "setups_differ": bool(setups_told(comparison)),
        "differing": [
            {"what": name, "values": list(values)}
            for name, values in differing([about.facts for about in comparison.about])
        ],
        "parts": [list(about.parts) for about in comparison.about],
        "lengths": lengths_told(comparison),
        "correction": "holm" if correction_told(comparison) else None,
        "beyond_by_chance": many_told(comparison) or None,
        "terms": terms_told(comparison),
        "crossings": list(comparison.crossings),
        "rows": _rows(comparison),
    }


def _rows(comparison: Comparison) -> list[dict[str, object]]:
    return [
        {
            "step": label,
            "verdict": [verdict or None for verdict in verdicts],
            **{item.metric.name: _values(item) for item in differences},
            "load": {
                "same": list(load.like),
                "differs": {name: list(v) for name, v in load.options.items()},
            },
        }
        for (label, differences), verdicts, load in zip(
            comparison.rows, comparison.verdicts, comparison.loads, strict=True
        )
    ]


def _values(item: Difference) -> dict[str, object]:
    others = range(1, len(item.values))
    return {
        "values": list(item.values),
        "thin": list(item.thin),
        "difference": [item.against_first(i) for i in others],
        "percent": [item.percent(i) for i in others],
        "uncertainty": [one and one.uncertainty for one in item.judged],
        "p": [one and one.p for one in item.judged],
        "judgement": [one and one.judgement.name.lower() for one in item.judged],
    }


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _value(value: float | None, decimals: int) -> str:
    return "-" if value is None else show(value, decimals)


def _change(value: float | None, decimals: int) -> str:
    return "-" if value is None else difference(value, decimals).text()
