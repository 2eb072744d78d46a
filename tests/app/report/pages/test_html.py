"""A report as one HTML page: alone, alive, and safe from what others wrote."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

from app.operations.sessions.export import export_sessions
from tests.app.report.rendering import render_html
from tests.app.report.test_document import document, write
from tests.app.ui.sample import write_sample


def page(path: Path, language: str = "") -> str:
    (file,) = export_sessions([path], ["html"], path.parent / "out", language=language)
    return file.read_text()


def test_it_needs_no_other_file_and_no_network(tmp_path: Path) -> None:
    text = page(write_sample(tmp_path / "s.bayscope"))
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<!DOCTYPE") == 1
    places = re.findall(r'(?:src|href)="([^"]*)"|url\(([^)]*)\)', text)
    assert all(one.startswith(("#", "data:")) for pair in places for one in pair if one)
    assert text.replace("http://www.w3.org/2000/svg", "").count("http") == 1  # meta


def test_it_has_every_section(tmp_path: Path) -> None:
    text = page(write_sample(tmp_path / "s.bayscope"))
    for name in (
        "summary",
        "device",
        "setup",
        "method",
        "results",
        "charts",
        "quality",
    ):
        assert f'<section id="{name}">' in text, name
        assert f'href="#{name}"' in text


def test_charts_have_their_points_with_them(tmp_path: Path) -> None:
    text = page(write_sample(tmp_path / "s.bayscope"))
    parts = re.findall(r'<script type="application/json">(.*?)</script>', text)
    charts = [json.loads(part) for part in parts]
    power = next(one for one in charts if one["sides"][0]["unit"] == "W")
    (curve,) = power["curves"]
    assert len(curve["x"]) == len(curve["m"])
    assert None in curve["m"]  # the meter was silent for a while: a gap stays a gap
    assert power["span"][1] > 100
    assert power["steps"][0][0] == "Idle"


def test_only_its_own_script_may_run(tmp_path: Path) -> None:
    text = page(write_sample(tmp_path / "s.bayscope"))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    mark = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{mark}&#39;" in text
    assert "default-src &#39;none&#39;" in text


def test_what_others_wrote_is_no_tag(tmp_path: Path) -> None:
    whole = document(write(tmp_path))
    text = render_html(replace(whole, title="<script>x</script>", dut="<img src=x>"))
    assert "<script>x" not in text
    assert "<img" not in text
    hostile = "</script><script>alert(1)</script>"
    path = write_sample(tmp_path / "s.bayscope", name=hostile)
    assert "<script>alert" not in page(path)


def test_a_crash_stands_above_the_table(tmp_path: Path) -> None:
    whole = document(write(tmp_path))
    assert 'class="ERROR"' not in render_html(whole)
    text = render_html(replace(whole, crash="it <ended>"))
    assert '<p class="ERROR">It &lt;ended&gt;.</p>' in text
    assert text.index("It &lt;ended") < text.index("<table>")


def test_german_has_its_own_words_numbers_and_dates(tmp_path: Path) -> None:
    text = page(write_sample(tmp_path / "s.bayscope"), "de")
    assert '<html lang="de">' in text
    assert "<h2>Ergebnisse</h2>" in text
    assert ">Leistung (W)<" in text
    assert re.search(r">\d{3},\d<", text)
    assert re.search(r"\d\d\.\d\d\.\d{4}", text)


def test_every_colour_of_a_drawing_has_one_in_the_dark(tmp_path: Path) -> None:
    path = write_sample(tmp_path / "s.bayscope")
    text = page(path)
    dark = text[text.index("prefers-color-scheme: dark") :]
    drawn = "".join(re.findall(r"<svg.*?</svg>|<script>.*?</script>", text, re.DOTALL))
    used = set(re.findall(r'(fill|stroke)="(#\w{6})"', drawn))
    assert len(used) > 8
    for kind, colour in used:
        assert f'[{kind}="{colour}"] {{ {kind}: #' in dark, colour
