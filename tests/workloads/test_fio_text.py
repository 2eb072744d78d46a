"""fio's text and terse output, as published and as this machine's fio makes it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from instruments.errors import BadInput
from workloads.fio_terse import is_terse, read_terse
from workloads.fio_text import is_text, read_text

DATA = Path(__file__).parents[1] / "fixtures" / "imports"


def fio(*options: str) -> str:
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    common = [
        "--name=my job",
        "--ioengine=null",
        "--size=64m",
        "--rw=randrw",
        "--bs=4k",
    ]
    done = subprocess.run(
        ["fio", *common, *options], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_text_of_2_0() -> None:
    found = read_text((DATA / "fio-2.0.15.txt").read_text(), "old.txt")[0]
    read, write = (found.jobs[0].sides[s] for s in ("read", "write"))
    assert (found.version, found.is_local) == ("fio-2.0.15", True)
    assert found.moment_ms == 1378726975000
    assert (read.counters.ios, read.counters.bytes_) == (4847, 77552 * 1024)
    assert read.counters.latency_sum_ns == pytest.approx(4847 * 711_350)
    assert (read.p99_ns, write.p99_ns) == (1_592_000, 2_928_000)


def test_text_of_3_25_does_not_mix_up_syncs() -> None:
    found = read_text((DATA / "fio-3.25.txt").read_text(), "new.txt")[0]
    write = found.jobs[0].sides["write"]
    assert (write.counters.ios, write.p99_ns) == (5632, 23168)
    assert write.counters.bytes_ == pytest.approx(22 * 2**20, rel=0.003)


def test_text_of_3_42_agrees_with_its_json() -> None:
    found = read_text((DATA / "fio-3.42.txt").read_text(), "both.txt")[0]
    write = found.jobs[0].sides["write"].counters
    assert write.ios == 36331
    assert write.bytes_ == pytest.approx(148942848, rel=0.005)


def test_terse_of_2_0() -> None:
    found = read_terse((DATA / "fio-2.0.15-terse.txt").read_text(), "t")[0]
    read = found.jobs[0].sides["read"]
    assert (found.version, found.jobs[0].name) == ("fio-2.0.15", "16k-1-read")
    assert read.counters.bytes_ == 77968 * 1024
    assert read.counters.latency_sum_ns == pytest.approx(4871 * 720_603.324)
    assert (read.counters.ios, read.slack) == (4871, 11)
    assert read.p99_ns == 1_656_000


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_terse_of_this_fio(version: int) -> None:
    text = fio("--minimal", f"--terse-version={version}")
    found = read_terse(f"fio: a note\n{text}", "t")[0]
    sides = found.jobs[0].sides
    total = sum(side.counters.bytes_ for side in sides.values())
    assert list(sides) == ["read", "write"]
    assert total == pytest.approx(64 * 2**20, rel=0.001)


def test_text_of_this_fio() -> None:
    text = fio()
    found = read_text(text, "t")[0]
    assert is_text(text)
    assert sum(s.counters.ios for s in found.jobs[0].sides.values()) == 16384
    assert found.jobs[0].name == "my job"


def test_text_that_is_cut_short() -> None:
    text = (DATA / "fio-2.0.15.txt").read_text()
    with pytest.raises(BadInput, match=r"t, line 5: the result of 16k-1-read is cut"):
        read_text(text[: text.index("IO depths")], "t")


def test_terse_that_is_cut_short() -> None:
    line = (DATA / "fio-2.0.15-terse.txt").read_text()
    for length in (60, 500):
        with pytest.raises(BadInput, match="t, line 1: the line is"):
            read_terse(line[:length], "t")
    assert not is_terse(line[:60])


def test_terse_whose_numbers_contradict_each_other() -> None:
    line = (DATA / "fio-2.0.15-terse.txt").read_text().replace(";7796;", ";9;")
    with pytest.raises(BadInput, match="bandwidth does not fit"):
        read_terse(line, "t")


@pytest.mark.parametrize("read", [read_text, read_terse])
def test_foreign_text(read: object) -> None:
    assert callable(read)
    with pytest.raises(BadInput, match="there is no"):
        read("some words\n", "t")
