"""What an answer of the operator means."""

import re

_NO = re.compile(r"(no|n|not done|cancel|failed?)\s*($|[,.;:!(-])", re.IGNORECASE)


def is_no(answer: str) -> bool:
    """Tell whether it says no: alone, or before what else is to be said.

    "No, slot 3 is empty" does; "no drive was missing" does not.
    """
    return _NO.match(answer.strip()) is not None
