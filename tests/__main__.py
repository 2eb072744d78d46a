"""`./run test`: the tests that bear company eight at a time, then the others alone."""

import argparse
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

TOGETHER = ("-n", "8", "--dist", "worksteal")
"""Most tests wait for loads and instruments, so two processors serve eight of them."""

GONE_ON_AFTER = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)
"""What the first pass may end with, for the second to run."""

ALONE_LEFT_OUT = "The tests that run alone were left out: another one failed."

HERE = Path(__file__).parent

FEW = 100
"""Files of tests that each of the processes may well rewrite for itself."""

LEFT_OUT = "The slow tests were left out: `./run test --all` runs them, too."


USAGE = (
    "./run test: pytest does not take these arguments. Give --all, files of tests or "
    "options of pytest."
)


class OnlyFilesWithSerial:
    """Spares the second pass from importing every file of tests."""

    @staticmethod
    def pytest_ignore_collect(collection_path: Path) -> bool | None:
        """Pass by a file of tests none of which is marked."""
        if not collection_path.name.startswith("test_"):
            return None
        return "mark.serial" not in collection_path.read_text() or None


def rewrite() -> None:
    """Let pytest rewrite the asserts of new and changed files once, and keep that.

    Else each of the processes would do it, all at the same time: ten seconds of work
    where the files were just fetched.
    """
    ending = f"-pytest-{pytest.__version__}.pyc"
    new = 0
    for path in HERE.rglob("test_*.py"):
        kept = Path(cache_from_source(str(path)).removesuffix(".pyc") + ending)
        new += not kept.exists() or kept.stat().st_mtime < path.stat().st_mtime
    if new > FEW:
        halves = [["tests/app"], ["tests", "--ignore", "tests/app"]]
        collect = [sys.executable, "-m", "pytest", "-n", "0", "--collect-only", "-qq"]
        collecting = [
            subprocess.Popen(
                [*collect, *half], cwd=HERE.parent, stdout=subprocess.DEVNULL
            )
            for half in halves
        ]
        for one in collecting:
            one.wait()


def main(words: list[str]) -> int:
    """Run both passes; return the worse of pytest's two exit codes."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("-m", dest="marks")
    options, rest = parser.parse_known_args(words)
    rewrite()
    marks = options.marks or ("slow or not slow" if options.all else "not slow")
    common = ["--durations", "10", *rest]
    codes = [pytest.main([*TOGETHER, *common, "-m", f"({marks}) and not serial"])]
    is_first_enough = bool({"-x", "--exitfirst"} & set(rest))
    if codes[0] == pytest.ExitCode.TESTS_FAILED and is_first_enough:
        print(ALONE_LEFT_OUT)
    elif codes[0] in GONE_ON_AFTER:
        alone = [*common, "-n", "0", "-m", f"({marks}) and serial"]
        codes.append(pytest.main(alone, plugins=[OnlyFilesWithSerial()]))
    if pytest.ExitCode.USAGE_ERROR in codes:
        print(USAGE, file=sys.stderr)
    elif marks == "not slow":
        print(LEFT_OUT)
    found = [code for code in codes if code != pytest.ExitCode.NO_TESTS_COLLECTED]
    return int(max(found, default=pytest.ExitCode.NO_TESTS_COLLECTED))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
