"""Campaigns on buckets of an S3 server, and its keys."""

import pytest

STEP = """
[[step]]
label = "{label}"
engine = "warp"
runtime = "2s"
[step.warp]
host = "{server}"
bucket = "{bucket}"
erase = "{bucket}"
"""


def know_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know the keys of the server; the secret one may be found nowhere."""
    monkeypatch.setenv("WARP_ACCESS_KEY", "tester")
    monkeypatch.setenv("WARP_SECRET_KEY", "not-to-be-found")


def know_server(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    """Say that these keys are for a server: none is looked at with new ones."""
    monkeypatch.setenv("BAYSCOPE_ADDRESS_WARP_TESTER", f"http://{server}")


def steps(server: str, *buckets: str) -> str:
    """Make a campaign with a step on each bucket."""
    found = [
        STEP.format(label=f"{number} {bucket}", server=server, bucket=bucket)
        for number, bucket in enumerate(buckets)
    ]
    return 'name = "Objects"\n' + "".join(found)
