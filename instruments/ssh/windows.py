r"""A Windows machine over its OpenSSH server, whose shell is cmd.exe.

Untried on a real Windows: made after the documentation of OpenSSH for Windows, of
cmd.exe and of CommandLineToArgvW. There are no signals, so that a program is ended with
`taskkill`, by the process id that its command line finds.
"""

import asyncio
import os
import select
import signal
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import IO

import asyncssh

from instruments.errors import BadInput, BenchError, plain_words
from instruments.ssh.connection import LOOP, Connection, all_of
from instruments.ssh.target import Target
from instruments.timebase import monotonic_ns, offset_by
from instruments.tools.closing import Closing
from instruments.tools.command import Completed
from instruments.tools.command_errors import missing, too_late


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

    def __init__(
        self, host: "WindowsHost", line: str, *, image: str, mark: str
    ) -> None:
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
            raise self._host.lost(plain_words(error)) from error
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
        # By image and mark, because SSH gives no process id.
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
                    # /T its children as well, /F whether it wants to or not.
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


_ABSENT = 9009
"""The exit code of cmd.exe for a program that it does not find, or 1 of `cmd /c`."""

_UNIX_EPOCH_TICKS = 621_355_968_000_000_000  # ticks are 100 ns since the year 1
_CLOCK = (
    "while ($null -ne [Console]::In.ReadLine()) "
    "{ [Console]::Out.WriteLine([DateTime]::UtcNow.Ticks) }"
)
_ANSWER_S = 10.0


def quoted(argv: Sequence[str]) -> str:
    r"""Write a command line that cmd.exe passes on unchanged.

    Words are quoted as CommandLineToArgvW reads them (backslashes before a quote are
    doubled); within quotes cmd.exe leaves all but "%" alone. The first word stays bare,
    because `cmd /c` takes quotes off a line that begins with one.

    Raises:
        BadInput: A word cannot be given through cmd.exe.
    """
    for word in argv:
        if any(mark in word for mark in '%"\r\n') or not argv[0].isidentifier():
            raise BadInput(
                "it cannot be given through cmd.exe",
                where=f'"{word}"',
                way_out='Expected no ", % or line break.',
            )
    return " ".join([argv[0], *map(_quote, argv[1:])])


def _quote(word: str) -> str:
    if word and not set(word) & set(" \t&|<>^()!;,="):
        return word
    tail = len(word) - len(word.rstrip("\\"))
    return '"' + word + "\\" * tail + '"'


class WindowsHost:
    """A Windows machine; used by one thread at a time.

    Args:
        name: What the bench calls it.
        target: The account and the way into it.
    """

    def __init__(self, name: str, target: Target) -> None:
        self.name = name
        self.target = target
        self._connection: Connection | None = None

    def __str__(self) -> str:
        return str(self.target)

    def run(self, argv: Sequence[str], timeout_s: float) -> Completed:
        """Run a program to its end.

        Raises:
            BenchError: It is missing, takes too long, or the machine does not answer.
        """
        done = LOOP.submit(self._run(quoted(argv), argv[0], timeout_s)).result()
        if done.code == _ABSENT or "is not recognized as" in done.stderr:
            raise missing(argv[0], str(self))
        return done

    def put(self, name: str, content: bytes) -> None:
        """Write a file into the home folder of the account; raises BenchError."""
        LOOP.submit(self._put(name, content)).result()

    def remove(self, name: str) -> bool:
        """Remove a file from the home folder; tell whether it was there.

        Raises:
            BenchError: It stays, as while a program has it open, or the machine cannot
                be reached.
        """
        return LOOP.submit(self._remove(name)).result()

    def start(self, argv: Sequence[str], mark: str) -> WindowsStarted:
        """Start a program that runs on.

        Args:
            argv: Its command line.
            mark: A word of that command line which no other program has.

        Raises:
            BenchError: The machine cannot be reached.
        """
        return WindowsStarted(self, quoted(argv), image=argv[0], mark=mark)

    def clock_offset(self, rounds: int) -> tuple[int, int]:
        """Measure what to add to its wall clock to have our monotonic time, in ns.

        As `instruments.host.clock` does, by lines to a PowerShell that answers each.

        Raises:
            BenchError: It does not tell its clock.
        """
        argv = ["powershell", "-NoProfile", "-NonInteractive", "-Command", _CLOCK]
        # The mark is a part of the script itself, so that its command line has it.
        with self.start(argv, "UtcNow.Ticks") as running:
            trips = []
            for number in range(rounds + 1):
                asked = monotonic_ns()
                running.send_line()
                ready, _, _ = select.select([running.stdout], [], [], _ANSWER_S)
                line = running.stdout.readline().strip() if ready else b""
                now = monotonic_ns()
                if not line.isdigit():
                    raise BenchError(
                        "it does not report its clock",
                        where=str(self),
                        way_out="Check whether powershell runs there.",
                    )
                remote_ns = (int(line) - _UNIX_EPOCH_TICKS) * 100
                if number:  # the first has to wait for PowerShell
                    trips.append((asked - remote_ns, now - remote_ns))
        return offset_by(trips)

    def close(self) -> None:
        """Let go of the connection; may be called twice, and used again after."""
        connection, self._connection = self._connection, None
        if connection is not None:
            LOOP.submit(connection.close()).result()

    async def connected(self) -> asyncssh.SSHClientConnection:
        """Get the connection; raises BenchError."""
        if self._connection is None:
            self._connection = Connection(self.target)
        return await self._connection.get()

    async def _run(self, line: str, tool: str, timeout_s: float) -> Completed:
        connection = await self.connected()
        try:
            async with asyncio.timeout(timeout_s):
                process = await connection.create_process(line, encoding=None)
                process.stdin.write_eof()
                stdout, stderr = await all_of(process, tool, str(self))
        except TimeoutError:
            raise too_late(tool, timeout_s, str(self)) from None
        except (OSError, asyncssh.Error) as error:
            raise self.lost(plain_words(error)) from error
        # None of a session that broke off: not 0, which would be a success.
        code = process.returncode if process.returncode is not None else -1
        return Completed(
            stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace"), code
        )

    async def _put(self, name: str, content: bytes) -> None:
        async with self._sftp() as sftp, sftp.open(name, "wb") as file:
            await file.write(content)

    async def _remove(self, name: str) -> bool:
        async with self._sftp() as sftp:
            try:
                await sftp.remove(name)
            except asyncssh.SFTPNoSuchFile:
                return False
        return True

    @asynccontextmanager
    async def _sftp(self) -> AsyncIterator[asyncssh.SFTPClient]:
        """Get at the files of the account's home; raises BenchError."""
        connection = await self.connected()
        try:
            async with (
                asyncio.timeout(_ANSWER_S),
                connection.start_sftp_client() as sftp,
            ):
                yield sftp
        except (OSError, TimeoutError, asyncssh.Error) as error:
            why = plain_words(error)
            raise BenchError(
                f"a file in the account's home cannot be written or removed ({why})",
                where=str(self),
                way_out="Check whether its SSH server has SFTP, and whether a program "
                "still has the file open.",
            ) from error

    def lost(self, why: str) -> BenchError:
        """Make the error of a connection that is gone."""
        return BenchError(
            f"the connection was lost ({why})",
            where=str(self),
            way_out="Check whether the machine is up and reachable.",
        )
