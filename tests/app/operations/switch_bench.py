"""A bench with a switch: a Redfish service on loopback, in place of a server's."""

from collections.abc import Iterator

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from tests.redfish_server import OLD, PASSWORD, USER, RedfishServer

TEXT = """
name = "Lab"
[dut]
name = "JBOD"
target = "/tmp/x"
size = "64m"
[[switch]]
name = "server"
driver = "redfish"
address = "{url}"
user = "{user}"
settle = 0.5
allow = ["off", "identify"]
"""


def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedfishServer]:
    """Serve an old machine's Redfish, and know its password, as long as a test runs."""
    monkeypatch.setenv("BAYSCOPE_PASSWORD_SERVER", PASSWORD)
    server = RedfishServer(OLD)
    yield server
    server.close()


def switch_bench(service: RedfishServer, more: str = "") -> Bench:
    """Make a bench that switches that machine, and the others of a text."""
    return parse_bench(TEXT.format(url=service.url, user=USER) + more, "bench.toml")
