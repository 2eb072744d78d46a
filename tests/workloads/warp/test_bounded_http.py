"""HTTP answers without an end, and packed ones, from a real server."""

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from workloads.warp import bounded_http
from workloads.warp.bounded_http import MOST_BYTES, BoundedTransport

_CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_DRIPPING = {
    "/headers": b"HTTP/1.1 200 OK\r\nX-Odd: ",
    "/size": _CHUNKS + b"1;x=",
    "/body": b"HTTP/1.1 200 OK\r\n\r\n",
}
"""How answers begin that come on byte by byte, each of them in time, for a minute."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if begun := _DRIPPING.get(self.path):
            self.close_connection = True
            with suppress(OSError):
                self.wfile.write(begun)
                for _ in range(1200):
                    self.wfile.write(b"a")
                    time.sleep(0.05)
            return
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


class _Server(ThreadingHTTPServer):
    daemon_threads = True


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with _Server(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", _DRIPPING)
def test_an_answer_that_drips_ends(
    base: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_http, "LONGEST_S", 0.4)
    with (
        httpx.Client(transport=BoundedTransport(), trust_env=False) as client,
        pytest.raises(httpx.HTTPError),
    ):
        client.get(f"{base}{path}")


def test_answers_end(base: str) -> None:
    with httpx.Client(transport=BoundedTransport(), trust_env=False) as client:
        assert client.get(f"{base}/").text == "hello"
        for path in ("endless", "packed"):
            with pytest.raises(httpx.HTTPError):
                client.get(f"{base}/{path}")
        assert client.get(f"{base}/").content == b"hello"
    assert MOST_BYTES < 2**25
