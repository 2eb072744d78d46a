"""A simulated bench with another meter, and the line it says when ready."""

import json
import signal
import sys
from pathlib import Path

import pytest

from instruments.link.transport import VisaTransport
from instruments.simulated.meters.model import MODELS
from instruments.tools import command

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "simulated-bench.md").read_text()


def test_it_serves_on_its_port_until_it_is_stopped() -> None:
    argv = [sys.executable, "-m", "instruments.simulated"]
    argv += ["--meter", "yokogawa", "--port", "0"]
    running = command.start(argv, env={"PYTHONPATH": str(ROOT)})
    try:
        port = json.loads(running.stdout.readline())["meter"]
        link = VisaTransport(f"TCPIP::127.0.0.1::{port}::SOCKET")
        assert link.query("*IDN?").startswith("YOKOGAWA,WT310,SIM")
        link.close()
        running.send_signal(signal.SIGTERM)
        assert running.wait(60.0) == 0
    finally:
        running.close()


@pytest.mark.parametrize("name", MODELS)
def test_every_meter_has_its_row_in_the_page(name: str) -> None:
    assert f"\n| `{name}` | " in PAGE
