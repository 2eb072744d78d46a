"""What an answer of the operator means."""

import re

_NO = re.compile(r"(no|n|not done|cancel|failed?)\s*($|[,.;:!(-])", re.IGNORECASE)

_YES = re.compile(
    r"(yes|y|ok|okay|done|confirm(ed)?|do it|switch off|off)\s*($|[,.;:!(-])",
    re.IGNORECASE,
)


def is_yes(answer: str) -> bool:
    """Tell whether it agrees: alone, or before what else is to be said.

    What takes power away wants this; silence, or "not yet", is no consent.
    """
    return _YES.match(answer.strip()) is not None


def is_no(answer: str) -> bool:
    """Tell whether it says no: alone, or before what else is to be said.

    "No, slot 3 is empty" does; "no drive was missing" does not.
    """
    return _NO.match(answer.strip()) is not None
