"""The targets of jobs, against the files that fio itself says it adds."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from instruments.errors import BadInput
from workloads.fio.options.targets import (
    command_sections,
    file_sections,
    job_targets,
    reader_below,
    split,
)

_ADDED = re.compile(r'"(.*)" added at \d+')
_HARMLESS = "[global]\nioengine=null\nsize=48k\nrw=read\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what a job may come across."""
    for name in ("a", "b", "c:d", "od/sub"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("x", "od/f1", "od/sub/f2"):
        (tmp_path / name).write_bytes(bytes(8192))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    (tmp_path / "inc.fio").write_text("filename=included\n")
    return tmp_path


def fio_says(folder: Path, *argv: str) -> set[str]:
    """What fio adds; its null engine opens none of it."""
    done = subprocess.run(
        ["fio", "--debug=file", *argv],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {match[1] for match in _ADDED.finditer(done.stdout + done.stderr)}


EXACT = [
    "[one]\nfilename=x:y\\:z\n",
    "[one]\nfilename=a1\nfilename=b1\n",
    "[global]\nfilename=late\n[two]\n[three]\nfilename=own\n",
    "[first]\n[global]\nfilename=late\n[second]\n",
    "[two]\ndirectory=a:b\nnumjobs=3\nnrfiles=2\n",
    "[four]\nfilename_format=$jobname.$jobnum.$filenum.$clientuid\nnrfiles=2\n",
    "[/dev/null]\n",
    "[link]\nnumjobs=2\n",
    "[pipe]\n",
    "[/dev/null]\ndirectory=a\n",
    "[five]\nopendir=od\n",
    "[five]\nopendir=od\nfilename=x\ndirectory=b\n",
    "[six]\ndirectory=a\nfilename=/tmp/x:rel\n",
    "[six]\ndirectory=c\\:d\nfilename=x\n",
    "[x]\n",
    "[a]\nname=/dev/null\n",
    "[c]\nfilename_format=/dev/null\nnrfiles=2\n",
    "[odd [name] here] filename=q\n",
    "[/dev/nullX\n",
    "[one]\ninclude inc.fio\n",
    "[four]\nfilename =  spaced x ; and a comment\n",
    "[five]\nfilename=${BAYSCOPE_NO_SUCH}here\n",
    "[six]\nfilename=$PWD\n",
]


@pytest.mark.parametrize("text", EXACT)
def test_fio_and_the_guard_find_the_same(folder: Path, text: str) -> None:
    (folder / "job.fio").write_text(_HARMLESS + text)
    sections = file_sections(_HARMLESS + text, reader_below(folder))
    found = {path for one in sections for path in job_targets(one, folder).paths}
    assert found == fio_says(folder, "job.fio")


def test_where_folders_are_dealt_out_all_of_them_count(folder: Path) -> None:
    text = _HARMLESS + "[three]\nfilename=q\ndirectory=a:b\nnumjobs=2\n"
    (folder / "job.fio").write_text(text)
    [section] = file_sections(text)
    found = set(job_targets(section, folder).paths)
    assert found == {"a/q", "b/q"}
    assert fio_says(folder, "job.fio") <= found


COMMANDS = [
    ["--filename=g1", "--name=a1", "--name=b1", "--filename=g2"],
    ["--name=p1", "-filename=onedash"],
    ["--name=p1", "--filename", "apart"],
    ["--name=/dev/null"],
    ["--name=w", r"--filename=C\:\d:\\.\PhysicalDrive1"],
    ["--name=d", "--directo=a"],
    ["job.fio", "--name=more"],
]


@pytest.mark.parametrize("words", COMMANDS)
def test_command_lines_are_read_as_fio_reads_them(
    folder: Path, words: list[str]
) -> None:
    (folder / "job.fio").write_text(_HARMLESS + "[infile]\nfilename=f\n")
    argv = ["--ioengine=null", "--size=4k", "--rw=read", *words]
    sections, _ = command_sections(argv, reader_below(folder))
    found = {path for one in sections for path in job_targets(one, folder).paths}
    assert found == fio_says(folder, *argv)


def test_a_name_that_fits_several_options_is_not_guessed() -> None:
    with pytest.raises(BadInput, match="may be filename, filename_format"):
        command_sections(["--name=a", "--filena=x"])


def test_what_a_job_does_besides_is_said(folder: Path) -> None:
    text = (
        "[j]\nfilename=/dev/sdX\nrw=randwrite:8\nexec_prerun=reboot\nunlink=1\n"
        "ioengine=external:/tmp/x.so\niodepth=$ncpus*2\nwrite_bw_log=/dev/sdY\n"
        "a_newer_one=1\n"
    )
    [section] = file_sections(text)
    found = job_targets(section, folder)
    assert found.paths == ("/dev/sdX",)
    assert found.destroys
    said = " | ".join(found.closed)
    for part in (
        "exec_prerun: it runs a command",
        "unlink: it deletes",
        "external:/tmp/x.so: it loads a program",
        "iodepth has a $",
        'write_bw_log: it writes to "/dev/sdY"',
        "a_newer_one: Bayscope does not know",
    ):
        assert part in said
    _, program = command_sections(["--output=/dev/sdb", "--name=x"])
    assert program == (("output", "/dev/sdb"),)


def test_only_a_plain_read_destroys_nothing(folder: Path) -> None:
    for rw, destroys in (
        ("read", False),
        ("randread:4", False),
        ("", False),
        ("trim", True),
        ("randtrim", True),
        ("trimwrite", True),
        ("rw", True),
        ("readwrite", True),
        ("something new", True),
    ):
        [section] = file_sections(f"[j]\nfilename=x\nrw={rw}\n")
        assert job_targets(section, folder).destroys is destroys, rw
    [section] = file_sections("[j]\nfilename=x\nrw=read\nzone_reset_frequency=0.1\n")
    assert job_targets(section, folder).destroys


def test_a_job_without_end_is_cut_off(folder: Path) -> None:
    [section] = file_sections("[j]\nnrfiles=100000000\nnumjobs=1000\n")
    found = job_targets(section, folder)
    assert "more than 4096 files" in found.closed[-1]
    [section] = file_sections("[j]\nnrfiles=many\n")
    assert job_targets(section, folder).closed


def test_what_cannot_be_followed_is_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="is not followed"):
        file_sections("[a]\ninclude other.fio\n")
    with pytest.raises(BadInput, match="cannot be read"):
        file_sections("[a]\ninclude nothing.fio\n", reader_below(folder))
    (folder / "loop.fio").write_text("include loop.fio\n")
    with pytest.raises(BadInput, match="is not followed"):
        file_sections("[a]\ninclude loop.fio\n", reader_below(folder))
    with pytest.raises(BadInput, match="before any job"):
        file_sections("filename=/dev/sda\n")


def test_lists_of_names_divide_at_colons() -> None:
    assert split(r"a:b\:c::d") == ["a", "b:c", "d"]
    assert split("") == []
