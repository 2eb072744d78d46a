"""A program that was started on another machine and is held over SSH."""

import asyncio
import os
import select
import signal
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import IO

import asyncssh

from instruments.errors import BenchError
from instruments.ssh import script as ssh_script
from instruments.ssh.connection import LOOP, Connection
from instruments.ssh.target import Target
from instruments.tools.closing import Closing

_START_S = 10.0
_PID_S = 10.0  # until the shell there has begun the program, whose pid comes first
LIFE_S = 30.0
"""Seconds that a program lives on after the last sign of life from us."""

_BEATS = 6
"""Signs of life within that time, so that one that is late does no harm."""

# The last complaint says why a program ended; endless complaints must not fill
# memory.
_KEPT = 262_144


class RemoteStarted(Closing):
    """A program on another machine; see `Started`.

    A shell there holds it: signals go through that shell's stdin, whose end kills the
    program with its group, so that a lost connection leaves nothing running. The
    connection is its own.

    Args:
        target: The account there.
        line: The command line for its shell, as `ssh_script.holding` makes it.
        env: Variables for the program.
        life_s: Seconds that it lives on without us, as the line says.

    Attributes:
        pid: Its process id there; its group is that of the shell that holds it.
        stdout: Its output as a binary file; read it by one thread.
    """

    def __init__(
        self, target: Target, line: str, env: Mapping[str, str], life_s: float = LIFE_S
    ) -> None:
        self._beat_s = life_s / _BEATS
        self._connection = Connection(target)
        self._complaints = b""
        self._code = 0
        reading, writing = os.pipe()
        self.stdout: IO[bytes] = os.fdopen(reading, "rb")
        self.pid = 0
        try:
            work = LOOP.submit(self._start(line, ssh_script.settings(env), writing))
            self._process = work.result()
            self._end: Future[int] = LOOP.submit(self._follow(self._process))
        except BaseException:
            self.stdout.close()
            LOOP.submit(self._connection.close()).result()
            raise
        end = time.monotonic() + _PID_S
        line_read = _line(reading, end)
        while line_read and line_read.strip() != ssh_script.BEGIN.encode():
            line_read = _line(reading, end)  # a greeting of the account's shell
        pid = _line(reading, end).strip() if line_read else b""
        if not pid.isdigit():
            self.close()
            raise NotStarted(self.stderr_text(), self._code)
        self.pid = int(pid)

    async def _start(
        self, line: str, settings: str, writing: int
    ) -> "asyncssh.SSHClientProcess[bytes]":
        try:
            async with asyncio.timeout(_START_S):
                connection = await self._connection.get()
                process = await connection.create_process(
                    line, encoding=None, stdout=writing
                )
        except (OSError, asyncssh.Error) as error:
            with suppress(OSError):
                os.close(writing)
            raise self._lost() from error
        except BenchError:
            os.close(writing)
            raise
        with suppress(OSError):  # it has ended already, and says why
            process.stdin.write(settings.encode())
        return process

    async def _follow(self, process: "asyncssh.SSHClientProcess[bytes]") -> int:
        beat = asyncio.create_task(self._beat())
        try:
            return await self._wait(process)
        finally:
            beat.cancel()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._beat_s)
            await self._tell("-")

    async def _wait(self, process: "asyncssh.SSHClientProcess[bytes]") -> int:
        with suppress(OSError, asyncssh.Error):
            while chunk := await process.stderr.read(65_536):
                self._complaints = (self._complaints + chunk)[-_KEPT:]
        await process.wait_closed()
        if process.returncode is None:
            raise self._lost()
        # A shell exits with 128 and the number of the signal that ended its program
        # (POSIX asks for more than 128; dash and bash add 128).
        code = process.returncode
        self._code = 128 - code if code > 128 else code
        return self._code

    def _lost(self) -> BenchError:
        return BenchError(
            "the connection was lost; what ran there is stopped",
            where=str(self._connection.target),
            way_out="Check whether the machine is up and reachable.",
        )

    def stderr_text(self) -> str:
        """Get what it has complained about so far; see `Started`."""
        return ssh_script.without_greeting(self._complaints)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to its process group; nothing happens if it has ended."""
        if not self._end.done():
            LOOP.submit(self._tell(number.name.removeprefix("SIG"))).result()

    async def _tell(self, name: str) -> None:
        with suppress(OSError, asyncssh.Error):
            self._process.stdin.write(f"{name}\n".encode())

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end; see `Started`.

        Raises:
            BenchError: The connection was lost, and the program with it.
        """
        try:
            return self._end.result(timeout)
        except TimeoutError:
            return None

    def close(self) -> None:
        """Kill it if it still runs and let go of it; may be called twice."""
        LOOP.submit(self._finish()).result()
        self.stdout.close()

    async def _finish(self) -> None:
        with suppress(OSError, asyncssh.Error):
            self._process.stdin.write_eof()
        end = asyncio.wrap_future(self._end)
        # The end of stdin has the shell there kill the group. Closing at once could
        # be faster than that, and leave it to the fuse.
        with suppress(BenchError, TimeoutError):
            await asyncio.wait_for(asyncio.shield(end), 2.0)
        await self._connection.close()
        with suppress(BenchError, TimeoutError):
            await asyncio.wait_for(end, 1.0)


def _line(reading: int, end: float) -> bytes:
    """Read the next line of a pipe; b"" at its end, or too late.

    Byte by byte, since what comes after it is the program's.
    """
    line = b""
    while not line.endswith(b"\n"):
        left = max(0.0, end - time.monotonic())
        ready, _, _ = select.select([reading], [], [], left)
        byte = os.read(reading, 1) if ready else b""
        if not byte:
            return b""
        line += byte
    return line


class NotStarted(Exception):  # noqa: N818  (turned into a sentence where it is caught)
    """The shell there ended instead of starting the program.

    Args:
        stderr: What it said.
        code: Its exit code.
    """

    def __init__(self, stderr: str, code: int) -> None:
        super().__init__(stderr)
        self.stderr = stderr
        self.code = code
