"""Every format of a report: what is in it, that it is the same again, bad input."""

import io
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import numpy as np
import openpyxl
import pypdf
import pytest
from docx.shared import Pt
from docx.table import Table as DocxTable
from PIL import Image

from app.analysis.again.verify import Agreement
from app.analysis.rules.quality import Part
from app.operations.sessions.export import export_sessions
from app.operations.sessions.published import published_sessions
from app.plan.gates import checklists
from app.record.store import Result, Writer
from app.report.chart.line import Line
from app.report.chart.plot import Plot, PlotCurve
from app.report.gates import LACKS, QUALITY_HEADING, head_of_part
from app.report.pages.content import (
    UNSHOWN,
    Block,
    Charts,
    Figures,
    Notes,
    Picture,
    Report,
    Section,
)
from app.report.pages.docx import render_docx
from app.report.pages.html import render_html
from app.report.pages.latex import render_tex, tex
from app.report.pages.markdown import fenced, render_markdown
from app.report.pages.pdf import render_pdf
from app.report.pages.setup import fact_of
from app.report.pages.template import (
    Template,
    load_template,
)
from app.report.pages.words import Words, said
from app.report.pages.xlsx import render_xlsx
from app.report.table import Column, Table
from instruments.reading import SECOND, Channel, Status
from tests.app.report.rendering import markdown
from tests.app.report.test_document import document, write
from tests.app.ui.sample import write_sample
from tests.session_info import session_info

FORMATS = ["pdf", "xlsx", "docx", "md", "tex", "html", "pages"]


HOSTILE = "=1+1|<b>&\\input{x}$^_#%{}~\"'-- `](http://x)\x07"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("report")
    path = write_sample(folder / "s.bayscope")
    written = export_sessions([path], FORMATS, folder / "out")
    return {one.name.removeprefix("s").lstrip(".-"): one for one in written}


def hostile(folder: Path) -> Path:
    """Write a session whose every name is a trap: a step was aborted, no power."""
    path = folder / "h.bayscope"
    info = session_info(name=HOSTILE, dut=HOSTILE, operator=HOSTILE)
    writer = Writer.create(path, info)
    for number, outcome in enumerate(("DONE", "ABORTED"), 1):
        step = writer.add_step(number, f"{HOSTILE}{number}", "fio", "")
        writer.update_step(step, outcome=outcome, start_ns=0, end_ns=1, reason=HOSTILE)
        if number == 1:
            writer.result(step, Result("iops", 1000.0, "1/s", 0, 1))
    writer.event(0, "error", HOSTILE, HOSTILE)
    writer.artefact(1, "job.fio", "text/plain", HOSTILE.encode())
    writer.set_session(verdict="ABORTED")
    writer.finish()
    return path


def fonts_of(reader: pypdf.PdfReader) -> set[str]:
    found: set[str] = set()
    for page in reader.pages:
        resources: Any = page["/Resources"]
        for font in resources["/Font"].get_object().values():
            found.add(str(font.get_object()["/BaseFont"]))
    return found


def test_a_pdf_has_sections_pages_and_a_footer(files: dict[str, Path]) -> None:
    reader = pypdf.PdfReader(files["pdf"])
    text = "\n".join(page.extract_text() for page in reader.pages)
    for words in ("Summary", "Results", "Charts", "How to reproduce", "SHA-256"):
        assert words in text
    assert f"1 / {len(reader.pages)}" in reader.pages[0].extract_text()
    assert any("Inter" in name for name in fonts_of(reader))


def test_what_is_read_stands_before_what_is_checked(files: dict[str, Path]) -> None:
    pages = pypdf.PdfReader(files["pdf"]).pages
    texts = [page.extract_text() for page in pages]
    [first] = [n for n, text in enumerate(texts) if "Appendix: How to" in text]
    assert 1 < first < 10
    assert "Results" in texts[0]
    assert any("Appendix: Where it comes from" in text for text in texts[first:])


def test_an_appendix_leaves_no_page_almost_empty() -> None:
    report = replace(
        with_blocks(),
        sections=(
            Section("method", "Method", (Notes(("One line.",)),)),
            Section("steps", "Steps", (Notes(("Another one.",)),), "Appendix"),
        ),
    )
    pages = pypdf.PdfReader(io.BytesIO(render_pdf(report, load_template()))).pages
    assert len(pages) == 1


