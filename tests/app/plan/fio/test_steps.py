"""Steps made of fio jobs: what is taken, what is left out, and what is said of it."""

import re
import subprocess

import pytest

from app.plan.fio.mapping import DEFAULT_RUNTIME_S, meant_seconds, seconds
from app.plan.fio.steps import FioSteps, describe, make_steps
from workloads.fio.paste.file import read_job_file
from workloads.fio.paste.finding import Finding
from workloads.fio.paste.jobs import read_pasted

SOUND = "ioengine=libaio\ndirect=1\ntime_based\nruntime=10\nrw=read\n"


def of_file(text: str) -> FioSteps:
    return make_steps(read_job_file(text))


def finding(found: FioSteps, quote: str) -> Finding:
    (one,) = [one for one in found.findings if one.quote == quote]
    return one


def test_a_sound_job_is_taken_as_it_is() -> None:
    found = of_file(f"[a]\n{SOUND}bs=4k\nramp_time=2s\niodepth=8\n")
    (step,) = found.steps
    assert (step.label, step.engine, step.runtime_s, step.ramp_s) == ("a", "fio", 10, 2)
    assert step.options == {
        "ioengine": "libaio",
        "direct": "1",
        "rw": "read",
        "bs": "4k",
        "iodepth": "8",
    }
    assert found.findings == ()
    assert found.lines == (1,)


def test_only_what_stands_there_is_named_among_what_bayscope_sets() -> None:
    job = f"[a]\n{SOUND}"
    assert "group_reporting" in [
        one.quote for one in of_file(f"{job}group_reporting\n").findings
    ]
    both = of_file(f"{job}thread\ngroup_reporting\n")
    assert finding(both, "group_reporting, thread").lines == (8,)


def test_fios_defaults_are_set_where_a_step_has_others() -> None:
    found = of_file("[a]\nsize=1m\n")
    (step,) = found.steps
    assert step.options == {"ioengine": "psync", "rw": "read", "direct": "0"}
    assert step.runtime_s == DEFAULT_RUNTIME_S
    assert [one.decide for one in found.findings if one.quote == "a"].count(True) == 2


@pytest.mark.parametrize(
    ("line", "says", "decide"),
    [
        ("verify=crc32c", "outside the measured window", True),
        ("exec_prerun=id", "runs a command", True),
        ("no_such_option=1", "does not know what it does", True),
        ("bsslpit=4k/100", "Perhaps bssplit is meant", True),
        ("io_size=1g", "runtime of the step", True),
        ("startdelay=5", "ramp of the step", True),
        ("write_bw_log=x", "keeps the logs", False),
        ("bssplit=4k/20:8k/20", "sum to 40 %", True),
        ("bs=four", "sizes such as", True),
        ("buffer_pattern='/etc/passwd'", "file to be read", True),
        ("ramp_time=20", "measures nothing", True),
        ("zonemode=zbd", "armed target", False),
    ],
)
def test_what_a_step_does_not_take_is_told(line: str, says: str, decide: bool) -> None:
    found = of_file(f"[a]\n{SOUND}{line}\n")
    one = finding(found, line)
    assert one.lines == (7,)
    assert says in f"{one.fio} {one.made}"
    assert one.decide is decide
    (step,) = found.steps
    name = line.partition("=")[0]
    assert (name in step.options) is (name == "zonemode")


@pytest.mark.parametrize(
    "line", ["ioengine=cpuio", "ioengine=exec", "rw=randtrim", "rw="]
)
def test_a_job_that_no_step_can_be_is_refused(line: str) -> None:
    found = of_file(f"[a]\n{SOUND}{line}\n[b]\nstonewall\n{SOUND}")
    assert [step.label for step in found.steps] == ["b"]
    assert finding(found, line).decide


def test_jobs_at_the_same_time_that_differ_are_refused() -> None:
    found = of_file(f"[global]\n{SOUND}[r]\n[w]\nrw=write\n[s]\nstonewall\n")
    assert [step.label for step in found.steps] == ["s"]
    refused = finding(found, "r, w")
    assert "differ in rw" in refused.fio
    assert refused.decide


def test_equal_jobs_on_one_target_become_numjobs() -> None:
    text = f"[global]\n{SOUND}filename=/dev/x\nnumjobs=2\n[a]\n[b]\n[c]\n"
    (step,) = of_file(text).steps
    assert step.options["numjobs"] == "6"


def test_equal_jobs_on_a_target_each_are_one_step() -> None:
    found = of_file(f"[global]\n{SOUND}numjobs=2\n[/dev/x]\n[/dev/y]\n")
    (step,) = found.steps
    assert step.options["numjobs"] == "2"
    assert step.label == "Sequential read 4k, 2 jobs"
    assert [target.path for target in found.targets] == ["/dev/x", "/dev/y"]
    assert finding(found, "2 jobs").decide


