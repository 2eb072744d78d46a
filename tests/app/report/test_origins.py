"""Figures of a report lead to their rows in the appendix, and to what was kept."""

import hashlib
import io
import re
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.analysis.results import step_results
from app.operations.sessions.explaining import explained
from app.record.store import Result, Session, Writer
from app.report.document import Document, build_document
from app.report.folded import folded
from app.report.origins import CHARTS, FIGURES, OUTPUTS, with_origins
from app.report.pages.pdf import render_pdf
from app.report.pages.report import make_report
from app.report.pages.template import load_template
from instruments.reading import SECOND, Channel, Identity
from tests.app.record.recording import INFO, START, TENTH, reading
from tests.app.report.pages.test_html import page

WATTS = (
    Channel("mains", "P", "W", period_ns=TENTH),
    Channel("mains", "S", "VA", period_ns=TENTH),
)
WINDOW = (START + SECOND, START + 11 * SECOND)
OUTPUT = b'{"jobs": "<b>&"}'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("origins") / "x.bayscope"
    writer = Writer.create(path, INFO)
    writer.add_source("mains", "power", "hmc8015", Identity(*"mmsfa"), "")
    for number in range(120):
        raw = f"{number}".encode()
        begin = START + number * TENTH
        writer.append([reading(WATTS, begin, 500.0 + number, 600.0, raw=raw)])
    step = writer.add_step(1, "Load <i>", "idle", "")
    writer.update_step(step, start_ns=START, end_ns=WINDOW[1], verdict="PASS")
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    writer.artefact(step, "fio.json", "application/json", OUTPUT)
    writer.commit()
    with Session.open(path) as session:
        found = step_results(session, WINDOW)
    for result in found:
        writer.result(step, result)
    told = Result("iops", 1000.0, "1/s", *WINDOW, 1, 1, "fio.json, last document")
    writer.result(step, told)
    writer.finish()
    return path


@pytest.fixture(scope="module")
def document(path: Path) -> Document:
    with Session.open(path) as session:
        return with_origins(session, build_document(session))


def _lines(document: Document, title: str) -> dict[str, dict[str, str]]:
    table = dict(document.appendix)[title]
    return {
        anchor: dict(zip(table.heads, cells, strict=True))
        for anchor, cells in zip(table.anchors, table.texts(), strict=True)
    }


def _origin(document: Document, head: str) -> dict[str, str]:
    """Follow the link of a cell of the first row."""
    anchor = document.table.links[0, document.table.heads.index(head)]
    return _lines(document, FIGURES)[anchor]


def test_a_figure_leads_to_its_window_and_its_samples(document: Document) -> None:
    assert _origin(document, "Power (W)") == {
        "Workload": "Load <i>",
        "Result": "Power (W)",
        "Value": "559.9000",
        "Unit": "W",
        "From (s)": "1.000",
        "Until (s)": "11.000",
        "n": "100",
        "of n": "100",
        "Made of": "mains.P",
        "Computed again": "same",
    }
    assert _origin(document, "IOPS")["Computed again"].startswith("what it was made of")


def test_figures_lead_to_what_was_kept_as_it_came(document: Document) -> None:
    appendix = dict(document.appendix)
    table, outputs = appendix[FIGURES], _lines(document, OUTPUTS)
    column = table.heads.index("Made of")
    kept = {
        cells[1]: outputs[table.links[line, column]]
        for line, cells in enumerate(table.texts())
        if (line, column) in table.links
    }
    digest = hashlib.sha256(OUTPUT).hexdigest()
    assert (kept["IOPS"]["Name"], kept["IOPS"]["SHA-256"]) == ("fio.json", digest)
    # Readings whose middle lies in the window.
    replies = "".join(str(number) for number in range(10, 110)).encode()
    power = kept["Power (W)"]
    assert (power["Name"], power["What"]) == ("mains", "100 replies")
    assert power["SHA-256"] == hashlib.sha256(replies).hexdigest()


def test_on_paper_figures_of_one_origin_are_one_line(document: Document) -> None:
    paper = folded(document)
    lines, whole = _lines(paper, FIGURES), dict(document.appendix)[FIGURES]
    assert len(lines) < len(whole.rows) / 2
    tables = [paper.table, *(table for _, table in paper.more)]
    assert {to for table in tables for to in table.links.values()} <= lines.keys()
    for title, before in document.more:
        assert dict(paper.more)[title].links.keys() == before.links.keys()
    power = _origin(paper, "Power (W)")
    assert (power["Made of"], power["n"], power["Until (s)"]) == (
        *("mains.P", "100", "11.000"),
    )
    assert "Power (W)" in power["Result"]
    # What is worked out from others leads to these.
    assert not any(one["Computed again"] == "" for one in lines.values())
    outputs = dict(paper.appendix)[OUTPUTS]
    assert [cells[1] for cells in outputs.rows] == ["fio.json; mains"]
    kept = dict(paper.appendix)[FIGURES].links.values()
    assert set(kept) == set(outputs.anchors)