def test_columns_that_no_row_fills_are_not_printed(tmp_path: Path) -> None:
    path = next(one for one in published_sessions() if "enclosure" in one.name)
    [page] = export_sessions([path], ["md"], tmp_path)
    results = page.read_text().partition("## Results")[2].partition("##")[0]
    assert "Power (W)" in results
    assert "Energy (Wh)" not in results
    assert "Steps and measured windows" not in page.read_text()


def test_the_full_set_has_gates_and_rules(tmp_path: Path) -> None:
    path = write_sample(tmp_path / "s.bayscope", step_s=4)
    text = {
        name: export_sessions([path], ["md"], tmp_path / name, template=name)[0]
        .read_text()
        .partition("## Appendix: ")
        for name in ("standard", "full")
    }
    assert text["standard"][0] == text["full"][0]
    appendix = {
        name: re.findall("^## Appendix: (.*)", mark + rest, flags=re.MULTILINE)
        for name, (_, mark, rest) in text.items()
    }
    more = ["Gates", "Rules of the checklists"]  # the sample has no scripts
    assert not set(more) & set(appendix["standard"])
    assert [one for one in appendix["full"] if one not in appendix["standard"]] == more


def test_heads_titles_and_facts_are_in_the_language(tmp_path: Path) -> None:
    path = write_sample(tmp_path / "s.bayscope", step_s=4)
    [page] = export_sessions([path], ["html"], tmp_path, language="de")
    text = page.read_text()
    for words in (
        "Höchstwert: Leistung",
        ">Wirkleistung (W)<",
        "Leistung (W)",
        "Anhang",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Power (kW)", "Leistung (kW)"),
        ("Rise (K)", "Hub (K)"),
        ("Rise", "Rise"),
        ("IOPS (a)", "IOPS (a)"),
        ("Cost/year (EUR, 0.3 per kWh, PUE 1.3)", "Kosten (EUR, 0,3 je kWh, PUE 1,3)"),
        ("99.9 % (ms)", "99,9 % (ms)"),
        ("50 %: 15.7 ms", "50 %: 15,7 ms"),
        ("Power: Power of v1.2.3", "Leistung: Power of v1.2.3"),
    ],
)
def test_a_text_is_said_with_its_brackets(text: str, wanted: str) -> None:
    words = Words({"Power": "Leistung", "Rise (K)": "Hub (K)", "per kWh": "je kWh"})
    words["Cost/year"] = "Kosten"
    assert said(text, words, load_template(language="de").language.style) == wanted


def test_cells_are_in_the_language_and_names_of_rows_are_not() -> None:
    german = load_template(language="de")
    report = replace(with_blocks(), words=german.words, style=german.language.style)
    columns = (Column("Workload", "step"), Column("Reason", "reason"), Column("n", "n"))
    rows = (("stale", "stale", 8249.0), ("Power", "Power (W)", 62728))
    assert report.texts(Table(columns, rows)) == [
        ["stale", "veraltet", "8.249"],
        ["Power", "Leistung (W)", "62.728"],
    ]


def test_numbers_are_no_sentences_and_versions_no_numbers() -> None:
    german = load_template("full", "de")
    heads = ("Workload", "step"), ("Firmware", "fw"), ("n", "n"), ("Reason", "reason")
    columns = tuple(Column(*head) for head in heads)
    rows = (("a", "1.403", 12000, "at 1.5"), ("b", "fio-3.33", 987654.0, "stale"))
    report = replace(
        with_blocks(),
        sections=(Section("x", "X", (Figures("", Table(columns, rows)),)),),
        words=german.words,
        style=german.language.style,
    )
    pages: Any = docx.Document(io.BytesIO(render_docx(report, german)))
    reader = pypdf.PdfReader(io.BytesIO(render_pdf(report, german)))
    for text in (
        render_html(report, german),
        render_markdown(report, german),
        render_tex(report, german),
        " ".join(c.text for t in pages.tables for c in t._cells),
        " ".join(page.extract_text() for page in reader.pages),
    ):
        plain = text.replace("\\", "").replace("{}", "")
        for shown in ("1.403", "12.000", "at 1,5", "fio-3.33", "987.654"):
            assert shown in plain
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(report)))
    values = [cell.value for sheet in book for row in sheet for cell in row]
    assert {"1.403", 12000, "at 1,5", "fio-3.33", 987654} <= set(values)


