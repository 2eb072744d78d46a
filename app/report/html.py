"""Reports as one HTML file, the charts within."""

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from app.report.document import Document
from app.report.origins import charts_in
from resources import read_text


def render_html(document: Document, chart_svg: bytes = b"") -> str:
    """Write a report as HTML that needs no other file."""
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    template = environment.from_string(read_text("templates", "report.html.j2"))
    svg = chart_svg.decode("utf-8")
    # The XML declaration and the doctype have no place inside HTML.
    svg = svg[svg.index("<svg") :] if "<svg" in svg else ""
    return template.render(
        document=document,
        rows=document.table.texts(),
        charts=charts_in(document),
        chart=Markup(svg),  # Made by matplotlib, which escapes labels.
    )
