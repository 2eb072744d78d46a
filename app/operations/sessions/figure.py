"""Figures that compare sessions, made and written as the window shows them."""

import csv
import io
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from app.analysis.interrupted import open_session
from app.report.figures.cases import cases_of, metrics_in, options_in
from app.report.figures.figure import Figure
from app.report.figures.kinds import (
    KINDS,
    NOTHING,
    Choice,
    first_kind,
    make_figure,
    usual_choice,
)
from app.report.figures.svg import figure_svg
from instruments.errors import BadInput
from instruments.files.foreign_text import cell
from instruments.files.whole_file import save_file
from instruments.settings import did_you_mean

FORMS = (".svg", ".csv")
"""What is written without the window; pictures of points are saved there."""


def figure_csv(figure: Figure) -> str:
    """Write the values of a figure; what begins like a formula stays text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line in figure.lines():
        writer.writerow([_cell(text) for text in line])
    return out.getvalue()


def _cell(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return str(cell(text))
    return text


def figure_of(paths: Sequence[Path], choice: Choice) -> Figure:
    """Make a figure of sessions, the baseline first.

    Args:
        paths: The files.
        choice: What it shows; what it does not say is chosen.

    Raises:
        BadInput: One is not a session, or there is nothing to draw.
    """
    with ExitStack() as stack:
        sessions = [stack.enter_context(open_session(path)) for path in paths]
        cases = cases_of(sessions)
        kind = choice.kind or first_kind(cases)
        if kind not in KINDS:
            raise BadInput(
                f'there is no figure of the kind "{kind}"{did_you_mean(kind, KINDS)}',
                where="--kind",
                way_out=f"Use one of {', '.join(KINDS)}.",
            )
        known = {"--x": [one.name for one in metrics_in(cases)]}
        known["--y"] = known["--x"]
        known["--below"] = [*known["--x"], NOTHING]
        known["--over"] = options_in(cases)
        wanted = {"--x": choice.across, "--y": choice.up, "--over": choice.option}
        wanted["--below"] = choice.below
        for key, name in wanted.items():
            if name and name not in known[key]:
                raise BadInput(
                    f'these sessions have no "{name}"{did_you_mean(name, known[key])}',
                    where=key,
                    way_out=f"They have {', '.join(known[key]) or 'none'}.",
                )
        labels = choice.labels or _first_load(cases[0].steps)
        whole = replace(choice, kind=kind, labels=labels)
        return make_figure(cases, usual_choice(cases, whole))


def _first_load(labels: Sequence[str] | object) -> tuple[str, ...]:
    return tuple(labels)[:1] if isinstance(labels, dict) else ()


def write_figure(figure: Figure, path: Path, content: bytes | None = None) -> None:
    """Write a figure as its ending says; a file that is there goes.

    Args:
        figure: What is written.
        path: Ends in one of `FORMS`, unless the content is given.
        content: The file itself, where somebody else has drawn it.

    Raises:
        BadInput: The ending is none of ours, or the file cannot be written.
    """
    if content is None:
        if path.suffix not in FORMS:
            raise BadInput(
                f'a figure is not written as "{path.suffix}"',
                where=str(path),
                way_out=f"Use one of {', '.join(FORMS)}.",
            )
        is_data = path.suffix == ".csv"
        text = figure_csv(figure) if is_data else figure_svg(figure)
        content = text.encode()
    save_file(path, content)
