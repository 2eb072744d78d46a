"""`./run test` runs both of its passes, or says which it left out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.__main__ import ALONE_LEFT_OUT, LEFT_OUT, USAGE

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

def test_in_company():
    assert {in_company}

@pytest.mark.serial
def test_alone():
    pass
"""


@pytest.mark.parametrize("in_company", [True, False])
def test_the_second_pass_is_left_out_after_a_failure_with_x_alone(
    tmp_path: Path, *, in_company: bool
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow\n  serial\n")
    (tmp_path / "test_both.py").write_text(TESTS.format(in_company=in_company))
    options = ["-x", "-n", "0", "-v", "-p", "no:cacheprovider", "-p", "xdist.plugin"]
    options += ["--basetemp", str(tmp_path / "base")]
    done = subprocess.run(
        [sys.executable, "-m", "tests", *options, tmp_path],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("test_alone PASSED" in done.stdout) is in_company, done.stdout
    assert (ALONE_LEFT_OUT in done.stdout) is not in_company
    assert done.returncode == (0 if in_company else 1)


@pytest.mark.parametrize(
    ("module", "argument", "sentence"),
    [
        ("tests", "--nonsense", USAGE),
        ("tests.guard_guest", "nonsense", "./run test-guard: no row of the table has"),
        ("tests.fuzz", "--seed=1", "the following arguments are required: MINUTES."),
        ("tests.faults", "nonsense", "there is no driver nonsense here"),
    ],
)
def test_arguments_that_mean_nothing_start_nothing(
    module: str, argument: str, sentence: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, argument],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert sentence in done.stderr
    assert LEFT_OUT not in done.stdout
    assert done.returncode != 0
