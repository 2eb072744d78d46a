"""A report as PDF, made of its very HTML page, and its pages as pictures."""

import contextlib
import gc
import io
import logging
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from app.report.pages.content import Report
from app.report.pages.html import render_html
from app.report.pages.template import Template
from instruments.errors import BenchError
from resources import read_bytes

_FONT = "font:"
_DOTS = 110
"""Dots an inch of a page as a picture."""

_PDFIUM = threading.Lock()
"""PDFium is not made for several threads; a preview and an export may run at once."""


def render_pdf(report: Report, template: Template) -> bytes:
    """Write a report as PDF; the same report gives the same bytes.

    Raises:
        BadInput: The page of the template has a mistake.
        BenchError: The libraries that set pages are not there.
    """
    html = render_html(report, template, paper=True)
    return _pdf_of(html, report.footer)


def pictures_of(drawings: Sequence[tuple[str, float, float]]) -> Iterator[bytes]:
    """Make PNG pictures of drawings, twice as large as their pixels.

    Args:
        drawings: SVG, width and height of each.

    Raises:
        BenchError: The libraries that set pages are not there.
    """
    fonts = "".join(
        f"@font-face{{font-family:Inter;font-weight:{weight};src:url(font:Inter-{name}"
        ".otf)}"
        for weight, name in ((400, "Regular"), (600, "SemiBold"))
    )
    pages = "".join(
        f"@page p{n}{{size:{width}px {height}px;margin:0}}#d{n}{{page:p{n}}}"
        for n, (_, width, height) in enumerate(drawings)
    )
    body = "".join(f"<div id=d{n}>{one}</div>" for n, (one, *_) in enumerate(drawings))
    style = f"<style>{fonts}{pages}body{{margin:0}}svg{{display:block}}</style>"
    return _pictures(_pdf_of(style + body, ""), scale=2 * 96 / 72)


def page_pictures(pdf: bytes) -> Iterator[bytes]:
    """Make a PNG picture of each page of a PDF."""
    return _pictures(pdf, scale=_DOTS / 72)


def _pdf_of(html: str, identity: str) -> bytes:
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    out = io.BytesIO()
    with warnings.catch_warnings():
        # Of a computer without fonts: ours are enough for all but rare scripts.
        warnings.filterwarnings("ignore", ".*Expect ugly output")
        # Only now: it takes a second, and system libraries that nothing else needs.
        try:
            from weasyprint import HTML  # noqa: PLC0415
        except OSError as error:
            raise BenchError(
                "PDF cannot be made, the library Pango is not there",
                where="export",
                way_out="Install it: apt-get install libpango-1.0-0 "
                "libpangoft2-1.0-0 libharfbuzz-subset0.",
            ) from error
        document = HTML(string=html, url_fetcher=_fetcher())
        identifier = identity.encode()[:64] or b"bayscope"
        with _uncollected():
            document.write_pdf(out, pdf_identifier=identifier)
    return out.getvalue()


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Do without the garbage collector: it looks through every box of a page.

    That is a sixth of the time. In the window, which collects in its own thread only
    (`app.ui.kit.background`), it is off already and stays so.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _fetcher() -> Any:
    """Make what gives a page what it names: our fonts, and what it has in itself."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse  # noqa: PLC0415

    class Fetcher(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:
            if url.startswith(_FONT):
                font = read_bytes("fonts", url.removeprefix(_FONT))
                return URLFetcherResponse(url, font, {"Content-Type": "font/otf"})
            return super().fetch(url, headers)

    return Fetcher(allowed_protocols=("data",))


def _pictures(pdf: bytes, scale: float) -> Iterator[bytes]:
    import pypdfium2  # noqa: PLC0415 - a library of 7 MB

    with _PDFIUM:
        document = pypdfium2.PdfDocument(pdf)
        count = len(document)
    try:
        for number in range(count):
            with _PDFIUM:
                picture = _picture(document, number, scale)
            yield picture
    finally:
        with _PDFIUM:
            document.close()


def _picture(document: Any, number: int, scale: float) -> bytes:
    """Paint a page; what was made of it has gone when it returns."""
    out = io.BytesIO()
    document[number].render(scale=scale).to_pil().save(out, "PNG")
    return out.getvalue()
