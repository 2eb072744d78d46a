"""Command lines for the shell of another machine, one for each task.

The account's shell has to be a POSIX one. Arguments are quoted, so that each reaches
the tool as it is. `timeout` of coreutils ends the tool and its helpers at the deadline
even where the connection is gone.
"""

import shlex
from collections.abc import Mapping, Sequence

from instruments.tools.command import SYSTEM_FOLDERS

MISSING = "bayscope: missing: "
"""Begins the complaint of a line whose tool is not there; its name follows."""

DENIED = "bayscope: denied: "
"""Begins the complaint of a line whose tool is not executable; its path follows."""

BEGIN = "bayscope: begin"
"""The line after which output is the tool's, and no greeting of the account's shell."""

LARGEST = 96 * 1024
"""Bytes of a command line that are safe: Linux takes 128 KiB for one argument."""

# A function, and variables read from stdin, which no list of processes shows.
_PREPARE = (
    f'echo "{BEGIN}"; echo "{BEGIN}" >&2; '
    f"PATH=$PATH:{':'.join(SYSTEM_FOLDERS)} LC_ALL=C.UTF-8; export PATH LC_ALL; "
    'while IFS= read -r v && [ -n "$v" ]; do export "$v"; done; '
    f'deny() {{ echo "{DENIED}$1" >&2; exit 126; }}; '
    # A path is tested apart: dash's `command -v` takes any file for a program.
    'need() { case "$1" in */*) [ -x "$1" ] && return; [ -f "$1" ] && deny "$1";; '
    '*) command -v -- "$1" >/dev/null && return; IFS=:; '
    'for d in $PATH; do [ -f "$d/$1" ] && deny "$d/$1"; done;; esac; '
    f'echo "{MISSING}$1" >&2; exit 127; }}; '
)
# $1 is the tool, the rest is the line that runs it: [sudo] timeout tool arguments.
_RUN = f'{_PREPARE} need "$1"; need "$2"; shift; exec "$@" </dev/null'

# Burns $2 seconds and then kills the process group $1, if the watch $3 still lives.
_FUSE = (
    'trap "kill \\$!; exit" TERM; sleep "$2" & wait "$!"; '
    'kill -0 "$3" && kill -KILL "-$1"'
)

# Reads names of signals for the process group $1, and signs of life ("-"), without
# which a fuse burns down: a network that is cut does not end the connection there. The
# end of its stdin kills the group. In its own session, it is not hit itself.
_WATCH = (
    f'arm() {{ sh -c {shlex.quote(_FUSE)} sh "$1" "$2" $$ & t=$!; }}; arm "$@"; '
    'trap \'kill "$t"; exit\' TERM; while read -r s; do case "$s" in '
    '-) kill "$t"; arm "$@";; KILL) break;; *) kill -"$s" "-$1";; esac; done; '
    'kill "$t"; kill -KILL "-$1"'
)

# $1 is the seconds of the fuse, $2 the folder, the rest the tool. The shell survives
# what is sent to its group and returns the code. The tool runs in front, since a shell
# lets those behind ignore INT. The first line of the output is the tool's pid.
_HOLD = (
    f'{_PREPARE} need setsid; need "$3"; cd -- "$2" || exit 126; f=$1; shift 2; '
    "exec 3<&0; trap : HUP INT QUIT TERM USR1 USR2; "
    f'setsid sh -c {shlex.quote(_WATCH)} sh $$ "$f" <&3 3<&- >/dev/null 2>&1 & '
    "w=$!; "
    'sh -c \'echo $$; exec "$@"\' sh "$@" </dev/null 3<&-; '
    'c=$?; kill "$w" 2>/dev/null; exit "$c"'
)

# Goes on as the leader of a process group, which a child of sudo may not be.
_LEAD = (
    'read -r _ _ _ _ g _ </proc/$$/stat; [ "$g" = $$ ] && exec "$@"; exec setsid "$@"'
)


def running(
    argv: Sequence[str], timeout_s: float, *, sudo: bool, variables: Sequence[str]
) -> str:
    """Make the line that runs a tool to its end, or to its deadline."""
    limit = ["timeout", "-s", "KILL", f"{timeout_s:.3f}", *argv]
    kept = [f"--preserve-env={','.join(variables)}"] if variables else []
    words = ["sudo", "-n", *kept, "--", *limit] if sudo else limit
    return f"exec {shlex.join(['sh', '-c', _RUN, 'sh', argv[0], *words])}"


def holding(argv: Sequence[str], cwd: str, life_s: float, *, sudo: bool) -> str:
    """Make the line that starts a tool and ends it when its stdin ends.

    Args:
        argv: Program and arguments.
        cwd: Its folder.
        life_s: Seconds without a sign of life after which it is killed.
        sudo: Whether it runs as root.
    """
    before = ["sudo", "-n", "--", "sh", "-c", _LEAD, "sh"] if sudo else []
    words = [*before, "sh", "-c", _HOLD, "sh", f"{life_s:g}", cwd, *argv]
    return f"exec {shlex.join(words)}"


def settings(variables: Mapping[str, str]) -> str:
    """Make what the line reads first: variables that no process list shows.

    Raises:
        ValueError: A value has a line break.
    """
    lines = [f"{name}={value}" for name, value in variables.items()]
    if any("\n" in line for line in lines):
        raise ValueError("a variable with a line break")
    return "".join(f"{line}\n" for line in [*lines, ""])


def has_begun(output: bytes) -> bool:
    """Whether the shell there ran its command line; some accounts have no shell."""
    return f"{BEGIN}\n".encode() in output


def without_greeting(output: bytes) -> str:
    """Decode what was printed, from the line on after which it is the tool's."""
    text = output.decode("utf-8", "replace")
    _, begun, rest = text.partition(f"{BEGIN}\n")
    return rest if begun else text


def missing_tool(stderr: str) -> str:
    """Find the name of the tool that was not there; "" where that is not it."""
    return _named(MISSING, stderr)


def denied_tool(stderr: str) -> str:
    """Find the path of the tool that may not be executed; "" where that is not it."""
    return _named(DENIED, stderr)


def refusal(stderr: str) -> str:
    """Find what sudo said when it refused; "" where it did not."""
    for line in stderr.splitlines():
        if line.startswith("sudo: "):
            return line.removeprefix("sudo: ").rstrip(".")
    return ""


def _named(complaint: str, stderr: str) -> str:
    for line in stderr.splitlines():
        if line.startswith(complaint):
            return line.removeprefix(complaint)
    return ""
