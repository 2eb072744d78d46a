"""HTTP whose answers end: none is longer, or takes longer, than any that is meant."""

import time
from collections.abc import Iterator
from typing import Any

import httpx

from instruments.link.http_deadline import HttpDeadline

# A page of a listing has 1000 names of 1024 bytes at most.
MOST_BYTES = 16 * 2**20
LONGEST_S = 60.0


class BoundedTransport(httpx.HTTPTransport):
    """Gives up on an answer without an end, and on one that is packed.

    Nothing asks for packed answers, and a small one may come to gigabytes.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._deadline = HttpDeadline()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; raises what httpx raises of an answer that breaks off."""
        request.headers["Accept-Encoding"] = "identity"
        # httpx limits the time of each read only, not that of a whole answer.
        self._deadline.end = time.monotonic() + LONGEST_S
        request.extensions = {**request.extensions, "trace": self._deadline.trace}
        try:
            response = super().handle_request(request)
        except TimeoutError as error:
            raise httpx.ReadTimeout(str(error), request=request) from error
        if response.headers.get("Content-Encoding", "identity") != "identity":
            response.close()
            raise httpx.RemoteProtocolError("the answer is packed", request=request)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(response),
            extensions=response.extensions,
        )


class _Bounded(httpx.SyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        try:
            for chunk in self._response.iter_raw():
                size += len(chunk)
                if size > MOST_BYTES:
                    raise httpx.ReadError("the answer does not end")
                yield chunk
        except TimeoutError as error:
            raise httpx.ReadError(str(error)) from error

    def close(self) -> None:
        self._response.close()
