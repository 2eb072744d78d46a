"""What all tests of operations share."""

from collections.abc import Iterator

import pytest

from tests.s3_server import s3_server


@pytest.fixture(autouse=True)
def _whatever_is_missed(unhurried: None) -> None:
    """Run as a busy machine lets us."""


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 server on loopback, whose buckets a module shares."""
    with s3_server() as address:
        yield address
