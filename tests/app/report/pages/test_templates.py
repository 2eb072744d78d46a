"""A lab's own pages, words and title block."""

import io
from pathlib import Path

import numpy as np
import pypdf
import pytest
from PIL import Image

from app.operations.sessions.export import export_sessions
from app.report.chart.line import Line
from app.report.pages.template import (
    Template,
    languages,
    load_template,
    own_folder,
    template_names,
)
from instruments.errors import BadInput
from tests.app.report.test_document import write
from tests.app.ui.sample import write_sample


class TestTemplates:
    """A lab's own pages, words and title block."""

    @pytest.fixture
    def own(self, home: Path) -> Path:
        folder = own_folder() / "ours"
        folder.mkdir(parents=True)
        return folder

    def exported(self, folder: Path, name: str = "md") -> str:
        path = write(folder)
        (file,) = export_sessions([path], [name], folder / "out", template="ours")
        return file.read_text()

    def test_what_it_lacks_is_the_standards(self, own: Path, tmp_path: Path) -> None:
        (own / "report.toml").write_text(
            'title = "Ours"\nlogo = "logo.png"\nsections = ["results"]\nform = "lab"\n'
            '[head]\nOrganisation = "HDD <lab>"\n[words]\nResults = "Measured"\n'
        )
        Image.new("RGB", (4, 4)).save(own / "logo.png")
        assert template_names() == ["standard", "full", "ours"]
        text = self.exported(tmp_path, "html")
        assert "Organisation: HDD &lt;lab&gt;" in text
        assert 'src="data:image/png;base64,' in text
        assert "<h2>Measured</h2>" in text
        assert 'id="summary"' not in text
        assert "IOPS" in text

    def test_a_page_of_its_own_goes_before(self, own: Path, tmp_path: Path) -> None:
        (own / "report.md.j2").write_text(
            "{{ report.title }} is {{ report.verdict }}\n"
        )
        assert self.exported(tmp_path) == "A & B is PASS\n"

    @pytest.mark.parametrize(
        ("page", "words"),
        [
            ("one\n{{ report.titel }}", "line 2"),
            ("{% for x in %}", "line 1"),
            ("\n\n{{ 1 / 0 }}", "line 3"),
            ("{{ ''.__class__.__mro__ }}", "report.md.j2"),
            ("\n{{ table(1) }}", "line 2"),
            ("\n{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "line 2"),
            ("{{ md(none[0]) }}", "line 1"),
        ],
    )
    def test_a_mistake_is_a_sentence_and_leaves_no_file(
        self, own: Path, tmp_path: Path, page: str, words: str
    ) -> None:
        (own / "report.md.j2").write_text(page)
        with pytest.raises(BadInput, match="the template has a mistake") as raised:
            self.exported(tmp_path)
        assert words in str(raised.value)
        assert not list((tmp_path / "out").glob("*.md"))

    @pytest.mark.parametrize(
        "reached",
        [
            "line.mean[0].tofile(path)",
            "line.x.dump(path)",
            "line.x['tofile'](path)",
            "(line.x | attr('tofile'))(path)",
            "([line.x] | map(attribute='tofile') | first)(path)",
            "'{0.tofile}'.format(line.x)",
            "path.write_text('')",
        ],
    )
    def test_no_method_of_an_array_is_reached(
        self, own: Path, tmp_path: Path, reached: str
    ) -> None:
        (own / "page.j2").write_text(f"{{{{ line.x[0] }}}} {{{{ {reached} }}}}")
        ones, target = np.ones(3), tmp_path / "made"
        line = Line(ones, ones, ones, ones)
        with pytest.raises(BadInput, match=r"is unsafe\.(?!\.)"):
            Template(folder=own).fill("page.j2", {}, {}, line=line, path=target)
        assert not target.exists()

    @pytest.mark.parametrize(
        ("name", "block", "value"),
        [
            ("md", "{% %s %}", "{{ %s }}"),
            ("html", "{% %s %}", "{{ %s }}"),
            ("tex", "<% %s %>", "<<< %s >>>"),
        ],
    )
    def test_no_page_writes_a_file(
        self, own: Path, tmp_path: Path, name: str, block: str, value: str
    ) -> None:
        target = tmp_path / "made"
        parts = (
            (block, "for s in report.sections if s.name == 'charts'"),
            (value, f"s.blocks[0].plots[0].curves[0].line.x.tofile('{target}')"),
            (block, "endfor"),
        )
        body = "".join(mark.replace("%s", text) for mark, text in parts)
        (own / f"report.{name}.j2").write_text(body)
        path = write_sample(tmp_path / "s.bayscope", step_s=4)
        with pytest.raises(BadInput, match="unsafe"):
            export_sessions([path], [name], tmp_path / "out", template="ours")
        assert not target.exists()

    @pytest.mark.parametrize(
        "text",
        [
            'sections = ["resluts"]',
            'logo = "../../etc/passwd.png"',
            'logo = "none.png"',
            'language = "xx"',
            "charts = 1",
            "colour = 1",
        ],
    )
    def test_settings_with_a_mistake_are_refused(self, own: Path, text: str) -> None:
        (own / "report.toml").write_text(text + "\n")
        with pytest.raises(BadInput):
            load_template("ours")

    def test_others_than_there_are_get_the_names(self) -> None:
        with pytest.raises(BadInput, match="standard"):
            load_template("nothing")
        with pytest.raises(BadInput, match="de"):
            load_template(language="xx")
        assert languages() == ["de", "en"]

    def test_a_broken_word_document_is_said(self, own: Path, tmp_path: Path) -> None:
        (own / "report.docx").write_bytes(b"no zip")
        with pytest.raises(BadInput, match="not a Word document"):
            self.exported(tmp_path, "docx")

    def test_a_page_fetches_nothing_from_elsewhere(
        self, own: Path, tmp_path: Path
    ) -> None:
        (own / "report.css").write_text(
            "@import url(file:///etc/passwd);\n"
            "body { background: url(http://127.0.0.1:9/x.png) }\n"
        )
        path = write(tmp_path)
        (file,) = export_sessions([path], ["pdf"], tmp_path, template="ours")
        assert pypdf.PdfReader(io.BytesIO(file.read_bytes())).pages


def test_the_template_that_ships_is_whole() -> None:
    for name in ("report.html.j2", "report.css", "report.js", "report.md.j2"):
        text, _ = Template().text(name)
        assert text