def test_charts_say_what_they_are_made_of(document: Document) -> None:
    lines = _lines(document, CHARTS).values()
    assert "mains.P" in [line["Channels"] for line in lines]


def test_every_link_of_the_page_leads_somewhere(path: Path) -> None:
    text = page(path)
    links, places = (
        re.findall(r'href="#([^"]+)"', text),
        re.findall(r' id="(.*?)"', text),
    )
    assert len(places) == len(set(places))
    assert set(links) <= set(places)
    kinds = {link.split("-")[0] for link in links if "-" in link}
    assert kinds == {"figure", "output", "chart"}
    assert "<i>" not in text
    with Session.open(path) as session:
        assert f"SHA-256 of the session: {session.sha256()}" in text


def test_figures_of_another_form_have_links_too(path: Path) -> None:
    with Session.open(path) as session:
        found = with_origins(session, build_document(session, form="measured"))
    assert found.table.links
    assert dict(found.appendix)[FIGURES].rows


def test_an_output_that_is_damaged_is_said(tmp_path: Path, path: Path) -> None:
    import sqlite3  # noqa: PLC0415

    copy = tmp_path / "x.bayscope"
    copy.write_bytes(path.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("UPDATE artefact SET content = x'00'")
    connection.close()
    with Session.open(copy) as session:
        found = with_origins(session, build_document(session))
    [output] = (
        one for one in _lines(found, OUTPUTS).values() if one["What"] == "output"
    )
    assert output["SHA-256"] == "it cannot be read"
    assert _origin(found, "Power (W)")["Computed again"] == (
        "the output it was made of cannot be read"
    )


def test_links_of_the_pdf_lead_somewhere(path: Path, document: Document) -> None:
    template = load_template()
    with Session.open(path) as session:
        report = make_report(session, document, template, 100)
    reader = PdfReader(io.BytesIO(render_pdf(report, template)))
    links = [
        str(found["/Dest"] if "/Dest" in found else found["/A"]["/D"])
        for page in reader.pages
        for found in (one.get_object() for one in page.get("/Annots") or ())
        if found["/Subtype"] == "/Link"
    ]
    figures = len(dict(document.appendix)[FIGURES].rows)
    assert len(links) > figures
    assert set(links) <= set(reader.named_destinations)


def two_meters(path: Path, count: int = 120) -> Path:
    """Write a session of a device that two meters feed."""
    writer = Writer.create(path, INFO)
    for name in ("psu1", "psu2"):
        channels = (Channel(name, "P", "W", period_ns=TENTH),)
        writer.add_source(name, "power", "hmc8015", Identity(*"mmsfa"), "")
        for number in range(count):
            raw = f"{name} {number}".encode()
            writer.append([reading(channels, START + number * TENTH, 250.0, raw=raw)])
    window = (START + SECOND, START + (count // 10 - 1) * SECOND)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, start_ns=START, end_ns=window[1], verdict="PASS")
    writer.update_step(step, window_start_ns=window[0], window_end_ns=window[1])
    writer.artefact(step, "log.txt", "text/plain", b"x")
    writer.commit()
    with Session.open(path) as session:
        found = step_results(session, window)
    for result in found:
        writer.result(step, result)
    writer.finish()
    return path


def test_a_figure_of_two_meters_leads_to_the_replies_of_both(tmp_path: Path) -> None:
    path = two_meters(tmp_path / "x.bayscope")
    with Session.open(path) as session:
        document = with_origins(session, build_document(session))
    [both] = {
        tuple(of.items()) for of in dict(document.appendix)[FIGURES].several.values()
    }
    outputs = _lines(document, OUTPUTS)
    assert [name for name, _ in both] == ["psu1", "psu2"]
    assert [outputs[to]["Name"] for _, to in both] == ["psu1", "psu2"]
    text = page(path)
    links = ", ".join(f'<a href="#{to}">{name}</a>' for name, to in both)
    assert f": {links}</td>" in text
    # On paper what was kept of a row is one line.
    figures = dict(folded(document).appendix)[FIGURES]
    assert not figures.several
    assert set(figures.links.values()) == {"output-1"}


def test_the_window_lists_samples_and_replies_of_both_meters(tmp_path: Path) -> None:
    path = two_meters(tmp_path / "x.bayscope", 2500)
    found = explained(path, "Idle", "power_w")
    for text in (found.samples, found.replies):
        for name in ("psu1", "psu2"):
            assert sum(name in line for line in text.splitlines()) == 1000
        assert text.count("more: bayscope explain --csv") == 2
