"""A real S3 server on a loopback port, for the tests of buckets."""

from collections.abc import Iterator
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
        httpx.post(f"http://{address}/moto-api/reset", trust_env=False, timeout=60)
        yield address
    finally:
        server.stop()