def test_what_the_parts_of_a_report_are_called_is_known_in_every_language() -> None:
    words = load_template(language="de").words
    parts = [one for part in Part for one in (part, head_of_part(part))]
    reasons = [one for one in Status if not one.is_value]
    assert {*parts, QUALITY_HEADING} <= words.keys()
    assert {str(one) for one in (*reasons, *Agreement, *LACKS.values())} <= words.keys()
    rules = {rule.title for one in checklists().values() for rule in one.rules}
    assert {said(one, words) for one in rules}.isdisjoint(rules)


def test_pages_are_pictures_of_it(files: dict[str, Path]) -> None:
    count = len(pypdf.PdfReader(files["pdf"]).pages)
    pages = [path for name, path in files.items() if name.startswith("page-")]
    assert len(pages) == count
    with Image.open(pages[0]) as image:
        assert image.height > image.width > 800


def test_a_workbook_is_printed_on_its_pages(files: dict[str, Path]) -> None:
    book = openpyxl.load_workbook(files["xlsx"])
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        if sheet.title != "Charts":
            assert sheet.sheet_properties.pageSetUpPr.fitToPage
            assert sheet.page_setup.fitToHeight == 0
    # Two charts a page: a break lies above every third one.
    charts = book["Charts"]
    tops = [one.anchor._from.row for one in charts._charts]
    assert [one.id for one in charts.row_breaks.brk] == [top - 1 for top in tops[2::2]]
    assert charts.page_setup.scale == 75
    # Of the points of charts the heads alone.
    assert book["Data"].max_row > 2
    assert book["Data"].print_area.endswith("$2")
    heads = book["Steps and measured windows"].print_title_rows
    row = int(heads.partition(":")[0].strip("$"))
    assert book["Steps and measured windows"].cell(row, 1).value == "Workload"
    derived = book["Derived figures"]
    (row,) = (cell.row for cell in derived["A"] if cell.value == "Figure")
    assert derived["C"][row - 1].value == "Of the bench"  # in a narrow column
    assert derived.row_dimensions[row].height == 2 * 15


def test_a_workbook_has_numbers_and_charts_of_its_own(files: dict[str, Path]) -> None:
    book = openpyxl.load_workbook(files["xlsx"])
    assert {"Results", "Charts", "Data"} <= set(book.sheetnames)
    sheet = book["Results"]
    heads = [cell for row in sheet for cell in row if cell.value == "Power (W)"]
    value = sheet.cell(heads[0].row + 1, heads[0].column).value
    assert value == pytest.approx(412.0)
    assert len(book["Charts"]._charts) >= 3
    data = book["Data"]
    assert all(isinstance(cell.value, int | float | None) for cell in data[5])


def test_a_word_document_has_tables_and_pictures(files: dict[str, Path]) -> None:
    made = docx.Document(str(files["docx"]))
    titles = [
        one.text
        for one in made.paragraphs
        if one.style is not None and one.style.name == "Heading 1"
    ]
    assert {"Summary", "Results", "Charts"} <= set(titles)
    assert any(
        "Power (W)" in cell.text for t in made.tables for cell in t.rows[0].cells
    )
    assert len(made.inline_shapes) >= 3
    assert "Appendix: How to reproduce" in titles
    assert not any("Where it comes from" in one for one in titles)  # it has no links


def test_tables_of_a_word_document_repeat_their_heads_and_break_no_word(
    files: dict[str, Path],
) -> None:
    made: Any = docx.Document(str(files["docx"]))
    headed = [one for one in made.tables if one.style.name != "Normal Table"]
    assert len(headed) > 5
    for table in headed:
        assert table.rows[0]._tr.trPr.xpath("w:tblHeader")
        for column in table.columns:
            words = [word for cell in column.cells for word in cell.text.split()]
            size = column.cells[0].paragraphs[0].runs[0].font.size
            # In bold letters of two thirds of their height, between the cell's edges.
            room = column.width - Pt(6)
            assert room > 0.62 * size * max(map(len, words), default=0), words


