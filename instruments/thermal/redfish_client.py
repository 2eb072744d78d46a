"""A Redfish service over HTTP: documents, actions, and in a sentence what failed."""

import ssl
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import httpx

from instruments.errors import SourceError
from instruments.link_errors import explain
from instruments.pinning import fetch_certificate, fingerprint, pinned_context
from instruments.thermal.redfish_answer import Document, parsed, refused

_SESSIONS = "/redfish/v1/SessionService/Sessions"
_MOST_BYTES = 8 * 2**20
_MOST_REDIRECTS = 3


@dataclass(frozen=True, slots=True)
class RedfishTarget:
    """Where a service is, as whom to ask it, and what to trust.

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


class RedfishClient:
    """An open service; used by one thread at a time.

    Attributes:
        certificate: Fingerprint of its certificate where it was pinned or trusted.

    Args:
        target: Where and as whom.
        where: Source and address, for errors.

    Raises:
        SourceError: Not reached, not trusted, not let in, or no Redfish.
    """

    def __init__(self, target: RedfishTarget, where: str) -> None:
        self._target = target
        self._where = where
        self._session = ""
        self.certificate = ""
        verify = self._trust()
        auth = None if target.session else (target.user, target.password)
        self._http = httpx.Client(
            base_url=target.url,
            verify=verify,
            auth=auth,
            timeout=target.timeout_s,
            headers={"Accept": "application/json", "OData-Version": "4.0"},
            trust_env=False,
        )
        try:
            if target.session:
                self._log_in()
        except BaseException:
            self.close()
            raise

    def get(self, path: str) -> Document:
        """Get one document.

        Raises:
            SourceError: No answer in time, a refusal, or no JSON.
        """
        return self._request("GET", path)[0]

    def post(self, path: str, body: Mapping[str, object]) -> Document:
        """Ask for an action; raises SourceError."""
        return self._request("POST", path, body)[0]

    def patch(self, path: str, body: Mapping[str, object], etag: str = "") -> Document:
        """Change a document; raises SourceError.

        Args:
            path: Where it is.
            body: What shall be other.
            etag: The version it was read in, which some services insist on.
        """
        return self._request("PATCH", path, body, etag)[0]

    def close(self) -> None:
        """Log out and let go; may be called twice."""
        if self._session and not self._http.is_closed:
            with suppress(SourceError):
                self._request("DELETE", self._session)
        self._session = ""
        self._http.close()

    def _trust(self) -> ssl.SSLContext:
        parts = urlsplit(self._target.url)
        host, port = parts.hostname or "", parts.port or 443
        pinned = self._target.pin or self._target.trust
        if parts.scheme != "https" or not pinned:
            return ssl.create_default_context()
        try:
            shown = fetch_certificate(host, port, self._target.timeout_s)
        except (OSError, UnicodeError) as error:
            raise explain(error, self._where, self._target.timeout_s) from None
        self.certificate = fingerprint(shown)
        if self._target.pin and self.certificate != self._target.pin:
            raise SourceError(
                "it shows another certificate than the one that is trusted, with "
                f"the fingerprint {self.certificate}",
                where=self._where,
                way_out="Compare it with the BMC's own; if it is that, correct "
                "fingerprint, or start again.",
            )
        return pinned_context(shown)

    def _log_in(self) -> None:
        body = {"UserName": self._target.user, "Password": self._target.password}
        _, headers = self._request("POST", _SESSIONS, body)
        token = headers.get("X-Auth-Token")
        if not token:
            raise SourceError(
                "it gave no token for a session",
                where=self._where,
                way_out='Try auth = "basic".',
            )
        self._http.headers["X-Auth-Token"] = token
        self._session = urlsplit(headers.get("Location", "")).path

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        etag: str = "",
    ) -> tuple[Document, Mapping[str, str]]:
        headers = {"If-Match": etag} if etag else {}
        end = time.monotonic() + self._target.timeout_s
        for _ in range(_MOST_REDIRECTS + 1):
            # A link may be to anywhere, and nobody else shall see user and token.
            path = self._own(urljoin(self._target.url, path), "points")
            try:
                request = self._http.build_request(
                    method, path, json=body, headers=headers, timeout=self._left(end)
                )
            except (httpx.InvalidURL, ValueError):
                raise SourceError(
                    "its document has a link that is none",
                    where=f"{self._where}, {path[:100]}",
                    way_out="See whether the BMC has newer firmware.",
                ) from None
            response, content = self._send(request, end)
            if not response.is_redirect:
                break
            location = urljoin(path, response.headers.get("Location", ""))
            path = self._own(urljoin(self._target.url, location), "redirects")
        else:
            raise SourceError(
                "it redirects in a circle", where=f"{self._where}, {path}"
            )
        place = f"{self._where}, {path}"
        if response.status_code >= 400:
            secret = self._target.password
            raise refused(response.status_code, content, place, secret)
        if method != "GET" and not content.strip():
            return {}, response.headers
        return parsed(content, response.headers, place), response.headers

    def _left(self, end: float) -> float:
        return max(0.1, end - time.monotonic())

    def _send(self, request: httpx.Request, end: float) -> tuple[httpx.Response, bytes]:
        """Send one request; the deadline holds for a trickling answer, too."""
        path = request.url.path
        waited = self._target.timeout_s
        try:
            with closing(self._http.send(request, stream=True)) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > end:
                        raise TimeoutError
                    if len(content) > _MOST_BYTES:
                        raise SourceError(
                            "it answers with more than a document can be",
                            where=f"{self._where}, {path}",
                        )
                return response, bytes(content)
        except (httpx.TimeoutException, TimeoutError):
            raise explain(TimeoutError(), f"{self._where}, {path}", waited) from None
        except httpx.ConnectError as error:
            raise self._unreached(error) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(
                "the connection broke in the middle of an answer "
                f"({type(error).__name__})",
                where=f"{self._where}, {path}",
                way_out="Is it HTTP or HTTPS, and was the BMC restarted?",
            ) from None

    def _unreached(self, error: httpx.ConnectError) -> SourceError:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, ssl.SSLError | OSError):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, ssl.SSLCertVerificationError):
            return self._untrusted(cause)
        if isinstance(cause, ssl.SSLError):
            return SourceError(
                "it does not speak TLS there",
                where=self._where,
                way_out="Is the port right, and is it http:// and not https://?",
            )
        known = cause if isinstance(cause, OSError) else error
        if "refused" in str(error).lower():
            known = ConnectionRefusedError()
        return explain(known, self._where, self._target.timeout_s)

    def _untrusted(self, error: ssl.SSLCertVerificationError) -> SourceError:
        parts = urlsplit(self._target.url)
        shown = ""
        with suppress(OSError, UnicodeError):
            found = fetch_certificate(
                parts.hostname or "", parts.port or 443, self._target.timeout_s
            )
            shown = f' and add fingerprint = "{fingerprint(found)}"'
        return SourceError(
            f"its certificate is not trusted ({error.verify_message})",
            where=self._where,
            way_out=f"Compare it with the BMC's own page{shown}, or add trust = true.",
        )

    def _own(self, url: str, verb: str) -> str:
        """Get the path of an address that is this service's, and no other's."""
        new = urlsplit(url)
        if f"{new.scheme}://{new.netloc}" != self._target.url:
            raise SourceError(
                f"it {verb} to {new.scheme}://{new.netloc}",
                where=self._where,
                way_out="Give that as address, if it is the BMC.",
            )
        return new.path + (f"?{new.query}" if new.query else "")
