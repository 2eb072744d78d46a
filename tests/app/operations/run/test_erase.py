"""What the buckets of a campaign hold, asked of a real S3 server."""

import pytest

from app.operations.run.erase import look_at_buckets, not_named, uses_buckets
from tests.app.operations.benches import campaign
from tests.app.operations.buckets import know_keys, know_server, steps
from tests.s3_server import ask


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    know_keys(monkeypatch)


def test_a_bucket_with_data_has_to_be_named(
    s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, content in (("precious", b""), ("precious/data", b"x")):
        ask("PUT", f"http://{s3}/{path}", content)
    plan = campaign(steps(s3, "precious", "fresh1", "precious"))
    assert uses_buckets(plan)
    for look in (look_at_buckets(plan), look_at_buckets(plan)):
        assert all("never used" in one.trouble for one in look)
    know_server(monkeypatch, s3)
    found = look_at_buckets(plan)
    assert [(one.name, one.holds_data) for one in found] == [
        ("precious", True),
        ("fresh1", False),
    ]
    assert "will be emptied" in not_named(found, ())
    assert "will be emptied" in not_named(found, ("fresh1",))
    assert not_named(found, ("precious",)) == ""


def test_a_server_that_does_not_answer_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    know_server(monkeypatch, "127.0.0.1:9")
    [found] = look_at_buckets(campaign(steps("127.0.0.1:9", "x1x")))
    assert "does not answer" in found.trouble
    assert not found.holds_data
    assert not uses_buckets(campaign())