def test_targets_are_listed_and_never_taken() -> None:
    found = of_file(
        f"[global]\n{SOUND}[a]\nfilename=/dev/x:/dev/y\n[b]\nstonewall\nrw=write\n"
        "directory=/data\nfilename=t\nsize=4g\n"
    )
    told = [
        (target.path, target.is_disk, target.size, target.writes)
        for target in found.targets
    ]
    assert told == [
        ("/dev/x", True, "", False),
        ("/dev/y", True, "", False),
        ("/data/t", False, "4g", True),
    ]
    assert all("filename" not in step.options for step in found.steps)
    assert finding(found, "/dev/x:/dev/y").decide


def test_jobs_without_a_file_have_one_each_and_in_a_step_they_share() -> None:
    shared = of_file(f"[a]\n{SOUND}numjobs=4\n")
    assert finding(shared, "a, numjobs=4").decide
    named = of_file(f"[a]\n{SOUND}numjobs=4\nfilename=x\n")
    assert not any(one.decide for one in named.findings)


def test_filenames_add_up() -> None:
    text = "fio --name=a --rw=read --runtime=1 --filename=/dev/sd{b,c} --filename=x"
    found = make_steps(read_pasted(text))
    assert [target.path for target in found.targets] == ["/dev/sdb", "/dev/sdc", "x"]
    assert finding(found, "/dev/sdb:/dev/sdc:x").decide
    assert not any("twice" in one.fio for one in found.findings)


def test_a_drive_of_windows_is_one_target() -> None:
    parsed = read_pasted(r"fio --name=a --filename=C:\t.dat --ioengine=windowsaio")
    found = make_steps(parsed)
    assert [target.path for target in found.targets] == ["C:\\t.dat"]
    assert "two files" in finding(found, "filename=C:\\t.dat").fio
    assert found.steps[0].options["ioengine"] == "libaio"
    assert make_steps(
        read_pasted(r"fio --name=a --filename=C\:\t.dat --ioengine=windowsaio")
    ).targets == tuple(
        type(target)("C:\\t.dat", target.lines, False, "", False)
        for target in found.targets
    )


def test_labels_tell_steps_apart() -> None:
    text = "".join(f"fio --name=job1 --rw={rw}\n" for rw in ("read", "read", "randrw"))
    found = make_steps(read_pasted(text))
    assert [step.label for step in found.steps] == [
        "Sequential read 4k",
        "Sequential read 4k #2",
        "Random mix 4k 50% read",
    ]
    braces = make_steps(read_pasted("fio --name='a{b}' --rw=read"))
    assert braces.steps[0].label == "a(b)"


@pytest.mark.parametrize(
    "text",
    [
        "30",
        "1h",
        "5m",
        "2d",
        "500ms",
        "10S",
        "1us",
        "5min",
        "1h30m",
        "30sec",
        "1.5",
        "1.5h",
        "1 h",
        "1:30",
        "0x10",
        "90061",
        "",
        "soon",
    ],
)
def test_times_are_those_that_fio_reads(text: str) -> None:
    argv = ["fio", "--debug=parse", "--parse-only", "--name=a", f"--runtime={text}"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    _, _, rest = done.stdout.partition("handle_option=runtime")
    found = re.search(r"ret=0, out=(\d+)", rest)
    expected = round(int(found[1]) / 1e6, 3) if found and text != "1:30" else None
    assert seconds(text) == (1.0 if text == "1:30" else expected)


def test_a_time_that_fio_takes_for_another_is_to_be_decided() -> None:
    for value, meant in (("5min", 300), ("1h30m", 5400), ("30sec", 30), ("1.5h", 5400)):
        found = of_file(f"[a]\n{SOUND}runtime={value}\n")
        assert found.steps[0].runtime_s == meant
        assert finding(found, f"runtime={value}").decide


@pytest.mark.parametrize("value", ["0", "1us", "99999999999", "soon"])
def test_a_runtime_that_no_step_can_have_is_to_be_decided(value: str) -> None:
    found = of_file(f"[a]\n{SOUND}runtime={value}\n")
    assert found.steps[0].runtime_s == DEFAULT_RUNTIME_S
    assert finding(found, f"runtime={value}").decide


def test_a_load_is_named_by_what_it_does() -> None:
    options = {"rw": "randrw", "bssplit": "4k/20:64k/80", "rwmixwrite": "10"}
    assert describe(options) == "Random mix 4k/64k 90% read"
    assert describe({"rw": "read:8", "bs": "1m", "iodepth": "4", "numjobs": "2"}) == (
        "Sequential read 1m QD4, 2 jobs"
    )


@pytest.mark.parametrize("text", ["9" * 2**20, "1." + "a" * 2**20 + "!"])
def test_a_time_of_a_million_letters_is_none(text: str) -> None:
    # Where it is not cut short, this does not end.
    assert seconds(text) is None
    assert meant_seconds(text) is None
