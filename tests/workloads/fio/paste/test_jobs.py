"""Options and jobs of pasted commands, beside what the real fio makes of them."""

import subprocess
from pathlib import Path

import pytest

from workloads.fio.paste.jobs import read_pasted
from workloads.fio.paste.parsed import ALIASES, ParsedJob, plain

PARSED = [
    "--name=a -bs=4k -rw=read -time_based -runtime=1h",
    "--name a --rw read --bs 4k --direct 1 --norandommap",
    "--rw=read --name=a --numjobs=2 --name=b --numjobs=3 --norandommap",
    "--name=a --runtim=5 --numjob=2",
    "--name=a --bs=4k --bs=8k --readwrite=write",
    "--name=a --thread --group_reporting --rw=randread --iodepth=4",
]


def jobs(arguments: str) -> list[ParsedJob]:
    parsed = read_pasted(f"fio {arguments}")
    return [job for group in parsed.groups for job in group]


@pytest.mark.parametrize("arguments", PARSED)
def test_the_options_are_those_that_fio_reads(arguments: str) -> None:
    """fio tells each option as it takes it."""
    argv = ["fio", "--debug=parse", "--parse-only", *arguments.split()]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    said: list[tuple[str, str]] = []
    for line in done.stdout.splitlines():
        if " handle_option=" in line:
            name, _, value = line.partition(" handle_option=")[2].partition(", ptr=")
            said.append((plain(name), "" if value == "(null)" else value))
    # Those before the first --name count for every job, and fio reads them once.
    ours: list[tuple[str, str]] = []
    common: int | None = None
    for job in jobs(arguments):
        pairs = [(ALIASES.get(p.name, p.name), p.value) for p in job.pairs]
        if common is None:
            common = said.index(("name", job.name))
            ours += pairs[:common]
        ours += [("name", job.name), *pairs[common:]]
    assert ours == said


REFUSED = [
    ("--name=a --rwmix=90", "--rwmix=90", {"rwmixread": "90"}),
    ("--name=a --iodepth2566", "--iodepth2566", {"iodepth": "2566"}),
    ("--name=a --bsslpit=4k/50:8k/50", "--bsslpit=4k/50:8k/50", {}),
    ("--name=a --RW=read", "--RW=read", {"rw": "read"}),
    ("--name=a --runtime", "--runtime", {}),
    ("--name=a --rwm=3", "--rwm=3", {}),
    ("--bs=4k -- name=a", "-- name=a", {"bs": "4k"}),
    ("--name=a missing.fio", "missing.fio", {}),
    ("--name=a --norandommap 0", "0", {"norandommap": ""}),
]


@pytest.mark.parametrize(("arguments", "quote", "options"), REFUSED)
def test_what_fio_refuses_is_to_be_decided(
    arguments: str, quote: str, options: dict[str, str], tmp_path: Path
) -> None:
    argv = ["fio", "--parse-only", *arguments.split()]
    done = subprocess.run(argv, capture_output=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    parsed = read_pasted(f"fio {arguments}")
    (finding,) = [one for one in parsed.findings if one.decide]
    assert finding.quote == quote
    (job,) = parsed.groups[0]
    assert job.name == "a"
    assert {n: p.value for n, p in job.options().items()} == options


def test_a_command_without_a_name_runs_nothing(tmp_path: Path) -> None:
    arguments = "--rw=read --size=1m --ioengine=null --output=said"
    argv = ["fio", *arguments.split()]
    subprocess.run(argv, capture_output=True, check=False, cwd=tmp_path, timeout=60)
    assert (tmp_path / "said").read_text().strip() == "No job(s) defined"
    parsed = read_pasted(f"fio {arguments}")
    assert parsed.groups == ()
    assert any(finding.quote == "fio without --name" for finding in parsed.findings)


def test_a_slip_is_read_by_what_the_other_commands_say() -> None:
    text = "fio --name=a --iodepth=256\nfio --name=b --iodepth2566\n"
    ((_,), (job,)) = read_pasted(text).groups
    assert job.last("iodepth") == "256"
    ((alone,),) = read_pasted("fio --name=b --iodepth2566").groups
    assert alone.last("iodepth") == "2566"


def test_outputs_that_overwrite_each_other_are_told() -> None:
    text = "fio --name=a --output=x\nfio --name=b --output=y\nfio --name=c --output=x\n"
    findings = read_pasted(text).findings
    (one,) = [finding for finding in findings if finding.quote == "--output=x"]
    assert one.lines == (3,)
    assert "line 1" in one.fio
    (both,) = [
        finding
        for finding in read_pasted("fio --name=a --output=x --output=y").findings
        if "all these files" in finding.fio
    ]
    assert both.quote == "--output=x --output=y"


def test_equal_jobs_of_one_name_are_a_slip_and_others_are_not() -> None:
    (group,) = read_pasted("fio --rw=read --name=a --name=a").groups
    assert len(group) == 1
    (group,) = read_pasted("fio --rw=read --name=a --name=b").groups
    assert len(group) == 2
    (group,) = read_pasted("fio --name=a --rw=read --name=a --rw=write").groups
    assert len(group) == 2


def test_a_job_file_beside_the_script_is_read_where_it_may_be() -> None:
    ((job,),) = read_pasted("fio x.fio", read={"x.fio": "[b]\n"}.__getitem__).groups
    assert job.name == "b"


def test_options_that_reach_other_machines_are_left_out() -> None:
    findings = read_pasted("fio --client=host --name=a --rw=read").findings
    assert any(
        finding.quote == "--client=host" and finding.decide for finding in findings
    )
