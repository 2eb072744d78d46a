"""Export sessions: the table as CSV, the report in many formats, charts as pictures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from app.analysis.interrupted import open_session
from app.record.store import Session
from app.report.chart.plot import plots_of
from app.report.chart.svg import WIDTH, stacked_height, stacked_svg
from app.report.document import Document, build_document
from app.report.folded import folded
from app.report.origins import with_origins
from app.report.pages.content import Report
from app.report.pages.docx import render_docx
from app.report.pages.html import render_html
from app.report.pages.latex import render_tex
from app.report.pages.markdown import render_markdown
from app.report.pages.pdf import page_pictures, pictures_of, render_pdf
from app.report.pages.report import in_form, make_report
from app.report.pages.sections import PAPER_POINTS, SCREEN_POINTS, TEX_POINTS
from app.report.pages.template import ORIGINS, STANDARD, Template, load_template
from app.report.pages.xlsx import render_xlsx
from app.report.spread import with_spread
from app.report.text import comma_separated
from instruments.errors import BadInput
from instruments.files.whole_file import check_folder, save_file
from instruments.settings import did_you_mean

ARCHIVE = "parquet"
"""All samples, results and steps, into an archive of many sessions."""

FORMATS = (
    *("pdf", "html", "xlsx", "docx", "md", "tex", "csv", "png", "svg", "pages"),
    ARCHIVE,
)
"""Formats of a report; "pages" are the pages of the PDF as pictures."""


def check_formats(formats: Sequence[str]) -> None:
    """Check the names of formats; raises BadInput naming those there are."""
    known = f"Use one of {', '.join(FORMATS)}."
    if not formats:
        raise BadInput("no format is named", where="--format", way_out=known)
    for name in formats:
        if name not in FORMATS:
            mistake = f'"{name}" is not one{did_you_mean(name, FORMATS)}'
            raise BadInput(mistake, where="--format", way_out=known)


def export_sessions(
    paths: Sequence[Path],
    formats: Sequence[str],
    to: Path,
    *,
    form: str = "",
    template: str = STANDARD,
    language: str = "",
    spread: bool = False,
    failed: Callable[[BadInput], None] | None = None,
) -> list[Path]:
    """Write each session in each format into a folder.

    Args:
        paths: Session files.
        formats: Of FORMATS.
        to: The folder, made where it does not exist.
        form: Name of the form of the tables, "" for every result.
        template: Name of the set of templates.
        language: Instead of that of the template, such as "de".
        spread: Whether figures have their uncertainty beside them; not in CSV.
        failed: Takes what is wrong with a session, and the others are written; without
            it the first mistake is raised.

    Returns:
        The files written, named like their sessions; equal names are numbered.

    Raises:
        BadInput: A format, a session or the folder is not good.
    """
    check_formats(formats)
    pages = load_template(template, language)
    check_folder(to)
    written: list[Path] = []
    stems = [path.stem for path in paths]
    for number, path in enumerate(paths):
        same = stems[:number].count(path.stem)
        stem = f"{path.stem}-{same + 1}" if same else path.stem
        try:
            with open_session(path) as session:
                files = _Files(session, pages, form, spread=spread)
                for name in formats:
                    if name == ARCHIVE:
                        written += _archived(path, to, stem)
                        continue
                    for target, content in files.of(to, stem, name):
                        save_file(target, content)
                        written.append(target)
        except BadInput as error:
            if failed is None:
                raise
            failed(error)
    return written


def first_file(to: Path, stem: str, name: str) -> Path:
    """Get where a format is written to, or the first file of several."""
    if name == ARCHIVE:
        from app.operations.sessions.samples import partition  # noqa: PLC0415

        return partition(to, "samples", stem)
    return to / (f"{stem}-page-01.png" if name == "pages" else f"{stem}.{name}")


def _archived(path: Path, to: Path, stem: str) -> Sequence[Path]:
    # Arrow takes a while to import.
    from app.operations.sessions.samples import export_samples  # noqa: PLC0415

    return export_samples(path, [ARCHIVE], to, name=stem).files


class _Files:
    """Makes the files of one session; what several of them are made of, once."""

    def __init__(
        self, session: Session, template: Template, form: str, *, spread: bool = False
    ) -> None:
        self._session = session
        self._template = template
        self._form = form or template.form
        self._spread = spread

    @cached_property
    def _document(self) -> Document:
        return build_document(self._session)

    @cached_property
    def _traced(self) -> Document:
        """Get the document of the report, its results in its form, with origins."""
        whole = self._document
        if self._form:
            whole = in_form(whole, self._in_form)
        whole = with_spread(whole) if self._spread else whole
        if ORIGINS not in (*self._template.sections, *self._template.appendix):
            return whole
        return with_origins(self._session, whole, self._template.charts)

    @cached_property
    def _in_form(self) -> Document:
        return build_document(self._session, form=self._form, verify=False)

    @cached_property
    def _screen(self) -> Report:
        return self._report(SCREEN_POINTS)

    @cached_property
    def _paper(self) -> Report:
        return self._report(PAPER_POINTS, folded(self._traced))

    def _report(self, points: int, document: Document | None = None) -> Report:
        found = document or self._traced
        return make_report(self._session, found, self._template, points)

    @cached_property
    def _pdf(self) -> bytes:
        return render_pdf(self._paper, self._template)

    def of(self, to: Path, stem: str, name: str) -> Iterator[tuple[Path, bytes]]:
        """Make the files of a format: one, or one for each page."""
        if name == "pages":
            for number, page in enumerate(page_pictures(self._pdf), 1):
                yield to / f"{stem}-page-{number:02}.png", page
        else:
            yield to / f"{stem}.{name}", self._content(name)

    def _content(self, name: str) -> bytes:
        template = self._template
        made: Mapping[str, Callable[[], bytes | str]] = {
            "pdf": lambda: self._pdf,
            "html": lambda: render_html(self._screen, template),
            "md": lambda: render_markdown(self._paper, template),
            "tex": lambda: render_tex(self._report(TEX_POINTS), template),
            "xlsx": lambda: render_xlsx(self._report(PAPER_POINTS)),
            "docx": lambda: render_docx(self._paper, template),
            "csv": self._csv,
            "svg": lambda: self._drawing()[0],
            "png": lambda: next(pictures_of([self._drawing()])),
        }
        content = made[name]()
        return content.encode() if isinstance(content, str) else content

    def _csv(self) -> str:
        return comma_separated(self._in_form if self._form else self._document)

    def _drawing(self) -> tuple[str, float, float]:
        plots = plots_of(self._session, SCREEN_POINTS, self._template.charts)
        drawing = stacked_svg(plots, self._document.heading)
        return drawing, WIDTH, stacked_height(plots)
