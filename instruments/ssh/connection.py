"""Connections to other machines: one for each account there, shared by its sources.

All connections live in one thread with an event loop; everybody else calls in and
waits. A lost connection is made again at the next use.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import asyncssh

from instruments.errors import BadInput, BenchError, plain_words
from instruments.files.foreign_text import home_path
from instruments.ssh.target import Target
from instruments.ssh.trust import Offered, Witness, distrust, read_known_hosts
from instruments.tools.command import MOST_OUTPUT
from instruments.tools.command_errors import TooMuch

CONNECT_S = 10.0
"""Seconds that a connection may take until it can be used."""


def explain(
    error: Exception,
    target: Target,
    known_hosts: asyncssh.SSHKnownHosts,
    offered: list[Offered],
) -> BenchError:
    """Say why a connection could not be made, and what to do.

    Args:
        error: What asyncssh or the system raised.
        target: Where to.
        known_hosts: The known host keys.
        offered: Host keys that were not among them.
    """
    place = str(target)
    # Flat on purpose: a case for each way in which a connection fails, the narrow ones
    # before those that they are a kind of (TimeoutError is an OSError).
    port = f"-p {target.port} " if target.port else ""
    user = f"{target.user}@" if target.user else ""
    match error:
        case asyncssh.HostKeyNotVerifiable() if offered:
            return distrust(known_hosts, offered[0], place, target.known_hosts)
        case asyncssh.PermissionDenied():
            what = "it refused the login, or the key"
            way_out = f"Run: ssh-copy-id {port}{user}{target.address}"
        # "Passphrase must be specified to import encrypted private keys".
        case asyncssh.KeyImportError() if "assphrase" in str(error):
            what = f"the key {target.key} has a passphrase"
            way_out = f"Leave key out and hand it to the agent: ssh-add {target.key}"
        case asyncssh.KeyImportError() | FileNotFoundError() if target.key:
            return BadInput(
                f"the key {target.key} cannot be read ({plain_words(error)})",
                where=place,
                way_out="Give the file of a private key, or leave key out.",
            )
        case TimeoutError():
            what = f"it did not answer within {CONNECT_S:g} s"
            way_out = "Check whether it is switched on and reachable."
        case OSError():
            number = error.errno or 0
            reason = os.strerror(number) if number > 0 else error.strerror
            what = f"it cannot be reached ({reason or error})"
            way_out = "Check whether the address is right and sshd runs there."
        case _:
            what = f"the connection was refused or lost ({plain_words(error)})"
            way_out = f"Check whether this works: ssh {port}{user}{target.address}"
    return BenchError(what, where=place, way_out=way_out)


_T = TypeVar("_T")
# A pulled cable sends no FIN: without questions TCP notices it only after
# minutes.
_KEEPALIVE_S = 5.0
# What a server that hangs up during the key exchange looks like from here.
_HUNG_UP = asyncssh.ConnectionLost, asyncssh.KeyExchangeFailed, ConnectionResetError
_SESSIONS = 8  # at once; OpenSSH's server allows 10 by default (MaxSessions)
# One second in all for a session that has ended to be counted out at the server.
_BUSY_S, _BUSY_TRIES = 0.05, 20


class Connection:
    """A connection that several sources use; all its methods run in the loop."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.users = 0
        self.sessions = asyncio.Semaphore(_SESSIONS)
        self._connecting: asyncio.Task[asyncssh.SSHClientConnection] | None = None
        self._open: asyncssh.SSHClientConnection | None = None

    async def get(self) -> asyncssh.SSHClientConnection:
        """Get the connection, made again where it is lost.

        Raises:
            BenchError: It cannot be had; the sentence says why.
        """
        if self._open is not None and not self._open.is_closed():
            return self._open
        # One attempt for all that wait, or each would wait for those before it, too.
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(self._connect())
        # Shielded: who gives up waiting must not cancel it for the others.
        self._open = await asyncio.shield(self._connecting)
        return self._open

    async def session(
        self, connection: asyncssh.SSHClientConnection, line: str
    ) -> "asyncssh.SSHClientProcess[bytes]":
        """Open a session; one that has ended may count for a moment at the server.

        Raises:
            ChannelOpenError: The server opens none, or the connection is closed.
        """
        for _ in range(_BUSY_TRIES):
            with suppress(asyncssh.ChannelOpenError):
                return await connection.create_process(line, encoding=None)
            if connection.is_closed():
                break
            await asyncio.sleep(_BUSY_S)
        return await connection.create_process(line, encoding=None)

    def drop(self, connection: asyncssh.SSHClientConnection) -> None:
        """Let go of a connection that does not answer."""
        # Not close(), which waits for the other side to say that it is closed.
        connection.abort()
        if self._open is connection:
            self._open = None

    async def close(self) -> None:
        """End it politely, or else by force."""
        if self._connecting is not None:
            self._connecting.cancel()
        connection, self._open = self._open, None
        if connection is not None:
            connection.close()
            try:
                await asyncio.wait_for(connection.wait_closed(), 1.0)
            except TimeoutError:
                connection.abort()

    async def is_alive(self, connection: asyncssh.SSHClientConnection) -> bool:
        """Ask the other side for a sign of life."""
        try:
            async with asyncio.timeout(2.0):
                process = await connection.create_process("exit 0")
                await process.wait_closed()
        except (OSError, asyncssh.Error):
            return False
        return not connection.is_closed()

    async def _connect(self) -> asyncssh.SSHClientConnection:
        target = self.target
        known_hosts = read_known_hosts(target.known_hosts)
        options: dict[str, Any] = {}
        if target.user:
            options["username"] = target.user
        if target.port:
            options["port"] = target.port
        if target.key:
            options["client_keys"] = [str(home_path(target.key))]
        witness = Witness()
        options |= {
            "client_factory": lambda: witness,
            "known_hosts": known_hosts,
            "keepalive_interval": _KEEPALIVE_S,
            # Keys alone: nobody sits there to type a password at a reconnection.
            "preferred_auth": ["publickey"],
            "password_auth": False,
        }
        try:
            try:
                return await _open(target.address, options)
            except _HUNG_UP:
                # asyncssh offers only the kinds of host key that are known for this
                # machine. A server with a key of another kind hangs up before it shows
                # it, and without the key nobody can be told what to compare.
                options["server_host_key_algs"] = "default"
                return await _open(target.address, options)
        except (OSError, ValueError, asyncssh.Error) as error:
            raise explain(error, target, known_hosts, witness.offered) from error


