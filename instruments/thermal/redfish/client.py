"""A Redfish service over HTTP: documents, actions, and in a sentence what failed."""

import json
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from instruments.errors import SourceError, maybe_done
from instruments.link.errors import explain
from instruments.link.http_deadline import HttpDeadline
from instruments.reading import Identity
from instruments.thermal.redfish.answer import Document, ElsewhereError, parsed, refused
from instruments.thermal.redfish.tree import (
    Losses,
    Resource,
    find_resources,
    members_of,
)
from instruments.thermal.redfish.trust import RedfishTarget, trusted_context, unreached

_SESSIONS = "/redfish/v1/SessionService/Sessions"
_NO_SUCH_SERVICE = (404, 405, 501)  # not found, not allowed, not implemented
# Far above any document; a broken BMC may send without end.
_MOST_BYTES = 8 * 2**20
_MOST_REDIRECTS = 3


class RedfishLink:
    """An open service; used by one thread at a time.

    Attributes:
        certificate: Fingerprint of its certificate where it was pinned or trusted.

    Args:
        target: The service and the account on it.
        where: Source and address, for errors.

    Raises:
        SourceError: Not reached, not trusted, not let in, or no Redfish.
    """

    def __init__(self, target: RedfishTarget, where: str) -> None:
        self._target = target
        self._where = where
        self._session = ""
        self._documents: list[str] = []
        self._deadline = HttpDeadline()
        context, self.certificate = trusted_context(target, where)
        auth = None if target.session else (target.user, target.password)
        self._http = httpx.Client(
            base_url=target.url,
            verify=context,
            auth=auth,
            timeout=target.timeout_s,
            headers={"Accept": "application/json", "OData-Version": "4.0"},
            trust_env=False,  # a proxy of the desktop does not lead to a BMC
        )
        try:
            if target.session:
                self._log_in()
        except BaseException:
            self.close()
            raise

    def get(self, path: str) -> Document:
        """Get one document and keep it for the raw stream.

        Raises:
            SourceError: No answer in time, a refusal, or no JSON.
        """
        document = self._request("GET", path)[0]
        self._documents.append(f"GET {path}\n{json.dumps(document)}")
        return document

    def post(self, path: str, body: Mapping[str, object]) -> Document:
        """Ask for an action; raises SourceError."""
        return self._request("POST", path, body)[0]

    def patch(self, path: str, body: Mapping[str, object]) -> Document:
        """Change a document in the version it has now; raises SourceError."""
        # Some services insist on the version that a change is meant for.
        etag = str(self._request("GET", path)[0].get("@odata.etag") or "")
        return self._request("PATCH", path, body, etag)[0]

    def identify(self) -> Identity:
        """Ask for maker, model and serial of the first chassis; raises SourceError."""
        chassis = self.first("Chassis")
        manager: Document = {}
        with suppress(SourceError):  # sensors are read without it
            manager = self.first("Managers")
        address = self._target.url
        if self.certificate:
            address += f" (certificate sha256 {self.certificate})"
        return Identity(
            _text(chassis, "Manufacturer"),
            _text(chassis, "Model") or _text(chassis, "Name"),
            _text(chassis, "SerialNumber"),
            _text(manager, "FirmwareVersion"),
            address,
        )

    def first(self, collection: str) -> Document:
        """Get the first member of a collection that answers, empty where none does."""
        for path in self.members(collection):
            with suppress(SourceError):
                return self.get(path)
        return {}

    def members(self, collection: str) -> list[str]:
        """List where the members of a collection of the root are."""
        return members_of(self.get, collection)

    def find(self, schema: str, chassis: str, losses: Losses) -> list[Resource]:
        """Find the documents with sensors; see `find_resources`."""
        resources = find_resources(self.get, schema, chassis, losses)
        self._documents.clear()  # the raw stream has those of readings alone
        return resources

    def take_raw(self) -> bytes:
        """Take the documents as they came since the last time."""
        text = "\n".join(self._documents)
        self._documents.clear()
        return text.encode()

    def close(self) -> None:
        """Log out and let go; may be called twice."""
        # BMCs have few sessions, and one that is left holds its place until it expires.
        if self._session and not self._http.is_closed:
            with suppress(SourceError):
                self._request("DELETE", self._session)
        self._session = ""
        self._http.close()

    def _log_in(self) -> None:
        body = {"UserName": self._target.user, "Password": self._target.password}
        _, headers = self._request("POST", _SESSIONS, body)
        token = headers.get("X-Auth-Token")
        if not token:
            raise self._no_session("it gave no token for a session")
        self._http.headers["X-Auth-Token"] = token
        self._session = urlsplit(headers.get("Location", "")).path

    def _no_session(self, what: str) -> SourceError:
        return SourceError(what, where=self._where, way_out='Try auth = "basic".')

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        etag: str = "",
    ) -> tuple[Document, Mapping[str, str]]:
        headers = {"If-Match": etag} if etag else {}
        end = time.monotonic() + self._target.timeout_s
        # Followed here and not by httpx, which would follow to other services, too.
        for _ in range(_MOST_REDIRECTS + 1):
            # A link may lead anywhere, and no other service may see user and token.
            path = self._own(urljoin(self._target.url, path), "points")
            request = self._built(
                method, path, json=body, headers=headers, timeout=self._left(end)
            )
            response, content = self._send(request, end)
            if not response.is_redirect:
                break
            location = urljoin(path, response.headers.get("Location", ""))
            path = self._own(urljoin(self._target.url, location), "redirects")
        else:
            raise SourceError(
                "it redirects in a circle", where=f"{self._where}, {path}"
            )
        if path == _SESSIONS and response.status_code in _NO_SUCH_SERVICE:
            raise self._no_session(f"it has no sessions ({response.status_code})")
        return self._document(request, response, content, path), response.headers

    def _built(self, method: str, path: str, **parts: Any) -> httpx.Request:
        try:
            trace = {"trace": self._deadline.trace}
            return self._http.build_request(method, path, **parts, extensions=trace)
        except (httpx.InvalidURL, ValueError):
            raise SourceError(
                "its document has an invalid link",
                where=f"{self._where}, {path[:100]}",
                way_out="Check whether the BMC has newer firmware.",
            ) from None

    def _document(
        self,
        request: httpx.Request,
        response: httpx.Response,
        content: bytes,
        path: str,
    ) -> Document:
        """Get the document of an answer; empty where an action has none to give."""
        place = f"{self._where}, {path}"
        if response.status_code >= 400:
            secret = self._target.password
            raise refused(response.status_code, content, place, secret)
        if request.method != "GET" and not content.strip():
            return {}
        if _is_order(request):  # it was taken, whatever it says of itself
            with suppress(SourceError):
                return parsed(content, response.headers, place)
            return {}
        return parsed(content, response.headers, place)

    def _left(self, end: float) -> float:
        # At least a moment, in which what has come by then can be read.
        return max(0.1, end - time.monotonic())

    def _send(self, request: httpx.Request, end: float) -> tuple[httpx.Response, bytes]:
        """Send one request; the deadline holds for a trickling answer, too."""
        path = request.url.path
        waited = self._target.timeout_s
        self._deadline.end = end
        try:
            with closing(self._http.send(request, stream=True)) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > end:
                        raise TimeoutError
                    if len(content) > _MOST_BYTES:
                        raise SourceError(
                            "its answer is larger than any document can be",
                            where=f"{self._where}, {path}",
                        )
                return response, bytes(content)
        except httpx.ConnectTimeout:  # before the rest: nothing was sent yet
            late = explain(TimeoutError(), f"{self._where}, {path}", waited)
            raise late from None
        except (httpx.TimeoutException, TimeoutError):
            late = explain(TimeoutError(), f"{self._where}, {path}", waited)
            raise (maybe_done(late) if _is_order(request) else late) from None
        except httpx.ConnectError as error:
            raise unreached(error, self._target, self._where) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            broken = SourceError(
                "the connection broke in the middle of an answer "
                f"({type(error).__name__})",
                where=f"{self._where}, {path}",
                way_out="Is it HTTP or HTTPS, and was the BMC restarted?",
            )
            raise (maybe_done(broken) if _is_order(request) else broken) from None

    def _own(self, url: str, verb: str) -> str:
        """Get the path of an address that is this service's, and no other's."""
        new = urlsplit(url)
        if f"{new.scheme}://{new.netloc}" != self._target.url:
            raise ElsewhereError(
                f"it {verb} to {new.scheme}://{new.netloc}",
                where=self._where,
                way_out="Give that as address, if it is the BMC.",
            )
        return new.path + (f"?{new.query}" if new.query else "")


def _text(document: Document, key: str) -> str:
    return str(document.get(key) or "").strip()


def _is_order(request: httpx.Request) -> bool:
    """Tell whether a request makes the machine do something."""
    is_login = request.url.path.rstrip("/") == _SESSIONS
    return request.method in ("POST", "PATCH") and not is_login
