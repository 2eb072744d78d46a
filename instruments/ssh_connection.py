"""Connections to other machines: one for each account there, shared by its sources.

All connections live in one thread with an event loop; everybody else calls in and
waits. A lost connection is made anew at the next use.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import asyncssh

from instruments.errors import BadInput, BenchError
from instruments.ssh_trust import Offered, Witness, changed, distrust, read_known_hosts

_T = TypeVar("_T")
_CONNECT_S = 10.0
_KEEPALIVE_S = 5.0
_SESSIONS = 8  # at once; OpenSSH's server allows 10 unless told otherwise


@dataclass(frozen=True, slots=True)
class Target:
    """An account on another machine, and how to get into it.

    Attributes:
        address: Name or network address, or an alias of ~/.ssh/config.
        user: Account; "" is the one of ~/.ssh/config, or the own name.
        port: TCP port; 0 is the one of ~/.ssh/config, or 22.
        key: File of the private key; "" asks the agent, then the usual files.
        known_hosts: File of known host keys; "" is the user's and the system's.
    """

    address: str
    user: str = ""
    port: int = 0
    key: str = ""
    known_hosts: str = ""

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{user}{self.address}" + (f":{self.port}" if self.port else "")


class Connection:
    """A connection that several sources use; all its methods run in the loop."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.users = 0
        self.sessions = asyncio.Semaphore(_SESSIONS)
        self._connecting = asyncio.Lock()
        self._open: asyncssh.SSHClientConnection | None = None

    async def get(self) -> asyncssh.SSHClientConnection:
        """Get the connection, made anew where it is lost.

        Raises:
            BenchError: It cannot be had; the sentence says why.
        """
        async with self._connecting:
            if self._open is None or self._open.is_closed():
                self._open = await self._connect()
            return self._open

    def drop(self, connection: asyncssh.SSHClientConnection) -> None:
        """Let go of a connection that does not answer."""
        connection.abort()
        if self._open is connection:
            self._open = None

    async def close(self) -> None:
        """End it politely, or else by force."""
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
        known = read_known_hosts(target.known_hosts)
        options: dict[str, Any] = {}
        if target.user:
            options["username"] = target.user
        if target.port:
            options["port"] = target.port
        if target.key:
            options["client_keys"] = [str(Path(target.key).expanduser())]
        witness = Witness()
        try:
            async with asyncio.timeout(_CONNECT_S):
                return await asyncssh.connect(
                    target.address,
                    client_factory=lambda: witness,
                    known_hosts=known,
                    keepalive_interval=_KEEPALIVE_S,
                    preferred_auth=["publickey"],
                    password_auth=False,
                    **options,
                )
        except (OSError, ValueError, asyncssh.Error) as error:
            raise self._explain(error, known, witness.offered) from error

    def _explain(
        self,
        error: Exception,
        known: asyncssh.SSHKnownHosts,
        offered: list[Offered],
    ) -> BenchError:
        target, place = self.target, str(self.target)
        match error:
            case asyncssh.HostKeyNotVerifiable() if offered:
                return distrust(known, offered[0], place, target.known_hosts)
            case asyncssh.KeyExchangeFailed():
                return changed(place, "its kind", f"{target.address}'")
            case asyncssh.PermissionDenied():
                what = "it refused the login, or the key"
                copy = f"-p {target.port} " if target.port else ""
                user = f"{target.user}@" if target.user else ""
                way_out = f"Run: ssh-copy-id {copy}{user}{target.address}"
            case asyncssh.KeyEncryptionError():
                what = f"the key {target.key} has a passphrase"
                way_out = f"Hand it to the agent with: ssh-add {target.key}"
            case asyncssh.KeyImportError() | FileNotFoundError() if target.key:
                return BadInput(
                    f"the key {target.key} cannot be read ({error})",
                    where=place,
                    way_out="Give the file of a private key, or leave key out.",
                )
            case TimeoutError():
                what = f"it did not answer within {_CONNECT_S:g} s"
                way_out = "See whether it is switched on and reachable."
            case OSError():
                number = error.errno or 0
                reason = os.strerror(number) if number > 0 else error.strerror
                what = f"it cannot be reached ({reason or error})"
                way_out = "See whether the address is right and sshd runs there."
            case _:
                what = f"the connection was refused or lost ({error})"
                way_out = f"See whether this works: ssh {target.address}"
        return BenchError(what, where=place, way_out=way_out)


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
                threading.Thread(
                    target=self._loop.run_forever, name="ssh", daemon=True
                ).start()
                atexit.register(self._end)
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def acquire(self, target: Target) -> Connection:
        connection = self._shared.setdefault(target, Connection(target))
        connection.users += 1
        return connection

    async def release(self, connection: Connection) -> None:
        connection.users -= 1
        if connection.users <= 0:
            self._shared.pop(connection.target, None)
            await connection.close()

    async def _close_all(self) -> None:
        for connection in list(self._shared.values()):
            await connection.close()

    def _end(self) -> None:
        with suppress(TimeoutError):
            self.submit(self._close_all()).result(2.0)


LOOP = _Loop()
"""The one thread that connections live in."""
