"""Parts on another machine: a real SSH server on loopback that is broken."""

import signal
from pathlib import Path

from tests.faults.part import Fault, Part
from tests.faults.tools import SENSORS
from tests.sshd import Sshd


def machine(folder: Path) -> Part:
    """Another machine, measured over SSH."""
    server = _server(folder)
    part = f'{_host(server)}period = 0.5\nmeasures = "server"\n'
    return Part(part, ("head",), _faults(server, folder), server.stop, host=None)


def sensors(folder: Path) -> Part:
    """A tool on another machine, over SSH."""
    server = _server(folder)
    server.tool("sensors", SENSORS)
    tool = server.tools / "sensors"
    # The machine itself is read so rarely that it is out of the way.
    text = (
        f"{_host(server)}period = 60\n"
        '[[thermal]]\nname = "board"\ndriver = "sensors"\nperiod = 0.5\nhost = "head"\n'
    )

    def mend() -> None:
        server.tool("sensors", SENSORS)

    def broken(script: str) -> Fault:
        return Fault(lambda: server.tool("sensors", script), mend)

    faults = _faults(server, folder) | {
        "tool missing": Fault(lambda: tool.unlink(missing_ok=True), mend),
        "tool not executable": Fault(lambda: tool.chmod(0o644), mend),
        "garbage": broken("head -c 300 /dev/urandom"),
        "silent": broken("exit 0"),
        "slow": broken(f"sleep 0.7\n{SENSORS}"),
        "process hung": broken("exec sleep 60"),
    }
    return Part(text, ("board",), faults, server.stop, host=None)


def _server(folder: Path) -> Sshd:
    place = folder / "sshd"
    place.mkdir()
    server = Sshd(place)
    server.start()
    return server


def _host(server: Sshd) -> str:
    return f"""[[host]]
name = "head"
driver = "ssh"
address = "127.0.0.1"
user = "{server.user}"
port = {server.port}
key = "{server.key}"
known_hosts = "{server.known_hosts}"
"""


def _faults(server: Sshd, folder: Path) -> dict[str, Fault]:
    """Break the server and its connections."""
    allowed = folder / "sshd" / "user_key.pub"
    kept = folder / "sshd" / "kept.pub"

    def start() -> None:
        server.stop()
        server.start()

    def freeze() -> None:
        server.signal_connections(signal.SIGSTOP)

    def go_on() -> None:
        server.signal_connections(signal.SIGCONT)

    def cut() -> None:
        server.signal_connections(signal.SIGKILL)

    def refuse() -> None:
        allowed.rename(kept)
        cut()

    def allow() -> None:
        if kept.exists():
            kept.rename(allowed)

    return {
        "refused": Fault(server.stop, start),
        "unplugged in mid answer": Fault(cut),
        "process hung": Fault(freeze, go_on),
        "permission denied": Fault(refuse, allow),
        "back after 20 s": Fault(server.stop, start),
    }
