"""Runs of fio that were cut short are not done, as far as anything tells of it."""

import signal
import subprocess
from pathlib import Path

import pytest

from app.record.imports.fio_json import read_fio
from app.record.imports.found import FoundStep
from tests.app.record.imports.test_fio_runs import entry, found_in, written

TIMED = {"runtime": "10", "time_based": ""}


def faults(text: str) -> list[str]:
    return [step.fault for step in found_in(text).steps]


@pytest.mark.parametrize("form", ["json", "normal", "terse"])
def test_a_run_that_was_interrupted_is_aborted(tmp_path: Path, form: str) -> None:
    job = "--ioengine=null --size=64m --rate_iops=500 --rw=randread --thread"
    job += " --runtime=600 --time_based --status-interval=1"
    with subprocess.Popen(
        ["fio", "--name=load", f"--output-format={form}", *job.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as fio:
        assert fio.stdout is not None
        lines: list[str] = []
        # Its second report comes while it runs.
        mark = {"json": "  ]", "normal": "Run status", "terse": "3;"}[form]
        while sum(line.startswith(mark) for line in lines) < 2:
            lines.append(fio.stdout.readline())
        fio.send_signal(signal.SIGINT)
        text = "".join(lines) + fio.stdout.read()
    if form == "terse":  # Interim lines may be of other runs, which it cannot tell.
        text = text[text.index("fio: terminating") :]
    [step] = read_fio(Path("x"), text).steps
    assert (step.fault, "signal 2" in step.reason) == ("ABORTED", True)
    assert step.values["iops"].value > 0


def test_a_job_that_ran_far_less_than_it_was_to_is_aborted() -> None:
    job = {"job options": TIMED}
    assert faults(written(entry("a", 0, 3000, **job))) == ["ABORTED"]
    assert faults(written(entry("a", 0, 9300, **job))) == [""]
    assert faults(written(entry("a", 0, 3000))) == [""]
    whole = entry("a", 0, 10000, **job, eta=4)
    assert faults(written(whole)) == ["ABORTED"]
    assert faults(written(whole | {"eta": 2**31 - 1})) == [""]
    # These end before their time as they were told to, and what failed is no less so.
    more = {"job options": {**TIMED, "exitall": ""}}
    assert faults(written(entry("a", 0, 3000, **more))) == [""]
    assert faults(written(entry("a", 0, 3000, **job, error=5))) == ["FAIL"]


def test_a_signal_ends_the_last_group_that_did_anything() -> None:
    done, begun = entry("a", 0, 9000), entry("b", 1, 3000)
    never = entry("c", 2, 0)
    text = "fio: terminating on signal 15\n" + written(done, begun, never)
    steps = found_in(text).steps
    assert [step.fault for step in steps] == ["", "ABORTED", "ABORTED"]
    # It is of the run that it stands before.
    text = written(entry("z", 0, 500), ms=1_500_000_000_000) + "\n" + text
    assert [step.fault for step in found_in(text).steps] == ["", "", *["ABORTED"] * 2]
    assert faults(written(done) + "\nfio: terminating on signal 2\n") == ["ABORTED"]


def two_groups(form: str, *options: str) -> list[FoundStep]:
    both = [
        "--thread",
        "--ioengine=null",
        "--size=64m",
        "--number_ios=300",
        "--rate_iops=1000",
    ]
    more = ["--name=b", *both, *options]
    text = subprocess.run(
        ["fio", f"--output-format={form}", "--name=a", *both, *more],
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    return list(read_fio(Path("x"), text).steps)


@pytest.mark.parametrize("form", ["normal", "terse"])
def test_groups_of_which_the_order_is_not_told_say_so(form: str) -> None:
    steps = two_groups(form, "--new_group")
    assert [step.label for step in steps] == ["a", "b"]
    assert all("at once or one after" in step.reason for step in steps)
    assert not any(step.fault for step in steps)
    assert not any(step.reason for step in two_groups("json", "--stonewall"))
