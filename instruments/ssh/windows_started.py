"""A program that was started on a Windows machine and is held over SSH."""

import asyncio
import os
import signal
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import IO, Protocol

import asyncssh

from instruments.errors import BenchError
from instruments.ssh.connection import LOOP
from instruments.tools.closing import Closing
from instruments.tools.command import Completed

_ANSWER_S = 10.0


class Windows(Protocol):
    """The machine that it runs on; see `instruments.ssh.windows`."""

    def run(self, argv: Sequence[str], timeout_s: float) -> Completed:
        """Run a program to its end; raises BenchError."""
        ...

    async def connected(self) -> asyncssh.SSHClientConnection:
        """Get the connection; raises BenchError."""
        ...

    def lost(self, error: object) -> BenchError:
        """Make the error of a connection that is gone."""
        ...


class WindowsStarted(Closing):
    """A program that was started on a Windows machine; see `instruments.tools.started`.

    Args:
        host: The machine.
        line: Its command line.
        image: Name of the program, without ".exe".
        mark: A word of its command line which no other program has.

    Attributes:
        pid: Nothing is known of it before the end: 0.
        stdout: Its output as a binary file; read it by one thread.
    """

    def __init__(self, host: Windows, line: str, *, image: str, mark: str) -> None:
        self._host = host
        self._image, self._mark = image, mark
        self._said = b""
        self.pid = 0
        reading, writing = os.pipe()
        self.stdout: IO[bytes] = os.fdopen(reading, "rb")
        try:
            self._process = LOOP.submit(self._start(line, writing)).result()
        except BaseException:
            self.stdout.close()
            raise
        self._end: Future[int] = LOOP.submit(self._follow())

    async def _start(
        self, line: str, writing: int
    ) -> "asyncssh.SSHClientProcess[bytes]":
        try:
            connection = await self._host.connected()
            return await connection.create_process(line, encoding=None, stdout=writing)
        except (OSError, asyncssh.Error) as error:
            with suppress(OSError):
                os.close(writing)
            raise self._host.lost(error) from error
        except BenchError:
            os.close(writing)
            raise

    async def _follow(self) -> int:
        with suppress(OSError, asyncssh.Error):
            while chunk := await self._process.stderr.read(65_536):
                self._said = (self._said + chunk)[-262_144:]
        await self._process.wait_closed()
        if self._process.returncode is None:
            raise self._host.lost("its program goes on until its runtime is over")
        return self._process.returncode

    def stderr_text(self) -> str:
        """Get what it has complained about so far."""
        return self._said.decode("utf-8", "replace")

    def send_line(self) -> None:
        """Send it an empty line."""

        async def send() -> None:
            self._process.stdin.write(b"\r\n")

        LOOP.submit(send()).result()

    def send_signal(self, number: signal.Signals) -> None:
        """End it, whatever the signal: Windows has none that would do."""
        del number
        if self._end.done():
            return
        find = (
            "Get-CimInstance Win32_Process | Where-Object "
            f"{{ $_.Name -eq '{self._image}.exe' -and "
            f"$_.CommandLine -like '*{self._mark}*' }} | "
            "ForEach-Object { $_.ProcessId }"
        )
        argv = ["powershell", "-NoProfile", "-NonInteractive", "-Command", find]
        with suppress(BenchError):
            for word in self._host.run(argv, _ANSWER_S).stdout.split():
                if word.isdigit():
                    kill = ["taskkill", "/T", "/F", "/PID", word]
                    self._host.run(kill, _ANSWER_S)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end; raises BenchError where the machine was lost."""
        try:
            return self._end.result(timeout)
        except TimeoutError:
            return None

    def close(self) -> None:
        """End it if it still runs and let go of it; may be called twice."""
        if not self.stdout.closed:
            self.send_signal(signal.SIGTERM)
            LOOP.submit(self._finish()).result()
            self.stdout.close()

    async def _finish(self) -> None:
        with suppress(OSError, asyncssh.Error):
            self._process.stdin.write_eof()
        self._process.close()
        with suppress(BenchError, TimeoutError, OSError, asyncssh.Error):
            await asyncio.wait_for(asyncio.wrap_future(self._end), 2.0)
