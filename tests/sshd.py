"""A real SSH server on loopback with keys of its own, for the tests."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from instruments.ssh.target import Target

SERVER = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
CONFIG = """
Port {port}
ListenAddress {address}
HostKey {folder}/{host_key}
AuthorizedKeysFile {folder}/user_key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PidFile none
StrictModes no
PermitRootLogin yes
SetEnv PATH={path} HOME={folder}
"""


class Sshd:
    """The server: started, stopped, frozen, cut off and given another host key.

    Attributes:
        address: What it listens on.
        port: Its TCP port there.
        user: The account that may log in: the one that runs the test.
        key: File of the private key that it accepts.
        known_hosts: File with its host key as it was first.
        tools: A folder that is first on the PATH of its commands.
    """

    def __init__(
        self,
        folder: Path,
        address: str = "127.0.0.1",
        inside: Sequence[str] = (),
        more: str = "",
    ) -> None:
        if SERVER is None:
            raise RuntimeError("sshd is missing; Debian's package is openssh-server")
        self._folder = folder
        self.address = address
        self._inside = inside
        self._more = more
        self._process: subprocess.Popen[str] | None = None
        self._host_key = "host_key"
        self.user = pwd.getpwuid(os.getuid()).pw_name
        self.key = folder / "user_key"
        self.known_hosts = folder / "known_hosts"
        self.tools = folder / "tools"
        self.tools.mkdir()
        for name in ("host_key", "user_key", "other_key"):
            _make_key(folder / name)
        _make_key(folder / "ecdsa_key", "ecdsa")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        kind, text, *_ = (folder / "host_key.pub").read_text().split()
        self.known_hosts.write_text(f"[{address}]:{self.port} {kind} {text}\n")

    @property
    def target(self) -> Target:
        """The account that may log in, with its key and its known host."""
        files = str(self.key), str(self.known_hosts)
        return Target(self.address, self.user, self.port, *files)

    def start(self) -> None:
        """Start it and wait until it listens."""
        if os.getuid() == 0:  # As root it wants this folder, which its service makes.
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        config = self._folder / "config"
        config.write_text(
            CONFIG.format(
                port=self.port,
                address=self.address,
                folder=self._folder,
                host_key=self._host_key,
                path=f"{self.tools}:/usr/local/bin:/usr/bin:/bin",
            )
            + self._more
        )
        self._process = subprocess.Popen(
            [*self._inside, str(SERVER), "-D", "-e", "-f", str(config)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = ""
        for line in _lines(self._process.stderr):
            said += line
            if line.startswith("Server listening"):
                return
        raise RuntimeError(f"sshd did not start: {said}")

    def stop(self) -> None:
        """End it and its connections; their commands are left alone, as in life."""
        if self._process is not None:
            self.signal_connections(signal.SIGCONT)
            self.signal_connections(signal.SIGKILL)
            self._process.kill()
            self._process.wait()
            if self._process.stderr is not None:
                self._process.stderr.close()
            self._process = None

    def signal_connections(self, number: signal.Signals) -> int:
        """Send a signal to the servers of the open connections; tell how many."""
        if self._process is None:
            return 0
        found = [pid for pid in _below(self._process.pid) if _is_sshd(pid)]
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(found)

    def change_host_key(self, name: str = "other_key") -> None:
        """Start anew as if it were another machine; "ecdsa_key" is of another kind."""
        self.stop()
        self._host_key = name
        self.start()

    def tool(self, name: str, script: str) -> Path:
        """Put a tool on the PATH of its commands: a shell script."""
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path


@contextmanager
def sshd(
    folder: Path,
    address: str = "127.0.0.1",
    inside: Sequence[str] = (),
    more: str = "",
) -> Iterator[Sshd]:
    """Run a server in a folder that is empty.

    Args:
        folder: The folder.
        address: What it listens on.
        inside: Words before its command line, such as those that enter a namespace.
        more: Further lines of its configuration.
    """
    server = Sshd(folder, address, inside, more)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _make_key(path: Path, kind: str = "ed25519") -> None:
    command = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(path)]
    subprocess.run(command, check=True)


def _lines(stream: IO[str] | None) -> Iterator[str]:
    if stream is not None:
        yield from iter(stream.readline, "")


def _below(pid: int) -> list[int]:
    """List the processes below one, deep."""
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    children = [int(word) for word in words]
    return children + [grandchild for each in children for grandchild in _below(each)]


def _is_sshd(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().startswith("sshd")
    except OSError:
        return False