def test_latex_draws_its_charts_itself(files: dict[str, Path]) -> None:
    text = files["tex"].read_text()
    assert text.count("\\begin{axis}") == text.count("\\end{axis}") >= 3
    assert text.count("{longtable}") % 2 == 0
    assert "\\end{document}" in text
    assert "Where it comes from" not in text  # it has no links


def test_the_same_session_gives_the_same_bytes(
    files: dict[str, Path], tmp_path: Path
) -> None:
    first = {path.name: path for path in files.values()}
    path = files["pdf"].parent.parent / "s.bayscope"
    again = export_sessions([path], FORMATS, tmp_path)
    assert {one.name for one in again} == first.keys()
    for one in again:
        assert one.read_bytes() == first[one.name].read_bytes(), one.name


def test_names_are_text_in_every_format(tmp_path: Path) -> None:
    path = hostile(tmp_path)
    names = ["pdf", "html", "xlsx", "docx", "md", "tex", "csv", "svg"]
    made = {f.suffix: f for f in export_sessions([path], names, tmp_path / "out")}
    book = openpyxl.load_workbook(made[".xlsx"])
    cells = [c for sheet in book for row in sheet for c in row if c.value is not None]
    assert all(cell.data_type != "f" and cell.hyperlink is None for cell in cells)
    assert any(str(cell.value).startswith("=1+1") for cell in cells)
    html = made[".html"].read_text()
    assert "<b>" not in html
    latex = made[".tex"].read_text()
    assert "\\input{" not in latex
    assert not re.search(r"(?<!\\)\$", latex)
    prose = re.sub(r"(```+).*?\1", "", made[".md"].read_text(), flags=re.DOTALL)
    assert "](http" not in prose
    with zipfile.ZipFile(made[".docx"]) as archive:
        assert b"<b>&" not in archive.read("word/document.xml")
    text = "".join(p.extract_text() for p in pypdf.PdfReader(made[".pdf"]).pages)
    assert "ABORTED" in text


def with_blocks(*blocks: Block) -> Report:
    sections = (Section("charts", "Charts", blocks),)
    return Report("t", "", "", "", "", "", (), sections, "")


def test_a_curve_of_the_axis_at_the_right_has_one_in_a_workbook() -> None:
    x = np.arange(3.0)
    curves = tuple(
        PlotCurve(name, Line(x, x, x, x), is_band=False, side=side)
        for side, name in enumerate(("Power", "Temperature"))
    )
    plot = Plot("Two", "W", curves, (0.0, 2.0), right_unit="degC")
    content = render_xlsx(with_blocks(Charts((plot,))))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        chart = archive.read("xl/charts/chart1.xml").decode()
    assert chart.count("<c:scatterChart>") == 2
    assert '<c:crosses val="max"/>' in chart


@pytest.mark.parametrize("name", ["='\\\\evil\\[x.xlsx]S'!$A$1", "Rack!A1", "=1+1"])
def test_no_name_of_a_chart_is_a_reference(name: str) -> None:
    values = np.arange(3.0)
    curve = PlotCurve(name, Line(values, values, values, values), is_band=False)
    plot = Plot(name, "", (curve,), (0.0, 2.0))
    content = render_xlsx(with_blocks(Charts((plot,))))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        chart = archive.read("xl/charts/chart1.xml").decode()
    references = re.findall(r"<c:f>(.*?)</c:f>", chart)
    assert len(references) == 4
    assert all(one.startswith("Data!") for one in references)
    assert chart.count(f"<c:v>{name}</c:v>") == 2
    data = openpyxl.load_workbook(io.BytesIO(content))["Data"]
    assert (data["A1"].value, data["B2"].value) == (name, name)


@pytest.mark.parametrize(
    "kept", [b"", b"no picture" * 9, b"\x89PNG\r\n\x1a\n", b"\xff\xd8"]
)
def test_a_damaged_picture_is_said_in_its_place(kept: bytes) -> None:
    report = with_blocks(Picture("slots.png", "image/png", kept), Notes(("after",)))
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(report)))
    cells = [cell.value for row in book["Charts"] for cell in row]
    assert {"slots.png", UNSHOWN, "after"} <= set(cells)
    made = docx.Document(io.BytesIO(render_docx(report, Template())))
    lines = [one.text for one in made.paragraphs]
    assert {"slots.png", UNSHOWN, "after"} <= set(lines)


