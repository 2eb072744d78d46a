"""Pages of a PDF as pictures, while others make theirs."""

import io
import threading
from dataclasses import replace
from typing import Any

import pypdfium2
import pytest
from PIL import Image

from app.report.pages.content import Figures, Section
from app.report.pages.pdf import page_pictures, render_pdf
from app.report.pages.template import load_template
from app.report.table import Column, Table
from tests.app.report.pages.test_formats import with_blocks

PAGES = 4


def test_no_two_threads_are_in_pdfium_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not made for that, and a call of it lets other threads run."""
    pdf = io.BytesIO()
    blank = [Image.new("RGB", (60, 40), "white") for _ in range(PAGES)]
    blank[0].save(pdf, "PDF", save_all=True, append_images=blank[1:])
    taken, met, were_alone = threading.Lock(), threading.Event(), []
    usual = pypdfium2.PdfPage.render

    def render(page: pypdfium2.PdfPage, **given: Any) -> pypdfium2.PdfBitmap:
        alone = taken.acquire(blocking=False)
        were_alone.append(alone)
        if not alone:
            met.set()
            return usual(page, **given)
        try:
            met.wait(0.2)  # for another one to come
            return usual(page, **given)
        finally:
            taken.release()

    monkeypatch.setattr(pypdfium2.PdfPage, "render", render)
    made: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: made.extend(page_pictures(pdf.getvalue())))
        for _ in range(2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert were_alone == [True] * 2 * PAGES
    assert [Image.open(io.BytesIO(one)).format for one in made] == ["PNG"] * 2 * PAGES


def test_who_takes_a_page_and_no_more_holds_up_nobody() -> None:
    pdf = io.BytesIO()
    Image.new("RGB", (60, 40), "white").save(pdf, "PDF")
    pages = page_pictures(pdf.getvalue())
    first = next(pages)
    assert list(page_pictures(pdf.getvalue())) == [first]
    assert list(pages) == []


def test_a_word_of_any_length_stays_between_the_margins() -> None:
    word = "Donaudampfschifffahrtsgesellschaft" * 4
    columns = (Column("Workload", "step"), Column("IOPS", "iops"), Column(word, "a"))
    table = Table(
        (*columns, Column("Verdict", "verdict")), ((word, 1.0, word, "FAIL"),)
    )
    section = Section("results", "Results", (Figures("", table),))
    report = replace(with_blocks(), sections=(section,))
    [page] = pypdfium2.PdfDocument(render_pdf(report, load_template()))
    text = page.get_textpage()
    rights = [text.get_rect(n)[2] for n in range(text.count_rects())]
    assert "Verdict" in text.get_text_range()
    assert max(rights) < page.get_width() - 42  # 15 mm
