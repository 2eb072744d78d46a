"""Which Redfish service to ask, whether to trust it, and why it was not reached."""

import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from instruments.errors import SourceError
from instruments.link.errors import explain
from instruments.tools.pinning import fetch_certificate, fingerprint, pinned_context


@dataclass(frozen=True, slots=True)
class RedfishTarget:
    """The address of a service, the account on it, and what to trust.

    Attributes:
        url: Such as "https://192.0.2.20".
        user: Name of the account.
        password: Its password.
        session: Whether to log in once, or to send the password with every request.
        pin: Fingerprint of the only certificate to accept, "" for none.
        trust: Whether to accept the certificate it shows first.
        timeout_s: Longest wait for one document, all of it.
    """

    url: str
    user: str
    password: str = field(repr=False)
    session: bool = True
    pin: str = ""
    trust: bool = False
    timeout_s: float = 10.0

    @property
    def place(self) -> tuple[str, int]:
        """Get host and port."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or 443


def trusted_context(target: RedfishTarget, where: str) -> tuple[ssl.SSLContext, str]:
    """Make the TLS context for a service, before anything is sent to it.

    Args:
        target: The service.
        where: Source and address, for errors.

    Returns:
        The context, and the fingerprint of the only certificate it accepts; "" where
        the system's authorities decide.

    Raises:
        SourceError: Not reached, or it shows another certificate than the pinned one.
    """
    # Else the system's authorities decide; few BMCs have a certificate of theirs.
    is_pinned = bool(target.pin) or target.trust
    if not target.url.startswith("https:") or not is_pinned:
        return ssl.create_default_context(), ""
    try:
        shown = fetch_certificate(*target.place, target.timeout_s)
    except (OSError, UnicodeError) as error:
        raise explain(error, where, target.timeout_s) from None
    shown_print = fingerprint(shown)
    if target.pin and shown_print != target.pin:
        raise _another(shown_print, where)
    return pinned_context(shown), shown_print


def unreached(error: Exception, target: RedfishTarget, where: str) -> SourceError:
    """Say why no connection could be made: the network, TLS, or the certificate."""
    # httpx wraps httpcore's error, which wraps that of the socket or of TLS.
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError | OSError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _untrusted(cause, target, where)
    if isinstance(cause, ssl.SSLError):
        return SourceError(
            "it does not speak TLS there",
            where=where,
            way_out="Is the port right, and is it http:// and not https://?",
        )
    meant = cause if isinstance(cause, OSError) else error
    if "refused" in str(error).lower():
        meant = ConnectionRefusedError()
    return explain(meant, where, target.timeout_s)


def _another(shown_print: str, where: str) -> SourceError:
    return SourceError(
        "it shows another certificate than the one that is trusted, with "
        f"the fingerprint {shown_print}",
        where=where,
        way_out="Compare it with the BMC's own; if it is that, correct "
        "fingerprint, or start again.",
    )


def _untrusted(
    error: ssl.SSLCertVerificationError, target: RedfishTarget, where: str
) -> SourceError:
    shown = ""
    with suppress(OSError, UnicodeError):
        shown_print = fingerprint(fetch_certificate(*target.place, target.timeout_s))
        if target.pin or target.trust:  # it has changed since the source was opened
            return _another(shown_print, where)
        shown = f' and add fingerprint = "{shown_print}"'
    return SourceError(
        f"its certificate is not trusted ({error.verify_message})",
        where=where,
        way_out=f"Compare it with the BMC's own page{shown}, or add trust = true.",
    )
