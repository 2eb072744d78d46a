"""Run a long command quietly: one live line on a terminal, the whole text in a log."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class SetupError(Exception):
    """What the user can act on: one sentence that names the way out."""


def say(text: str) -> None:
    """Tell the user; standard output stays free for what the program prints."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Finished:
    """How a command ended.

    Attributes:
        code: Its exit code; 127 when it could not be started.
        text: All it printed, standard error included.
    """

    code: int
    text: str

    def complaint(self) -> str:
        """Return the line that best says what went wrong."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        if not lines:
            return f"exit code {self.code}"
        for sign in ("E: ", "ERROR: ", "W: "):
            marked = [line for line in lines if line.startswith(sign)]
            if marked:
                return marked[0].removeprefix(sign)
        return lines[-1]


def run(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a command to its end; its output goes to the log, the last line is shown.

    Args:
        command: The program and its arguments.
        log: A file that the output is appended to; it may be unwritable.
        environment: Variables beside those of this process.
    """
    live = sys.stderr.isatty()
    width = shutil.get_terminal_size().columns - 1
    lines: list[str] = []
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **(environment or {})},
            close_fds=False,  # It holds the checkout's lock too, should we be killed.
        )
    except OSError as error:
        return Finished(127, f"{command[0]}: {error.strerror}")
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if live and line.strip():
                shown = line.strip()[:width]
                print(f"\r\033[K{shown}", end="", file=sys.stderr, flush=True)
    if live:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    text = "".join(lines)
    _append(log, f"$ {' '.join(command)}\n{text}")
    return Finished(process.returncode, text)


def _append(log: Path, text: str) -> None:
    try:
        with log.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return
