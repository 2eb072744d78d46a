"""What a source or a switch does with one Redfish service while it is open."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from instruments.errors import SourceError
from instruments.reading import Identity
from instruments.thermal.redfish.tree import (
    Losses,
    Resource,
    find_resources,
    members_of,
)
from instruments.thermal.redfish.trust import RedfishTarget


class _Client(Protocol):
    certificate: str

    def get(self, path: str) -> dict[str, Any]: ...

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]: ...

    def patch(
        self, path: str, body: Mapping[str, object], etag: str = ""
    ) -> dict[str, Any]: ...

    def close(self) -> None: ...


class RedfishLink:
    """An open service.

    Attributes:
        certificate: Fingerprint of its certificate where it was pinned or trusted.

    Args:
        client: The HTTP side; closed with this.
        address: The service's address, for the identity.
    """

    def __init__(self, client: _Client, address: str) -> None:
        self._client = client
        self._address = address
        self._documents: list[str] = []
        self.certificate = client.certificate

    def get(self, path: str) -> dict[str, Any]:
        """Get one document and keep it for the raw stream; raises SourceError."""
        document = self._client.get(path)
        self._documents.append(f"GET {path}\n{json.dumps(document)}")
        return document

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Ask for an action; raises SourceError."""
        return self._client.post(path, body)

    def patch(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Change a document in the version it has now; raises SourceError."""
        etag = str(self._client.get(path).get("@odata.etag") or "")
        return self._client.patch(path, body, etag)

    def identify(self) -> Identity:
        """Ask for maker, model and serial of the first chassis; raises SourceError."""
        chassis = self.first("Chassis")
        manager: dict[str, Any] = {}
        with suppress(SourceError):  # sensors are read without it
            manager = self.first("Managers")
        address = self._address
        if self.certificate:
            address += f" (certificate sha256 {self.certificate})"
        return Identity(
            _text(chassis, "Manufacturer"),
            _text(chassis, "Model") or _text(chassis, "Name"),
            _text(chassis, "SerialNumber"),
            _text(manager, "FirmwareVersion"),
            address,
        )

    def first(self, collection: str) -> dict[str, Any]:
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
        found = find_resources(self.get, schema, chassis, losses)
        self.raw(clear=True)
        return found

    def raw(self, *, clear: bool) -> bytes:
        """Get the documents as they came since the last time."""
        text = "\n".join(self._documents)
        if clear:
            self._documents.clear()
        return text.encode()

    def close(self) -> None:
        """Log out; may be called twice."""
        self._client.close()


def connect(
    url: str,
    user: str,
    password: str,
    *,
    session: bool,
    pin: str,
    trust: bool,
    timeout_s: float,
    where: str,
) -> RedfishLink:
    """Connect and log in; httpx is imported here, as it takes a while.

    Raises:
        SourceError: Not reached, not trusted, not let in.
    """
    from instruments.thermal.redfish.client import RedfishClient  # noqa: PLC0415

    target = RedfishTarget(url, user, password, session, pin, trust, timeout_s)
    return RedfishLink(RedfishClient(target, where), url)


def _text(document: Mapping[str, Any], key: str) -> str:
    return str(document.get(key) or "").strip()
