"""HTTP answers without an end, and packed ones, from a real server."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from workloads.bounded_http import MOST_BYTES, BoundedTransport


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/packed":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        with suppress(OSError):  # it was hung up on, as it should be
            if self.path == "/packed":
                self.wfile.write(gzip.compress(bytes(10**6)))
            while self.path == "/endless":
                self.wfile.write(bytes(2**16))
            self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_answers_end(base: str) -> None:
    with httpx.Client(transport=BoundedTransport(), trust_env=False) as client:
        assert client.get(f"{base}/").text == "hello"
        for path in ("endless", "packed"):
            with pytest.raises(httpx.HTTPError):
                client.get(f"{base}/{path}")
        assert client.get(f"{base}/").content == b"hello"
    assert MOST_BYTES < 2**25
