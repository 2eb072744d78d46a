"""What a Redfish service answered: a document, or a sentence about what it was."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from instruments.errors import SourceError, plain_words
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.reading import Status

Document = dict[str, Any]

# HTTP status codes that a person can do something about.
_REFUSALS = {
    401: ("it refuses user or password (401)", "Check user, and the password kept."),
    403: ("the account may not do that (403)", "Check the account's role on the BMC."),
    404: ("there is no such document (404)", "Check address, chassis and schema."),
    405: ("it does not allow that (405)", "The BMC's firmware cannot do it."),
    429: ("it has too many requests (429)", "Set a longer period."),
    503: ("it is busy or starting up (503)", "Wait until the BMC is up."),
}


class ElsewhereError(SourceError):
    """A document leads to another service, which is not one that merely fails."""


def refused(code: int, content: bytes, place: str, secret: str) -> SourceError:
    """Say what a refusal means, with the service's own words where they help.

    Args:
        code: HTTP status from 400.
        content: The answer.
        place: Source, address and path, for the error.
        secret: What must not be shown: some services repeat a password they refuse.
    """
    what, way_out = _REFUSALS.get(
        code, (f"it answers with the error {code}", "See the BMC's own log.")
    )
    message = _message(content)
    if secret:
        message = message.replace(secret, "***")
    # Of these two our own words say more than "an error occurred".
    if message and code not in (401, 404):
        what = f"{what}: {message}"
    # 503 passes, as a late answer does.
    status = Status.TIMEOUT if code == 503 else Status.ERROR
    return SourceError(what, where=place, way_out=way_out, status=status)


@contextmanager
def as_modelled(place: str) -> Iterator[None]:
    """Look into documents, whose form a service may have got wrong.

    Raises:
        SourceError: A document is not like those of the standard.
    """
    try:
        yield
    except MISSHAPEN as error:
        raise SourceError(
            f"its document is not as Redfish has it: {plain_words(error)}",
            where=place,
            way_out="Check whether the BMC has newer firmware; try another schema.",
        ) from error


def parsed(content: bytes, headers: Mapping[str, str], place: str) -> Document:
    """Read a document.

    Raises:
        SourceError: It is a web page, no JSON, or breaks off.
    """
    # Before JSON is tried: a login page or a proxy's is what a wrong address answers.
    start = content.lstrip()[:1]
    if start == b"<" or "html" in headers.get("Content-Type", ""):
        raise SourceError(
            "it answers with a web page and not with Redfish",
            where=place,
            way_out="Is Redfish switched on in the BMC, and the address right?",
        )
    try:
        document = parsed_json(content)
    except ValueError:
        raise SourceError(
            f"its answer is not JSON, or breaks off after {len(content)} bytes",
            where=place,
            way_out="Is the BMC overloaded? A longer period may help.",
        ) from None
    if not isinstance(document, dict):
        raise SourceError("its answer is not a Redfish document", where=place)
    return document


def _message(content: bytes) -> str:
    """Get the BMC's own words of an error (Redfish's extended information)."""
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        error = parsed_json(content)["error"]
        details = error.get("@Message.ExtendedInfo") or [{}]
        text = str(details[0].get("Message") or error.get("message") or "")
        return " ".join(text.split())[:200].rstrip(".")
    return ""
