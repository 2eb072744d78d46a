"""Buckets, on a real S3 server, and signatures on the published example."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from instruments.errors import BenchError
from tests.s3_server import ask, s3_server
from workloads.warp.s3 import Bucket, Keys, sign

KEYS = Keys("tester", "very-secret")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


def put(server: str, path: str) -> None:
    content = b"x" if "/" in path else b""  # A bucket is made without any.
    ask("PUT", f"http://{server}/{path}", content)


def test_the_published_example_of_a_signature() -> None:
    # AWS's "Signature Calculations for the Authorization Header", GET Bucket.
    keys = Keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    headers = sign(
        "GET",
        "examplebucket.s3.amazonaws.com",
        "/",
        {"max-keys": "2", "prefix": "J"},
        body=b"",
        keys=keys,
        region="us-east-1",
        now=datetime(2013, 5, 24, tzinfo=UTC),
    )
    assert headers["authorization"].endswith(
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    )


def test_a_bucket_is_looked_at_and_emptied(server: str) -> None:
    bucket = Bucket(server, "full", KEYS)
    assert bucket.is_empty()
    put(server, "full")
    assert bucket.is_empty()
    for name in ("a", "b & c", "deep/down"):
        put(server, f"full/{name}")
    assert not bucket.is_empty()
    assert sorted(entry.key for entry in bucket.entries(2)) == [
        "a",
        "b & c",
        "deep/down",
    ]
    assert bucket.empty() == 3
    assert bucket.is_empty()
    bucket.close()


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    bucket = Bucket("127.0.0.1:9", "x", KEYS)
    with pytest.raises(BenchError, match="does not answer") as caught:
        bucket.is_empty()
    assert "very-secret" not in str(caught.value)
    assert "very-secret" not in repr(KEYS)
    bucket.close()
