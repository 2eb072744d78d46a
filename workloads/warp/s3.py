"""The little of S3 that Bayscope needs of a bucket: is it empty, and empty it.

Requests are in path style, because MinIO and test servers are named by address.
"""

import base64
import hashlib
import hmac
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote
from xml.sax.saxutils import escape

import httpx

from instruments.errors import BenchError
from workloads.warp.bounded_http import BoundedTransport


@dataclass(frozen=True, slots=True)
class Keys:
    """Credentials; the secret is never printed."""

    access: str
    secret: str = field(repr=False)
    session: str = field(default="", repr=False)

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which WARP gets them."""
        keys = {
            "WARP_ACCESS_KEY": self.access,
            "WARP_SECRET_KEY": self.secret,
            "WARP_SESSION_TOKEN": self.session,
        }
        return {name: value for name, value in keys.items() if value}


def sign(
    method: str,
    host: str,
    path: str,
    query: Mapping[str, str],
    *,
    body: bytes,
    keys: Keys,
    region: str,
    now: datetime,
) -> dict[str, str]:
    """Make the headers of a signed request (AWS Signature Version 4, service s3)."""
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    payload = hashlib.sha256(body).hexdigest()
    headers = {"host": host, "x-amz-content-sha256": payload, "x-amz-date": stamp}
    if keys.session:
        headers["x-amz-security-token"] = keys.session
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join((method, path, canonical(query), lines, names, payload))
    scope = f"{day}/{region}/s3/aws4_request"
    hashed = hashlib.sha256(request.encode()).hexdigest()
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashed}"
    key = f"AWS4{keys.secret}".encode()
    for part in (day, region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys.access}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return headers


def canonical(query: Mapping[str, str]) -> str:
    """Write a query as it is signed: sorted, and quoted to the last sign."""
    pairs = sorted(
        (quote(k, safe="-_.~"), quote(v, safe="-_.~")) for k, v in query.items()
    )
    return "&".join(f"{name}={value}" for name, value in pairs)


_TIMEOUT_S = 15.0
_BATCH = 1000
"""Objects of one deletion, and of one page of a listing: the most that S3 takes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a bucket, or one version of it."""

    key: str
    version: str = ""


class Bucket:
    """One bucket of an S3 server."""

    def __init__(
        self,
        host: str,
        name: str,
        keys: Keys,
        *,
        tls: bool = False,
        insecure: bool = False,
        region: str = "us-east-1",
    ) -> None:
        self.name = name
        self._host = host
        self._keys = keys
        self._region = region
        self._base = f"{'https' if tls else 'http'}://{host}"
        self._client = httpx.Client(
            timeout=_TIMEOUT_S,
            trust_env=False,
            transport=BoundedTransport(verify=not insecure),
        )

    def __str__(self) -> str:
        return f"bucket {self.name} on {self._host}"

    def entries(self, most: int = _BATCH) -> Iterator[Entry]:
        """List its objects with all their versions; raises BenchError."""
        marks: dict[str, str] = {}
        while True:
            query = {"versions": "", "max-keys": str(most), **marks}
            answer = self._send("GET", query, missing_ok=True)
            if answer.status_code == 404:
                return
            root = self._xml(answer)
            for element in root:
                if _tag(element) in ("Version", "DeleteMarker"):
                    yield Entry(_text(element, "Key"), _text(element, "VersionId"))
            if _text(root, "IsTruncated") != "true":
                return
            further = {
                "key-marker": _text(root, "NextKeyMarker"),
                "version-id-marker": _text(root, "NextVersionIdMarker"),
            }
            further = {name: value for name, value in further.items() if value}
            if further == marks:
                raise BenchError("its listing does not come to an end", where=str(self))
            marks = further

    def is_empty(self) -> bool:
        """Tell whether it holds no object, or is not there; raises BenchError."""
        return next(self.entries(1), None) is None

    def has_objects(self) -> bool:
        """Tell whether any object is listed, not only old versions; raises BenchError.

        A bucket that keeps versions still holds them after its objects were deleted.
        """
        root = self._xml(self._send("GET", {"list-type": "2", "max-keys": "1"}))
        return any(_tag(element) == "Contents" for element in root)

    def empty(self) -> int:
        """Delete everything in it; return how many objects; raises BenchError."""
        count = 0
        while batch := _take(self.entries(), _BATCH):
            objects = "".join(_object(entry) for entry in batch)
            body = f"<Delete><Quiet>true</Quiet>{objects}</Delete>".encode()
            root = self._xml(self._send("POST", {"delete": ""}, body=body))
            errors = [each for each in root if _tag(each) == "Error"]
            if errors:
                raise BenchError(
                    f"an object cannot be deleted: {_text(errors[0], 'Message')}",
                    where=str(self),
                    way_out="Empty the bucket yourself before the next run.",
                )
            count += len(batch)
        return count

    def close(self) -> None:
        """Let go of its connections."""
        self._client.close()

    def _send(
        self,
        method: str,
        query: Mapping[str, str],
        *,
        body: bytes = b"",
        missing_ok: bool = False,
    ) -> httpx.Response:
        path = f"/{quote(self.name, safe='')}"
        headers = sign(
            method,
            self._host,
            path,
            query,
            body=body,
            keys=self._keys,
            region=self._region,
            now=datetime.now(UTC),
        )
        if body:  # S3 asks for it in a deletion of many (DeleteObjects)
            digest = hashlib.md5(body, usedforsecurity=False).digest()
            headers["content-md5"] = base64.b64encode(digest).decode()
        url = f"{self._base}{path}?{canonical(query)}"
        try:
            answer = self._client.request(method, url, headers=headers, content=body)
        except httpx.HTTPError as error:
            raise BenchError(
                f"the S3 server does not answer ({error})",
                where=str(self),
                way_out="Check that it runs, and host, tls, insecure in [step.warp].",
            ) from error
        if answer.status_code == 404 and missing_ok:
            return answer
        if answer.status_code >= 300:
            why = f"{answer.status_code} {_reason(answer)}"
            raise BenchError(
                f"the S3 server refused the request ({why})",
                where=str(self),
                way_out="Check WARP_ACCESS_KEY, WARP_SECRET_KEY, region and rights.",
            )
        return answer

    def _xml(self, answer: httpx.Response) -> ET.Element:
        # A declaration of entities is how XML attacks its reader; S3 has none.
        text = answer.content
        if b"<!" in text[:2000]:
            raise BenchError("this is not an answer of an S3 server", where=str(self))
        try:
            return ET.fromstring(text)
        except ET.ParseError:
            raise BenchError(
                "this is not an answer of an S3 server", where=str(self)
            ) from None


def _object(entry: Entry) -> str:
    version = f"<VersionId>{escape(entry.version)}</VersionId>" if entry.version else ""
    return f"<Object><Key>{escape(entry.key)}</Key>{version}</Object>"


def _take(entries: Iterator[Entry], most: int) -> list[Entry]:
    return [entry for entry, _ in zip(entries, range(most), strict=False)]


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _text(element: ET.Element, name: str) -> str:
    return next((each.text or "" for each in element if _tag(each) == name), "")


def _reason(answer: httpx.Response) -> str:
    _, _, rest = answer.text.partition("<Code>")
    code, end, _ = rest.partition("</Code>")
    return code[:60] if end else answer.reason_phrase
