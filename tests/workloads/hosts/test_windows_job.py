"""Jobs for Windows hosts, as text: fio here has no windowsaio to run them."""

import subprocess
from pathlib import Path

import pytest

from instruments.errors import OptionError
from workloads.fio_job import FioJob
from workloads.hosts.windows_job import text_there

DISKS = (r"\\.\PhysicalDrive1", r"\\.\PhysicalDrive12")
FILES = (r"D:\scratch\a b.dat", r"e:\b.dat")


def job(*, together: bool = False, **options: str) -> FioJob:
    paths = tuple(Path(name) for name in ("a", "b"))
    own = {"rw": "randread", **options}
    return FioJob("x", paths, 2**20, 5, 1, True, own, together)


def test_each_disk_has_a_job_of_windowsaio() -> None:
    lines = text_there(job(bs="64k"), DISKS).splitlines()
    assert "ioengine=windowsaio" in lines
    assert lines.index("[dev02]") == lines.index(rf"filename={DISKS[1]}") - 1
    assert "thread=1" in lines
    assert lines.count("new_group=1") == 2


@pytest.mark.parametrize("names", [DISKS, FILES])
@pytest.mark.parametrize("together", [False, True])
def test_fio_finds_the_names_as_they_were_meant(
    tmp_path: Path, names: tuple[str, str], together: bool
) -> None:
    # Any engine of this system reads names alike.
    text = text_there(job(ioengine="sync", together=together), names)
    (tmp_path / "job.fio").write_text(text)
    done = subprocess.run(
        ["fio", "--parse-only", "--debug=file", "job.fio"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    for name in names:
        assert f"add file {name}\n" in done.stdout


@pytest.mark.parametrize(
    "name",
    [
        r"\\.\PhysicalDrive",
        r"\\.\C:",
        r"C:\a:b",
        "scratch.dat",
        "C:\\a#b",
        "C:\\a;b",
        "C:\\$x",
        "C:\\a\nexec_prerun=x",
        "C:\\a ",
    ],
)
def test_a_name_that_fio_would_read_otherwise_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="not a disk or file name that fio accepts"):
        text_there(job(), (DISKS[0], name))


def test_an_engine_that_windows_lacks_is_refused_and_names_are_counted() -> None:
    with pytest.raises(OptionError, match='"pvsync2" is not on Windows'):
        text_there(job(ioengine="pvsync2"), DISKS)
    assert "windowsaio" in text_there(job(ioengine="libaio"), DISKS)
    with pytest.raises(ValueError, match="1 names for 2 targets"):
        text_there(job(), DISKS[:1])
