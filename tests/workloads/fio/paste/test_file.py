"""Job files, beside what the real fio makes of them."""

import subprocess
from pathlib import Path

import pytest

from instruments.errors import BadInput
from workloads.fio.paste.file import looks_like_jobs, read_job_file
from workloads.fio.paste.parsed import ParsedJob

FILE = """\
# a comment
[global]
ioengine=libaio
bs=4k
bs=8k
[a]
rw=read ; behind it
size=${SIZE}
include more.fio
[b]
stonewall
readwrite=randwrite
numjobs=2
[global]
iodepth=4
[c]
rw=randread
"""


def jobs(text: str) -> list[ParsedJob]:
    files = {"more.fio": "direct=1\n"}
    parsed = read_job_file(text, "x.fio", files.__getitem__)
    return [job for group in parsed.groups for job in group]


def values(job: ParsedJob) -> dict[str, str]:
    return {name: pair.value for name, pair in job.options().items()}


def test_options_are_those_that_fio_counts(tmp_path: Path) -> None:
    """Compare with the command line that fio itself makes of the file."""
    (tmp_path / "more.fio").write_text("direct=1\n")
    (tmp_path / "x.fio").write_text(FILE)
    done = subprocess.run(
        ["fio", "--showcmd", "x.fio"],
        cwd=tmp_path,
        env={"SIZE": "1m", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    sections = done.stdout.split("--name=")[1:]
    found = jobs(FILE.replace("${SIZE}", "1m"))
    assert [s.split()[0] for s in sections] == [job.name for job in found]
    for section, job in zip(sections, found, strict=True):
        own = dict(word[2:].partition("=")[::2] for word in section.split()[1:])
        own.pop("iodepth", None)  # it stands where [global] does, behind the job
        own["rw"] = own.pop("readwrite", own.get("rw", ""))
        assert own.items() <= values(job).items()
    assert values(found[0])["bs"] == "8k"
    assert values(found[1])["rw"] == "randwrite"
    assert "iodepth" not in values(found[1])
    assert values(found[2])["iodepth"] == "4"


def test_each_option_knows_its_line() -> None:
    (a, b, _) = jobs(FILE)
    assert a.line == 6
    assert a.options()["rw"].line == 7
    assert a.options()["direct"].line == 9  # where the include stands
    assert b.options()["rw"].line == 12


def test_jobs_that_wait_are_groups_of_their_own() -> None:
    def groups(text: str) -> list[list[str]]:
        return [[job.name for job in group] for group in read_job_file(text).groups]

    assert groups("[a]\n[b]\n[c]\nstonewall\n[d]\n") == [["a", "b"], ["c", "d"]]
    assert groups("[global]\nstonewall\n[a]\n[b]\n") == [["a"], ["b"]]
    assert groups("[a]\n[b]\nwait_for_previous\n[c]\nwait_for=b\n") == [
        ["a"],
        ["b"],
        ["c"],
    ]
    assert groups("[a]\n[b]\nstonewall=0\n") == [["a", "b"]]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("[a]\nrwmix=30\nsize=1m\n", "rwmix=30"),
        ("[a]\nBS=4k\nsize=1m\n", "BS=4k"),
        ("[a]\nrw= read\nsize=1m\n", "rw= read"),
        ("rw=read\n[a]\nsize=1m\n", "rw=read"),
        ("[a]\nrw=${NOTHING}\nsize=1m\n", "${NOTHING}"),
    ],
)
def test_what_fio_refuses_is_told(text: str, quote: str, tmp_path: Path) -> None:
    file = tmp_path / "x.fio"
    file.write_text(text)
    done = subprocess.run(
        ["fio", "--parse-only", str(file)], capture_output=True, check=False
    )
    assert done.returncode == 1
    findings = read_job_file(text).findings
    assert quote in [finding.quote for finding in findings]


def test_the_same_option_twice_and_a_late_global_are_told() -> None:
    findings = read_job_file(FILE, "", lambda name: "direct=1").findings
    quotes = [finding.quote for finding in findings]
    assert "bs=4k and bs=8k" in quotes
    assert "include more.fio" in quotes
    assert "[global]" in quotes


def test_no_variable_of_this_computer_gets_into_a_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A job file by mail would carry a password into a campaign that is shared."""
    for name in ("BAYSCOPE_PASSWORD_PDU", "TOKEN"):
        monkeypatch.setenv(name, "777")
        parsed = read_job_file(
            f"[a]\nrw=read\nrate_iops=1${{{name}}}\nsize=${{{name}}}"
        )
        assert "777" not in str(parsed)
        assert parsed.groups[0][0].last("rate_iops") == ""
        (one,) = [finding for finding in parsed.findings if finding.decide]
        assert one.lines == (3,)


def test_a_named_file_that_is_no_job_file_is_not_shown() -> None:
    other = 'root:x:0:0\ntoken=hunter2\n[{"key": "hunter2"}, 1\nbs=4k\n'
    for text in ("[a]\ninclude other\nrw=read\n", "include other\n[a]\nrw=read\n"):
        parsed = read_job_file(text, "x.fio", lambda name: other)
        assert "hunter2" not in str(parsed)
        assert "root" not in str(parsed)
        assert any(one.decide and one.quote == "other" for one in parsed.findings)
        (job,) = parsed.groups[0]
        assert job.last("bs") == "4k"


def test_an_include_that_is_not_at_hand_is_left_out() -> None:
    findings = read_job_file("[a]\ninclude b.fio\nrw=read\n").findings
    (one,) = [finding for finding in findings if finding.decide]
    assert one.quote == "include b.fio"
    loop = read_job_file("[a]\ninclude a.fio\n", "", lambda name: "include a.fio\n")
    assert any(finding.decide for finding in loop.findings)


@pytest.mark.parametrize("text", ["", "[global]\nrw=read\n", "# nothing\n"])
def test_a_file_without_a_job_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="contains no job"):
        read_job_file(text, "x.fio")


def test_a_section_without_its_bracket_is_told() -> None:
    parsed = read_job_file("[abc\nrw=read\n")
    assert parsed.groups[0][0].name == "ab"  # as fio takes it
    assert parsed.findings[0].lines == (1,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]\n", True),
        ("\ufeff; note\n\n[global]\n", True),
        ("include a.fio\n[a]\n", True),
        ("fio --name=a\n", False),
        ("#!/bin/sh\n[ -e x ] && fio\n", True),
        ("", False),
    ],
)
def test_job_files_are_told_from_scripts(text: str, expected: bool) -> None:
    assert looks_like_jobs(text) is expected
