"""A real S3 server on a loopback port, for the tests of buckets."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx


@contextmanager
def s3_server() -> Iterator[str]:
    """Run a server until the block is left; gives its host:port."""
    # It takes a second of processor time, and most processes of tests need none.
    from moto.server import ThreadedMotoServer  # noqa: PLC0415

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"{host}:{port}"
        # The first answer takes seconds of processor time.
        ask("POST", f"http://{address}/moto-api/reset")
        yield address
    finally:
        server.stop()


def ask(
    method: str,
    url: str,
    content: bytes | str = b"",
    *,
    headers: Mapping[str, str] | None = None,
) -> str:
    """Ask a server on loopback, which may be late; give its answer."""
    answer = httpx.request(
        method, url, content=content, headers=headers, trust_env=False, timeout=60
    )
    return answer.raise_for_status().text
