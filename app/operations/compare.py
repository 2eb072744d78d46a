"""Put sessions side by side, as the window and the command line show them."""

from collections.abc import Sequence
from pathlib import Path

from app.analysis.compare import Comparison, compare_tables
from app.analysis.interrupted import open_session
from instruments.errors import BadInput


def compare_sessions(paths: Sequence[Path]) -> Comparison:
    """Compare the report tables of two or more sessions.

    Raises:
        BadInput: Fewer than two, or one of them is no session.
    """
    if len(paths) < 2:
        raise BadInput(
            "one session has nothing to stand beside",
            where="compare",
            way_out="Give two or more session files.",
        )
    tables, names = [], []
    for path in paths:
        with open_session(path) as session:
            tables.append(session.report_table())
            names.append(path.stem)
    unique = [
        name if names.count(name) == 1 else f"{name} #{number}"
        for number, name in enumerate(names, 1)
    ]
    return compare_tables(unique, tables)


def comparison_text(comparison: Comparison) -> str:
    """Write a comparison for the terminal, one line a row and metric."""
    letters = [chr(ord("A") + i) for i in range(len(comparison.names))]
    lines = []
    for letter, name, simulated in zip(
        letters, comparison.names, comparison.simulated, strict=True
    ):
        lines.append(f"{letter} = {name}{' (simulated)' if simulated else ''}")
    width = max([8, *(len(label) for label, _ in comparison.rows)])
    head = f"{'Workload':{width}}  {'':16}"
    for letter in letters:
        head += f"  {letter:>12}"
    for letter in letters[1:]:
        head += f"  {letter + ' - A':>12}  {'%':>8}"
    lines += ["", head.rstrip()]
    for label, differences in comparison.rows:
        shown = label
        for item in differences:
            line = f"{shown:{width}}  {item.head:16}"
            for value in item.values:
                line += f"  {_text(value, item.decimals):>12}"
            for index in range(1, len(item.values)):
                change = _text(item.against_first(index), item.decimals, sign=True)
                percent = _text(item.percent(index), 1, sign=True)
                line += f"  {change:>12}  {percent:>8}"
            lines.append(line.rstrip())
            shown = ""
    return "\n".join(lines) + "\n"


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """Write a comparison as plain values; differences are against the first."""
    rows = [
        {
            "step": label,
            **{
                item.metric: {
                    "values": list(item.values),
                    "difference": [
                        item.against_first(i) for i in range(1, len(item.values))
                    ],
                    "percent": [item.percent(i) for i in range(1, len(item.values))],
                }
                for item in differences
            },
        }
        for label, differences in comparison.rows
    ]
    return {
        "sessions": list(comparison.names),
        "simulated": list(comparison.simulated),
        "rows": rows,
    }


def _text(value: float | None, decimals: int, *, sign: bool = False) -> str:
    if value is None:
        return "-"
    return f"{value:{'+' if sign else ''}.{decimals}f}"
