"""The one place that starts programs: run a tool to its end, or start it and hold it.

A started program can be tied to our life, so that a killed Bayscope leaves no load
running. Linux sends the parent-death signal when the *thread* that started the child
ends, not the process; tied children are therefore all started by one thread that
lives as long as the process.
"""

import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from instruments.errors import Aborted, plain_words
from instruments.tools.closing import Closing
from instruments.tools.command_errors import TooMuch, cannot_start, missing, too_late

SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where programs are looked for after the PATH."""

MOST_OUTPUT = 64 * 2**20
"""Bytes on stdout or stderr after which a tool is taken for one that never ends."""

# A tool's last complaints say why it failed; one that prints endlessly must not fill
# memory.
_KEPT = 262_144
_KILLED_S = 1.0  # for a killed tool to end, and for its last words to arrive
_LOOK_S = 0.2  # whether it was cancelled
_HELD_S = 10.0  # a load that is killed may have much to let go of
# One thread, never ended: see above, a tied child dies with the thread that made it.
_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starter")


@dataclass(frozen=True, slots=True)
class Completed:
    """What a tool printed and how it ended.

    Attributes:
        stdout: All it printed.
        stderr: All it complained about.
        code: Its exit code; negative for the signal that ended it.
    """

    stdout: str
    stderr: str
    code: int


class Running(Closing):
    """A started program; see `instruments.tools.started.Started`.

    Signals go to the whole process group, so that helpers of the program stop too.
    Leaving a `with` block kills what still runs.

    Attributes:
        pid: Its process id, which is also its process group and session.
        stdout: Its output as a binary file; read it by one thread.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdout is None or process.stderr is None:  # pragma: no cover
            raise AssertionError("started without a pipe")
        self._process = process
        self._complaints = _Complaints(process.stderr)
        self.pid: int = process.pid
        self.stdout: IO[bytes] = process.stdout

    def stderr_text(self) -> str:
        """Get what it has complained about so far; see `Started`."""
        if self._process.poll() is not None:
            # Its own words are soon here. The end of the pipe is not waited for: what
            # it started may hold that open.
            self._complaints.join(_KILLED_S)
        return self._complaints.text

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to its process group; nothing happens if it has ended."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end; see `Started`."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """Kill it if it still runs and let go of its pipes; may be called twice.

        One that hangs in the kernel, such as on a disk that is gone, is left to it.
        """
        self.send_signal(signal.SIGKILL)
        self.wait(_HELD_S)
        self.stdout.close()
        self.stderr_text()


