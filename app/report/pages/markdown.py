"""A report as Markdown, from the page of its template."""

import re
from functools import partial

from app.report.pages.content import Report
from app.report.pages.template import Template
from app.report.table import Table
from app.report.text import marked, piped
from instruments.errors import printable


def render_markdown(report: Report, template: Template) -> str:
    """Write a report as Markdown, its charts left out.

    Raises:
        BadInput: The page of the template has a mistake.
    """
    return template.fill(
        "report.md.j2",
        {},
        {"md": marked},
        report=report,
        md=marked,
        code=fenced,
        table=partial(_piped, report),
    )


def _piped(report: Report, table: Table) -> str:
    return "\n".join(piped(report.heads(table), report.texts(table)))


def fenced(text: str) -> str:
    """Put a text between fences that nothing in it closes."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(map(printable, text.splitlines()))
    return f"{fence}\n{lines}\n{fence}"
