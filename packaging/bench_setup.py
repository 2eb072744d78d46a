"""What `./run` does: set up what is missing, then become the program asked for."""

import signal

# Python has nothing but a traceback to say of Ctrl-C while it imports what follows.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import system_packages
from environment import Environment
from narrated import SetupError, say

ROOT = Path(__file__).resolve().parent.parent
HELP = """\
usage: ./run [command]

  (nothing)       open the window
  demo [...]      run the demo campaign on a simulated bench
  bayscope ...    the command line; `./run bayscope --help` lists its commands
  setup           install what the program needs, and nothing else
  test [...]      run the tests but the slow ones, or with --all all of them, eight at a
                  time, and print the ten slowest; arguments go to pytest
  test-guard      try the target guard in an emulated machine, with md, LVM, multipath
  check           formatting, linter, type checker, import contracts
  fuzz MINUTES    try every reader of foreign files and answers for so long in all
  benchmarks      measure the program, each figure twice; long measures by name
  pictures        make the README's pictures anew
  lock            pin the newest allowed packages anew
  help            this text

The first run installs missing Debian packages (as root or with sudo) and the
pinned Python packages into .venv; later runs find them there.
"""
CHECKS = (
    ("formatting", ("-m", "ruff", "format", "--check", ".")),
    ("linter", ("-m", "ruff", "check", ".")),
    ("type checker", ("-m", "mypy")),
    (
        "import contracts",
        ("-c", "from importlinter.cli import lint_imports_command as c; c()"),
    ),
)


TOOLS = {
    "test": ("-m", "tests"),
    "test-guard": ("-m", "tests.guard_guest"),
    "fuzz": ("-m", "tests.fuzz"),
    "benchmarks": ("-m", "tests.benchmarks"),
    "pictures": ("-m", "tests.pictures"),
    "lock": ("packaging/lock.py",),
}
ALONE = ("help", "-h", "--help", "setup", "check", "pictures", "lock")


def main(arguments: list[str]) -> int:
    """Carry out one command line of `./run`; most end by becoming another program."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    environment = Environment(ROOT)
    python = str(environment.python)
    if rest and command in ALONE:
        raise SetupError(
            f"./run {command} takes no further words, and {rest[0]!r} was given: leave "
            "it out, or see ./run help."
        )
    if command in ("help", "-h", "--help"):
        print(HELP, end="")
        return 0
    if command == "setup":
        set_up(environment, "program")
        say("Bayscope is set up: ./run opens the window, ./run demo shows it at work.")
        return 0
    if command in ("", "demo", "bayscope"):
        set_up(environment, "program")
        words = ["demo", *rest] if command == "demo" else rest
        # As above: the program lets Ctrl-C through once it has words for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        become(python, "-P", "-m", "app", *words)
    if command == "check":
        set_up(environment, "tests")
        return check(python)
    if command in TOOLS:
        set_up(environment, "tests")
        os.chdir(ROOT)
        if command == "test":
            keep_bytecode(environment)
        become(python, *TOOLS[command], *rest)
    raise SetupError(f"./run knows no command {command!r}: ./run help lists them.")


def set_up(environment: Environment, kind: str) -> None:
    """Bring the machine and the environment to what the kind of use needs."""
    needs = system_packages.TESTS if kind == "tests" else system_packages.PROGRAM
    lacking = system_packages.missing(needs)
    if lacking:
        system_packages.install(lacking, environment.log)
    lacking = system_packages.missing(lacking)
    if lacking:
        things = ", ".join(need.target for need in lacking)
        raise SetupError(
            f"Still missing after the installation: {things}; install what provides "
            "them by hand, then run this again."
        )
    environment.prepare(kind)


def keep_bytecode(environment: Environment) -> None:
    """Keep compiled modules where none may lie beside the sources.

    Tests start hundreds of programs, each of which would compile all of ours anew.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ["PYTHONPYCACHEPREFIX"] = str(environment.folder / "bytecode")


def check(python: str) -> int:
    """Run every static check, also after one has failed; 1 if any did."""
    failed = []
    for name, words in CHECKS:
        say(f"== {name}")
        done = subprocess.run([python, *words], cwd=ROOT, check=False)
        if done.returncode:
            failed.append(name)
    say(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def become(program: str, *arguments: str) -> NoReturn:
    """Replace this process, so that signals and exit codes are the program's own."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # Python has none where the shell closed it.
            stream.flush()
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        say(str(error))
        sys.exit(2)
    except OSError as error:
        say(f"{error.filename or ROOT}: {error.strerror}; fix that, then try again.")
        sys.exit(2)
    except KeyboardInterrupt:
        say("Interrupted; run this again to go on.")
        sys.exit(130)
