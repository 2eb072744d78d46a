"""Signed requests to S3: AWS Signature Version 4, after the public specification."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Keys:
    """Credentials; the secret is never printed.

    Attributes:
        access: Access key.
        secret: Secret key.
        session: Session token, "" without one.
    """

    access: str
    secret: str = field(repr=False)
    session: str = field(default="", repr=False)


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