def test_a_small_table_stays_on_one_page_of_a_pdf() -> None:
    column = Column("Workload", "step")
    high, low = (
        Table((column,), tuple((f"{name} {n}",) for n in range(lines)))
        for name, lines in (("high", 34), ("low", 12))
    )
    report = with_blocks(Figures("High", high), Figures("Low", low))
    first, second = pypdf.PdfReader(
        io.BytesIO(render_pdf(report, load_template()))
    ).pages
    assert "high 33" in first.extract_text()
    assert "low" not in first.extract_text().lower()
    assert "low 11" in second.extract_text()


def test_the_foot_of_a_page_takes_two_lines() -> None:
    foot = "2026-11-23_07-46-01_demo-five-workloads.bayscope. SHA-256 of the session: "
    foot += f"{'45dd0af0' * 8}. Recorded and written by Bayscope 0.1.0."
    report = replace(with_blocks(Notes(("x",))), footer=foot)
    [page] = pypdf.PdfReader(io.BytesIO(render_pdf(report, load_template()))).pages
    lines = page.extract_text().rpartition("2026-11-23")[2].splitlines()
    assert len([one for one in lines if one.strip() and "1 / 1" not in one]) <= 2


def test_no_number_of_a_word_document_wraps(tmp_path: Path) -> None:
    heads = ("Workload", "IOPS", *("99.99 % (ms)",) * 10, "Completion max (ms)")
    cells = ("Sequential write 4M", 104767.0, *(509.608,) * 10, "<= 1254.5 ms")
    columns = tuple(Column(head, str(n), 3) for n, head in enumerate(heads))
    table = Table(columns, (cells, ("Idle", 1.0, *(1.0,) * 11)))
    content = render_docx(with_blocks(Figures("Latency", table)), Template())
    (tmp_path / "r.docx").write_bytes(content)
    parts = docx.Document(str(tmp_path / "r.docx")).tables
    assert [cell.text for part in parts for cell in part.rows[0].cells[1:]] == [
        head.replace(" %", "\N{NO-BREAK SPACE}%") for head in heads[1:]
    ]
    assert len(parts) > 1
    for made in parts:
        assert [row.cells[0].text for row in made.rows] == [
            "Workload",
            cells[0],
            "Idle",
        ]
        assert_no_number_wraps(made)


def assert_no_number_wraps(made: DocxTable) -> None:
    for line, row in enumerate(made.rows):
        for number, cell in enumerate(row.cells):
            [paragraph] = cell.paragraphs
            [run] = paragraph.runs
            assert 0 in (line, number) or " " not in run.text
            assert cell.width is not None
            assert run.font.size is not None
            assert run.font.size >= Pt(6.5)
            # Digits of DejaVu Sans, the widest font that stands in for Calibri.
            needed = 0.64 * max(map(len, run.text.split(" "))) * run.font.size
            assert needed + 2 * Pt(3) <= cell.width + 20
    first, *_ = made.rows[0].cells
    assert first.paragraphs[0].paragraph_format.keep_with_next


def test_charts_of_a_long_session_keep_its_peak_and_its_gap(tmp_path: Path) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, session_info())
    power = Channel("mains", "P", "W", period_ns=SECOND)
    times = np.arange(6001, dtype=np.int64) * SECOND
    watts = np.full((6001, 1), 100.0)
    watts[1001] = 500.0
    for part in (slice(0, 3001), slice(3601, 6001)):
        writer.append_trace((power,), times[part], times[part], watts[part])
    gone = int(times[3001]), int(times[3600])
    writer.gap((power,), *gone, Status.TIMEOUT, "no answer")
    writer.finish()
    book, latex = export_sessions([path], ["xlsx", "tex"], tmp_path / "out")
    data = openpyxl.load_workbook(book)["Data"]
    assert (data["A1"].value, data["A2"].value) == ("Active power (W)", "Time (s)")
    rows = list(data.iter_rows(min_row=3, max_col=2, values_only=True))
    assert max(value for _, value in rows if value is not None) == 500.0
    silent = [float(str(time)) for time, value in rows if value is None]
    assert silent
    assert all(3000 <= time <= 3601 for time in silent)
    text = latex.read_text()
    _, _, drawn = text.partition("\\addplot")
    points = re.findall(r"\(([\d.]+),([\d.]+|nan)\)", drawn.partition(";")[0])
    assert max(float(value) for _, value in points if value != "nan") == 500.0
    assert any(value == "nan" for _, value in points)
    assert len(points) < 1000


