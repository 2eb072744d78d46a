from dataclasses import replace
from pathlib import Path

from app.report.html import render_html
from tests.app.report.test_document import document, write


def test_it_needs_no_other_file(tmp_path: Path) -> None:
    drawing = b"<?xml version='1.0'?><!DOCTYPE svg><svg><title>P</title></svg>"
    text = render_html(document(write(tmp_path)), drawing)
    assert text.startswith("<!DOCTYPE html>")
    assert "<svg><title>P</title></svg>" in text
    assert text.count("<?xml") == 0
    assert text.count("<!DOCTYPE") == 1
    for outside in ("src=", "href=", "http"):
        assert outside not in text


def test_without_a_chart_there_is_no_figure(tmp_path: Path) -> None:
    assert "<figure>" not in render_html(document(write(tmp_path)))


def test_a_crash_stands_above_the_table(tmp_path: Path) -> None:
    whole = document(write(tmp_path))
    assert 'class="ERROR"' not in render_html(whole)
    text = render_html(replace(whole, crash="it <ended>"))
    assert '<p class="ERROR">It &lt;ended&gt;.</p>' in text
    assert text.index("It &lt;ended") < text.index("<table>")


def test_what_others_wrote_is_no_tag(tmp_path: Path) -> None:
    whole = document(write(tmp_path))
    text = render_html(replace(whole, title="<script>x</script>", dut="<img src=x>"))
    assert "<script" not in text
    assert "<img" not in text
