"""What an answer of the operator means."""

import re

_NO = re.compile(
    r"(no|nope|n|not|cancel|fail(ed|s|ure)?|cannot|can't|could not|couldn't)\b",
    re.IGNORECASE,
)

_YES = re.compile(
    r"(yes|y|ok|okay|done|confirm(ed)?|do it|switch off|off)\s*($|[,.;:!(-])",
    re.IGNORECASE,
)

_BUT = re.compile(
    r"\b(no|not|never|wait|but|stop|later|yet|don't|cannot|can't)\b", re.IGNORECASE
)


def is_yes(answer: str) -> bool:
    """Tell whether it agrees: alone, or before what else is to be said.

    What takes power away wants this; silence, "not yet", or "ok, but wait" is no
    consent.
    """
    return _YES.match(answer.strip()) is not None and not _BUT.search(answer)


def is_no(answer: str) -> bool:
    """Tell whether it begins with a word that says no.

    "No, slot 3 is empty" does, and so does "no drive was missing": a FAIL that can be
    read is better than a PASS that nobody gave.
    """
    return _NO.match(answer.strip()) is not None
