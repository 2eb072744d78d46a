"""Running an external load program: its lines as they come, and an end in order."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from instruments.files.foreign_text import lines_of
from instruments.timebase import monotonic_ns
from instruments.tools.command import MOST_OUTPUT, Running, start
from workloads.base import End, LoadCause, Say
from workloads.guard.load_guard import LoadGuard
from workloads.tool_ended import GRACE_S, Ended, Line, Quiet, watch

MOST_LINES = 200_000
"""Lines of a program that are kept; a program that prints more has gone mad."""


def run_tool(
    argv: Sequence[str],
    *,
    name: str,
    say: Say,
    stop: threading.Event,
    longest_s: float,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    quiet_s: float = 0.0,
    take: Callable[[Line], None] = lambda _: None,
    poll: Callable[[Running], End] = lambda _: End(),
    poll_s: float = 0.1,
) -> Ended:
    """Run a program to its end, or stop it with INT, TERM and KILL.

    Args:
        argv: Program and arguments, which everybody on this machine can see.
        name: What it is called in messages.
        say: Takes (level, message) for the event log.
        stop: Set by the caller to end it early.
        longest_s: Seconds after which it is ended.
        cwd: Its working directory.
        env: Variables set on top of ours, such as secrets.
        quiet_s: Seconds without a line before a warning; 0 for never.
        take: Takes each line, on the reading thread.
        poll: Asked about every `poll_s` seconds, on the calling thread, why the
            program has to end.
        poll_s: Seconds between two polls.

    Raises:
        BenchError: It cannot be started.
    """
    began = monotonic_ns()
    with start(argv, cwd=cwd, env=env) as process, _guardian(process.pid):
        reader = _Reader(process, take, name)
        reader.start()
        quiet = Quiet(name, say, quiet_s)

        def look() -> End:
            quiet.check(reader.last_line)
            return poll(process)

        forced = watch(
            process,
            name,
            say,
            stop,
            longest_s=longest_s,
            look=look,
            wait_s=poll_s,
            grace_s=GRACE_S,
        )
        # A program in a read that hangs in the kernel outlives its KILL.
        code = process.wait(1.0)
        # What it started may hold its output open; its own lines are here by then.
        reader.join(timeout=2.0)
        if _end_helpers(process.pid):
            say("warning", f"{name} left helper processes behind; they were ended")
        reader.join(timeout=2.0)
        stderr = process.stderr_text()
    return Ended(
        code=-signal.SIGKILL if code is None else code,
        forced=forced,
        lines=tuple(reader.lines),
        stderr=stderr,
        start_ns=began,
        end_ns=monotonic_ns(),
        argv=tuple(argv),
    )


def guard_poll(
    guard: LoadGuard, written: Callable[[Running], int], *, destroys: bool
) -> Callable[[Running], End]:
    """Make a poll that reports what a program has written to a guard, and obeys it.

    Args:
        guard: The guard, which also looks at the disks that the program and all that
            it started have open.
        written: Gives the bytes that were written in all so far.
        destroys: Whether the program writes to its target.
    """
    counted = 0

    def poll(process: Running) -> End:
        nonlocal counted
        now = written(process)
        guard.count(now - counted)
        counted = max(counted, now)
        if stray := guard.check(process.pid, "", destroys=destroys, is_tool=True):
            return End(LoadCause.GUARD, stray)
        return guard.spent()

    return poll


@contextmanager
def _guardian(group: int) -> Iterator[None]:
    """Start what kills a program's whole group should this process die.

    The kernel ends the program itself then, and not what it started: the Java
    machines of VDBench would go on writing. It waits for the end of a pipe that only
    we hold: another process may have our number by the time that it looks.
    """
    reading, life = os.pipe()
    argv = ["sh", "-c", 'read -r _; kill -s KILL -- "-$1"', "bayscope-guardian"]
    try:
        try:
            guardian = start([*argv, str(group)], tied=False, stdin=reading)
        finally:
            os.close(reading)
        with guardian:
            yield
    finally:
        os.close(life)


def _end_helpers(group: int) -> bool:
    """Kill what is left of a program's process group; tell whether there was any."""
    # Nobody is left in it, or its number is that of another user's group by now.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
        return True
    return False


class _Reader(threading.Thread):
    """Takes a program's standard output line by line, with the time of each."""

    def __init__(
        self, process: Running, take: Callable[[Line], None], name: str
    ) -> None:
        super().__init__(name=f"{name}-reader", daemon=True)
        self.lines: list[Line] = []
        self.last_line = time.monotonic()
        self._size = 0
        self._stdout = process.stdout
        self._take = take

    def run(self) -> None:
        with suppress(ValueError):  # Its end of the pipe is closed by `close`.
            for raw in lines_of(self._stdout):
                self.last_line = time.monotonic()
                text = raw.decode("utf-8", "replace").rstrip("\r\n")
                line = Line(text, monotonic_ns())
                self._size += len(raw)
                if len(self.lines) < MOST_LINES and self._size < MOST_OUTPUT:
                    self.lines.append(line)
                # Live readings go on where no more lines are kept.
                self._take(line)