class _Complaints(threading.Thread):
    """Takes what a program complains of, and keeps the end of it."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(name="complaints", daemon=True)
        self._pipe = pipe
        self._kept = b""
        self.start()

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")

    def run(self) -> None:
        with self._pipe as pipe:
            while chunk := os.read(pipe.fileno(), 65_536):
                self._kept = (self._kept + chunk)[-_KEPT:]


def run(
    argv: Sequence[str],
    timeout_s: float,
    *,
    env: Mapping[str, str] | None = None,
    cancel: threading.Event | None = None,
) -> Completed:
    """Run a tool to its end and give what it printed.

    Args:
        argv: Program and arguments; no shell is involved.
        timeout_s: Seconds after which it is killed.
        env: Variables set on top of ours; the tool speaks English either way.
        cancel: Set by the caller to kill it before that.

    Raises:
        BenchError: The tool is missing or cannot start, took too long, or printed
            more than anybody asked for.
        Aborted: It was cancelled.
    """
    _require(argv[0])
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(env),
            start_new_session=True,  # so that its helpers can be killed with it
        )
        try:
            stdout, stderr = _all_of(process, argv[0], timeout_s, cancel)
        except BaseException:
            _kill(process)
            raise
    except subprocess.TimeoutExpired:
        raise too_late(argv[0], timeout_s) from None
    except OSError as error:
        raise cannot_start(argv[0], plain_words(error)) from None
    return Completed(
        stdout.decode("utf-8", "replace"),
        stderr.decode("utf-8", "replace"),
        process.returncode,
    )


def _all_of(
    process: subprocess.Popen[bytes],
    tool: str,
    timeout_s: float,
    cancel: threading.Event | None,
) -> tuple[bytes, bytes]:
    """Read what a tool prints and complains of until it ends.

    Popen.communicate() would do, but it takes in output without a limit.
    """
    deadline = time.monotonic() + timeout_s
    pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
    output = {pipe.fileno(): bytearray() for pipe in pipes}
    with selectors.DefaultSelector() as waiting:
        for pipe in pipes:
            waiting.register(pipe, selectors.EVENT_READ)
        while waiting.get_map():
            left = deadline - time.monotonic()
            ready = waiting.select(_pause(tool, left, cancel))
            if not ready and left > 0:
                continue
            # What lies in the pipes at the deadline is still taken: this machine, not
            # the tool, may have stood still. One that goes on printing is late.
            if not ready or left < -_KILLED_S:
                raise subprocess.TimeoutExpired(tool, timeout_s)
            for key, _ in ready:
                if not _read_chunk(key.fd, output[key.fd], tool):
                    waiting.unregister(key.fileobj)
    _await_end(process, tool, deadline, cancel)
    _close_pipes(process)
    stdout, stderr = map(bytes, output.values())
    return stdout, stderr


def _await_end(
    process: subprocess.Popen[bytes],
    tool: str,
    deadline: float,
    cancel: threading.Event | None,
) -> None:
    """Wait for the end of a tool that has closed its pipes."""
    while (left := deadline - time.monotonic()) > 0:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_pause(tool, left, cancel))
            return
    process.wait(0.0)


def _pause(tool: str, left: float, cancel: threading.Event | None) -> float:
    """Tell how long to wait until it is looked again; raises Aborted if cancelled."""
    if cancel is None:
        return max(0.0, left)
    if cancel.is_set():
        raise Aborted(f"{tool} was ended before it had finished")
    return max(0.0, min(left, _LOOK_S))


def _read_chunk(fd: int, output: bytearray, tool: str) -> bool:
    """Add what a pipe has; tell whether it may have more. Raises TooMuch."""
    chunk = os.read(fd, 65_536)
    output += chunk
    if len(output) > MOST_OUTPUT:
        raise TooMuch(tool, MOST_OUTPUT)
    return bool(chunk)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a tool that took too long; one that hangs in the kernel is left to it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_KILLED_S)
    _close_pipes(process)


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def start(
    argv: Sequence[str],
    *,
    tied: bool = True,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = None,
    keep: Sequence[int] = (),
) -> Running:
    """Start a program in its own session and hold it.

    Args:
        argv: Program and arguments; no shell is involved.
        tied: Whether the kernel kills it when this process dies, however it dies.
            Its own children are not covered, so let it use threads (fio --thread).
        cwd: Working directory; None is ours.
        env: Variables set on top of ours; the tool speaks English either way.
        stdin: The file it reads from, such as the end of a pipe; None for nothing.
        keep: Open files that it gets under the same numbers.

    Raises:
        BenchError: The tool is missing or cannot start.
    """
    _require(argv[0])
    command = list(argv)
    if tied:
        # setpriv sets the signal and becomes the program: same pid, no code of ours
        # between fork and exec, which would not be safe in a program with threads.
        command = [_require("setpriv"), "--pdeathsig", "KILL", "--", *command]

    def begin() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=_environment(env),
            start_new_session=True,
            pass_fds=keep,
        )

    try:
        return Running(_STARTER.submit(begin).result())
    except OSError as error:
        raise cannot_start(argv[0], plain_words(error)) from None


def _require(program: str) -> str:
    path = shutil.which(program, path=_path())
    if path is not None:
        return path
    # There, but nobody may run it: that is another matter than missing.
    forbidden = shutil.which(program, os.F_OK, path=_path())
    if forbidden is not None:
        raise cannot_start(forbidden, "it is not executable")
    raise missing(program)


def _path() -> str:
    # Tools that ask drives lie in sbin, which the PATH of most users does not have.
    return os.pathsep.join((os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS))


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    # C.UTF-8: English words and a decimal point to parse, and names in any alphabet.
    fixed = {"LC_ALL": "C.UTF-8", "PATH": _path()}
    return {**os.environ, **fixed, **(extra or {})}