async def all_of(
    process: "asyncssh.SSHClientProcess[bytes]", tool: str, place: str
) -> tuple[bytes, bytes]:
    """Read all that a program prints and complains of until it ends.

    Raises:
        TooMuch: It prints without end; it is stopped.
    """

    async def read(pipe: "asyncssh.SSHReader[bytes]") -> bytes:
        output = bytearray()
        while chunk := await pipe.read(65_536):
            output += chunk
            if len(output) > MOST_OUTPUT:
                process.kill()
                process.close()
                raise TooMuch(tool, MOST_OUTPUT, place)
        return bytes(output)

    # At once: a program blocks on the pipe that nobody empties.
    stdout, stderr = await asyncio.gather(read(process.stdout), read(process.stderr))
    await process.wait_closed()
    return stdout, stderr


async def _open(address: str, options: dict[str, Any]) -> asyncssh.SSHClientConnection:
    async with asyncio.timeout(CONNECT_S):
        return await asyncssh.connect(address, **options)


class _Loop:
    """The thread with the event loop, and the connections in it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shared: dict[Target, Connection] = {}

    def submit(self, work: Coroutine[Any, Any, _T]) -> "Future[_T]":
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon: an answer that never comes must not keep Python from ending.
                threading.Thread(
                    target=self._loop.run_forever, name="ssh", daemon=True
                ).start()
                atexit.register(self._end)
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def acquire(self, target: Target) -> Connection:
        """Count one more use of a connection; to be called in the loop alone."""
        connection = self._shared.setdefault(target, Connection(target))
        connection.users += 1
        return connection

    async def release(self, connection: Connection) -> None:
        """Count one use less; the last one ends the connection."""
        connection.users -= 1
        if connection.users <= 0:
            self._shared.pop(connection.target, None)
            await connection.close()

    async def _close_all(self) -> None:
        for connection in list(self._shared.values()):
            await connection.close()

    def _end(self) -> None:
        # Two seconds: whoever closes the program does not wait for a lost machine.
        with suppress(TimeoutError):
            self.submit(self._close_all()).result(2.0)


LOOP = _Loop()
"""The one thread that connections live in."""
