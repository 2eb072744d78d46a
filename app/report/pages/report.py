"""Make the report of a session in a template's words."""

from dataclasses import replace
from datetime import UTC, datetime

from app.record.store import Session
from app.report.document import Document
from app.report.pages.content import Report
from app.report.pages.sections import BESIDE, SCREEN_POINTS, sections_of
from app.report.pages.template import Template
from instruments.reading import SECOND


def in_form(document: Document, formed: Document) -> Document:
    """Put the tables of a form in the place of the results of a document."""
    beside = tuple(one for one in document.more if one[1].kind in BESIDE)
    return replace(
        document,
        form=formed.form,
        table=formed.table,
        caption=formed.caption,
        more=(*formed.more, *beside),
    )


def make_report(
    session: Session, document: Document, template: Template, points: int
) -> Report:
    """Make the report of a session.

    Args:
        session: The session.
        document: Its document, its tables in a form or not.
        template: Its sections, words and title block.
        points: Of a curve.
    """
    info = session.info
    ended = info.monotonic_ns if info.ended_ns is None else info.ended_ns
    began = datetime.fromtimestamp(info.realtime_ns / SECOND, UTC).astimezone()
    return replace(
        report_of(document, template, session, points),
        moment=began.strftime(template.language.date),
        made_at=(info.realtime_ns + max(0, ended - info.monotonic_ns)) // SECOND,
        footer=f"{session.path.name}. {template.say_all(document.footer)}",
    )


def report_of(
    document: Document,
    template: Template,
    session: Session | None = None,
    points: int = SCREEN_POINTS,
) -> Report:
    """Make a report of a document; without its session it has fewer sections."""
    is_unclean = document.verdict == "PASS" and bool(document.unclean)
    return Report(
        title=document.title if session else template.say(document.title),
        subject=document.dut,
        moment=document.started if session else template.say(document.started),
        verdict=template.say(document.judged),
        outcome="warn" if is_unclean else document.verdict,
        label=template.say_all(document.label),
        alarms=tuple(map(template.say_all, document.warnings)),
        sections=sections_of(session, document, template, points),
        footer=template.say_all(document.footer),
        language=template.language.name,
        style=template.language.style,
        words=template.words,
        head=template.head,
        logo=template.logo,
    )
