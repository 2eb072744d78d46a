"""Export sessions: the report as CSV, Markdown or HTML, the charts as pictures."""

from collections.abc import Callable, Sequence
from pathlib import Path

from app.analysis.interrupted import open_session
from app.record.store import Session
from app.report.chart.drawing import draw_session
from app.report.document import Document, build_document
from app.report.html import render_html
from app.report.origins import with_origins
from app.report.text import comma_separated, markdown
from instruments.errors import BadInput, plain_words
from instruments.files.whole_file import write_whole

FORMATS = ("csv", "md", "html", "png", "svg")
PLANNED_FORMATS = ("xlsx", "docx", "pdf", "tex", "parquet")


def check_formats(formats: Sequence[str]) -> None:
    """Check the names of formats; raises BadInput naming those there are."""
    known = f"Use one of {', '.join(FORMATS)}."
    if not formats:
        raise BadInput("no format is named", where="--format", way_out=known)
    for name in formats:
        if name not in FORMATS:
            what = "is not part of this version" if name in PLANNED_FORMATS else "?"
            told = f'the format "{name}" {what}' if what != "?" else f'"{name}" is none'
            raise BadInput(told, where="--format", way_out=known)


def export_sessions(
    paths: Sequence[Path],
    formats: Sequence[str],
    to: Path,
    *,
    form: str = "",
    failed: Callable[[BadInput], None] | None = None,
) -> list[Path]:
    """Write each session in each format into a folder.

    Args:
        paths: Session files.
        formats: Of FORMATS.
        to: The folder, made where it does not exist.
        form: Name of the form of the tables, "" for every result.
        failed: Takes what is wrong with a session, and the others are written; without
            it the first mistake is raised.

    Returns:
        The files written, named like their sessions; equal names are numbered.

    Raises:
        BadInput: A format, a session or the folder is not good.
    """
    check_formats(formats)
    written: list[Path] = []
    stems = [path.stem for path in paths]
    for number, path in enumerate(paths):
        same = stems[:number].count(path.stem)
        stem = f"{path.stem}-{same + 1}" if same else path.stem
        try:
            with open_session(path) as session:
                document = build_document(session, form=form)
                for name in formats:
                    target = to / f"{stem}.{name}"
                    _write(target, _content(session, document, name))
                    written.append(target)
        except BadInput as error:
            if failed is None:
                raise
            failed(error)
    return written


def _content(session: Session, document: Document, name: str) -> bytes:
    if name == "csv":
        return comma_separated(document).encode()
    if name == "md":
        return markdown(document).encode()
    if name == "html":
        traced = with_origins(session, document)
        return render_html(traced, draw_session(session, "svg")).encode()
    return draw_session(session, name)


def _write(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)
    except OSError as error:
        raise BadInput(
            f"cannot be written, {plain_words(error)}",
            where=str(target),
            way_out="Choose another folder.",
        ) from error
