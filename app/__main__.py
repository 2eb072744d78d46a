"""Start Bayscope: a command in the terminal, or the window where there is none."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from app import default_folder
from instruments.errors import BadInput, BenchError

# NumPy's threads would wait for each other at full speed, beside what is measured, and
# sums would depend on how many cores there are.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_STDERR = 2
_WINDOW_OPTIONS = ("--bench", "--dir")


def main(argv: Sequence[str] | None = None) -> int:
    """Run Bayscope with the given arguments; return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if argv is None:
            _have_streams()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if not arguments or _asks_for_window(arguments[0]):
            return _window(arguments)
        if argv is None:
            _end_in_order()
        # Garbage is seldom among what is imported, and looking for it takes long.
        gc.set_threshold(20_000, 20, 20)
        from app.cli import run  # noqa: PLC0415  (the window starts without it)

        return run(arguments)
    except KeyboardInterrupt:  # In the half second before the command listens.
        sys.stderr.write("bayscope: it was interrupted before it began.\n")
        return 4


def _have_streams() -> None:
    """Open what the shell closed: else a session file would get what is printed."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(number, True)
    os.close(number)
    nowhere = Path(os.devnull).open("r+", encoding="utf-8")  # noqa: SIM115 - to the end
    sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    sys.stdin = sys.stdin or nowhere


def _end_in_order() -> None:
    """Let TERM and a closed terminal end a command as Ctrl-C does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores the latter.
            signal.signal(number, signal.default_int_handler)


def _asks_for_window(first: str) -> bool:
    return first in _WINDOW_OPTIONS or first.endswith(".bayscope")


def _window(arguments: list[str]) -> int:
    try:
        session, folder, bench_file = _window_arguments(arguments)
        # Only now: a command in the terminal needs neither Qt nor a display.
        from app.ui import check_qt  # noqa: PLC0415

        check_qt()
        from app.bench.file import load_bench  # noqa: PLC0415
        from app.ui.window.application import run_window  # noqa: PLC0415

        bench = load_bench(bench_file) if bench_file else None
        return run_window(bench, folder, session)
    except BenchError as error:
        sys.stderr.write(f"bayscope: {error}\n")
        return error.exit_code


def _window_arguments(
    arguments: list[str],
) -> tuple[Path | None, Path, Path | None]:
    session, folder, bench = None, default_folder(), None
    rest = iter(arguments)
    for word in rest:
        if word in _WINDOW_OPTIONS:
            value = next(rest, None)
            if value is None:
                raise BadInput(f"{word} needs a path", way_out="See bayscope --help.")
            if word == "--bench":
                bench = Path(value)
            else:
                folder = Path(value)
        elif word.endswith(".bayscope") and session is None:
            session = Path(word)
        else:
            raise BadInput(f'"{word}" is unknown', way_out="See bayscope --help.")
    return session, folder, bench


if __name__ == "__main__":
    sys.exit(main())
