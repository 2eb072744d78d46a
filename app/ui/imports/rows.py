"""How a file stands in the list of an import; no Qt."""

from app.record.imports.answers import Question
from app.record.imports.plan import FilePlan, ImportPlan
from app.ui.kit.clock import clock
from app.ui.kit.rows_model import Column
from app.ui.kit.states import Look

_READY = Look("ready", "circle-check", "ok")
_ASKS = Look("incomplete", "triangle-alert", "warn")
_BROKEN = Look("unsupported", "octagon-x", "error")
_ASKED = {
    Question.ZONE: "the time zone",
    Question.DATE: "the date",
    Question.OFFSET: "when it begins",
    Question.FIO_VERSION: "the version of fio",
}


def import_columns() -> list[Column[FilePlan]]:
    """Make the columns of the files to import."""
    return [
        Column("State", lambda one: state_of(one).word, look=state_of),
        Column("File", lambda one: one.path.name, tip=_tip),
        Column("Type", _what, lines=True),
        Column("Clock", clock_text, lines=True),
        Column("Begins", begins, lines=True),
        Column("Duration", _length, right=True),
    ]


def state_of(file: FilePlan) -> Look:
    """Get whether a file can be imported as it stands."""
    if file.error:
        return _BROKEN
    return _ASKS if file.questions else _READY


def clock_text(file: FilePlan) -> str:
    """Say what is known of a file's clock and what has to be said, or its mistake."""
    if file.error:
        return file.error.bare
    asked = " and ".join(_ASKED[question] for question in file.questions)
    told = _sentence(file.clock)
    return f"{told}\nMissing: {asked}" if asked else told


def begins(file: FilePlan) -> str:
    """Write when a file begins and how far that may be off, "" while not known."""
    if file.starts is None:
        return ""
    return f"{file.starts:%Y-%m-%d %H:%M:%S} UTC\n± {file.spread_s:.2g} s"


def same_recording(one: FilePlan, other: FilePlan) -> bool:
    """Tell whether two files are read as one, as the logs of a run are."""
    facts = [
        (file.path.parent, file.kind, file.detail, file.clock, file.length_s)
        for file in (one, other)
    ]
    return facts[0] == facts[1]


def missing(plan: ImportPlan, *, keep_rest: bool) -> str:
    """Tell why files cannot be imported as they stand, "" where they can.

    Args:
        plan: What they are.
        keep_rest: Whether what is damaged or foreign is left out.
    """
    broken = sum(bool(file.error) for file in plan.files)
    if broken == len(plan.files):
        return "None of the files can be imported."
    if broken and not keep_rest:
        return "Remove what cannot be imported, or skip it."
    if plan.questions:
        return "Fill in what the files do not say about their clocks."
    return "The files cannot be put together." if plan.error else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _what(file: FilePlan) -> str:
    return "\n".join(part for part in (file.kind, file.detail) if part)


def _length(file: FilePlan) -> str:
    return "" if file.error or not file.length_s else clock(file.length_s)


def _tip(file: FilePlan) -> str:
    if file.modified is None:
        return str(file.path)
    changed = f"{file.modified:%Y-%m-%d %H:%M:%S} UTC"
    return f"{file.path}\nLast changed {changed}; a hint for you, never used."
