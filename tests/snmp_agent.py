"""A real SNMP agent on loopback: snmpsim, with records of the test's own."""

import os
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import snmpsim  # type: ignore[import-untyped]  # ships no types

USER = "bench"
SECRET = "bench-secret"
PRIVACY = "bench-privacy"


def eaton_records() -> str:
    """Get the walk of an Eaton 9PX that snmpsim ships."""
    folder = Path(snmpsim.__file__).parent / "data" / "recorded"
    return (folder / "eaton-9PX-partial-walk.snmprec").read_text()


class SnmpAgentSim:
    """One simulated agent; a file of records a community.

    Args:
        folder: An empty folder of its own.
        records: Text of the records by community.
    """

    def __init__(self, folder: Path, records: dict[str, str]) -> None:
        self.port = _free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "data").mkdir()
        for community, text in records.items():
            self.write(community, text)

    def write(self, community: str, text: str) -> None:
        """Write the records of a community; a running agent keeps what it read."""
        file = self._folder / "data" / f"{community}.snmprec"
        file.write_text(sort_records(text))

    def start(self, *extra: str) -> None:
        """Start it, and wait until it listens."""
        tool = Path(sysconfig.get_path("scripts")) / "snmpsim-command-responder"
        root = os.geteuid() == 0
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    str(tool),
                    f"--cache-dir={self._folder / 'cache'}",
                    *(("--process-user=root", "--process-group=root") if root else ()),
                    "--log-level=error",
                    *("--v3-engine-id=auto", f"--v3-user={USER}"),
                    *(f"--v3-auth-key={SECRET}", "--v3-auth-proto=SHA"),
                    *(f"--v3-priv-key={PRIVACY}", "--v3-priv-proto=AES"),
                    f"--agent-udpv4-endpoint=127.0.0.1:{self.port}",
                    f"--data-dir={self._folder / 'data'}",
                    *extra,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._await()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _await(self) -> None:
        """Wait until the port is taken, which it is when the agent listens."""
        end = time.monotonic() + 90
        while time.monotonic() < end and self._runs():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                try:
                    probe.bind(("127.0.0.1", self.port))
                except OSError:
                    return
            time.sleep(0.02)
        self.kill()
        raise AssertionError((self._folder / "log").read_text())


def sort_records(text: str) -> str:
    """Put records in the order of their identifiers, as snmpsim wants them."""
    lines = [line for line in text.splitlines() if line.strip()]
    lines.sort(key=lambda line: [int(part) for part in line.split("|")[0].split(".")])
    return "\n".join(lines) + "\n"


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