def test_gaps_of_all_channels_of_a_source_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, session_info())
    for host in ("load1", "load2"):
        for quantity in ("read_bw", "read_iops"):
            channel = Channel("fio", quantity, "B/s", host, period_ns=SECOND)
            writer.gap((channel,), 0, 2 * SECOND, Status.STANDBY, "")
    writer.finish()
    [text] = export_sessions([path], ["md"], tmp_path / "out")
    told = text.read_text().partition("### Gaps")[2].splitlines()
    assert [line for line in told if "standby" in line] == [
        "| fio | standby | 4 | 8.0 |"
    ]


def test_letters_of_latex_are_written_out() -> None:
    assert tex("50 %_$") == "50 \\%\\_\\$"
    assert tex("\\x{}") == "\\textbackslash{}x\\{\\}"
    assert "\n" not in tex("a\nb")


def test_a_title_and_a_code_block_stay_what_they_are(tmp_path: Path) -> None:
    made = replace(document(write(tmp_path)), title="a\n# b")
    assert markdown(made).startswith("# a # b\n")
    assert fenced("x\n```\n# y") == "````\nx\n```\n# y\n````"


def test_a_form_is_what_the_results_are_in(tmp_path: Path) -> None:
    path = write(tmp_path)
    (text,) = export_sessions([path], ["md"], tmp_path / "out", form="lab")
    results = text.read_text().partition("## Results")[2].partition("\n## ")[0]
    assert "| Workload | Power (W) | IOPS | Bandwidth (MB/s) |" in results
    assert "Lambda (Idle)" in results


def test_a_computer_without_fonts_sets_pages_in_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, empty = write(tmp_path), tmp_path / "fonts.conf"
    empty.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig/>'
    )
    monkeypatch.setenv("FONTCONFIG_FILE", str(empty))
    command = [sys.executable, "-W", "error::UserWarning", "-m", "app", "export"]
    command += [str(path), "--format", "pdf", "--to", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    (made,) = tmp_path.glob("*.pdf")
    assert any("Inter" in name for name in fonts_of(pypdf.PdfReader(made)))


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("mains_voltage", "230", ("Mains voltage", "230 V")),
        ("net_capacity_tb", "720", ("Net capacity", "720 TB")),
        ("enclosure_w", "35.5", ("Enclosure", "35.5 W")),
        ("size_bytes", "1000", ("Size", "1000 B")),
        ("model", "AB_W", ("Model", "AB_W")),
    ],
)
def test_a_fact_of_the_bench_has_its_unit(
    key: str, value: str, wanted: tuple[str, str]
) -> None:
    assert fact_of(key, value) == wanted


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_table_wider_than_a_page_is_divided_by_its_columns(language: str) -> None:
    heads = [f"Leistungsaufnahme{n:02d}" for n in range(16)]
    columns = (Column("Workload", "step"), *(Column(h, h, 2) for h in heads))
    cells = [float(n) for n in range(16)]
    table = Table(columns, tuple((f"row {line}", *cells) for line in range(3)))
    report = with_blocks(Figures("Wide", table))
    pdf = render_pdf(report, load_template(language=language))
    ends: dict[str, float] = {}

    def seen(text: str, _: Any, matrix: list[float], __: Any, size: float) -> None:
        for head in heads:
            if head in text:
                ends[head] = matrix[4] + 0.5 * size * len(head)

    (page,) = pypdf.PdfReader(io.BytesIO(pdf)).pages
    text = page.extract_text(visitor_text=seen)
    assert [*ends] == heads
    assert max(ends.values()) < float(page.mediabox.width)
    assert text.count("row 1") == text.count("Workload") > 1
    # A window scrolls: it has the table in one.
    assert render_html(report, load_template()).count("<table>") == 1
