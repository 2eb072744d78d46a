"""How far a machine's clock is from ours, by round trips.

A program there prints its clock at each signal, so that the start of a program does not
count. Each answer was given between our question and its arrival: the span that all of
them allow has the offset in its middle, and half its width is the uncertainty.
(Cristian's algorithm takes the shortest round trip alone.)
"""

import select
import signal
from collections.abc import Callable
from enum import IntEnum

from instruments.errors import BenchError
from instruments.timebase import monotonic_ns, offset_by
from instruments.tools.hosts import Host
from instruments.tools.started import Started

_ANSWER_S = 5.0
_LONGEST = 40  # bytes of a line; nanoseconds of 64 bits have 20 digits
# Both print their clock once when they are ready, then at each SIGUSR1, and end by
# themselves after two minutes, should nobody end them.
_PYTHON = """
import signal, sys, time
wanted = {signal.SIGUSR1}
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
signal.alarm(120)
while True:
    print(time.clock_gettime_ns(int(sys.argv[1])), flush=True)
    signal.sigwait(wanted)
"""
_PERL = """
use Time::HiRes "clock_gettime"; $| = 1;
$SIG{USR1} = sub { printf "%.0f\\n", clock_gettime($ARGV[0]) * 1e9; };
alarm 120; kill USR1 => $$; select(undef, undef, undef, 0.02) while 1;
"""
# $1 is the number of the clock, $2 and $3 are the two programs.
_TELL = (
    'command -v python3 >/dev/null && exec python3 -c "$2" "$1"; '
    'command -v perl >/dev/null && exec perl -e "$3" "$1"; '
    'echo "neither python3 nor perl is installed" >&2'
)


class Clock(IntEnum):
    """A clock of Linux, by its number (clock_gettime(2))."""

    REALTIME = 0
    MONOTONIC = 1


def clock_offset(
    host: Host,
    clock: Clock = Clock.MONOTONIC,
    *,
    rounds: int = 16,
    now: Callable[[], int] = monotonic_ns,
) -> tuple[int, int]:
    """Measure what to add to a machine's clock to have our monotonic time.

    Args:
        host: The machine; it needs python3 or perl.
        clock: Its clock; fio's logs are on the monotonic one.
        rounds: Number of round trips.
        now: Gives our monotonic nanoseconds.

    Returns:
        The offset in ns, and how far it may be off at most, in ns. Clocks drift, by
        some 50 us a second at worst: measure before and after.

    Raises:
        BenchError: The host cannot be reached, or does not tell its clock.
    """
    argv = ["sh", "-c", _TELL, "sh", str(int(clock)), _PYTHON, _PERL]
    with host.start(argv) as running:
        _answer(running, host)  # the first, when it is ready; its trip is no measure
        trips = []
        for _ in range(rounds):
            asked = now()
            running.send_signal(signal.SIGUSR1)
            remote = _answer(running, host)
            trips.append((asked - remote, now() - remote))
    return offset_by(trips)


def _answer(running: Started, host: Host) -> int:
    ready, _, _ = select.select([running.stdout], [], [], _ANSWER_S)
    line = running.stdout.readline(_LONGEST) if ready else b""
    if line.strip().isdigit() and line.endswith(b"\n"):
        return int(line)
    running.wait(1.0)
    complaints = running.stderr_text().strip().splitlines()
    reason = complaints[-1] if complaints else "no answer"
    raise BenchError(
        f"it does not report its clock ({reason})",
        where=str(host),
        way_out="Check whether python3 or perl runs there.",
    )
