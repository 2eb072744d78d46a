"""A document as the pages of the template that ships, without its session."""

from app.report.document import Document
from app.report.pages.html import render_html as html_of
from app.report.pages.markdown import render_markdown
from app.report.pages.report import report_of
from app.report.pages.template import load_template


def render_html(document: Document) -> str:
    template = load_template()
    return html_of(report_of(document, template), template)


def markdown(document: Document) -> str:
    template = load_template()
    return render_markdown(report_of(document, template), template)
