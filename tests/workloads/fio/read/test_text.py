"""fio's text and terse output, as published and as this machine's fio makes it."""

import contextlib
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from instruments.errors import BadInput
from workloads.fio.read.terse import is_terse, read_terse
from workloads.fio.read.text import is_started, is_text, read_text
from workloads.fio.read.versions import KILLED, NO_RESULT, Document

OTHER = ("--ioengine=null", "--size=64k")
"""What a further job needs."""

DATA = Path(__file__).parents[3] / "fixtures" / "imports"


@cache
def fio(*options: str, code: int = 0) -> str:
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
        ["fio", *common, *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def test_text_of_2_0() -> None:
    found = read_text((DATA / "fio-2.0.15.txt").read_text(), "old.txt")[0]
    read, write = (found.jobs[0].sides[s] for s in ("read", "write"))
    assert (found.version, found.is_local) == ("fio-2.0.15", True)
    assert found.moment_ms == 1378726975000
    assert (read.counters.ios, read.counters.bytes_) == (4847, 77552 * 1024)
    assert read.counters.latency_sum_ns == pytest.approx(4847 * 711_350)
    told = [read.percentiles_ns[p] for p in (99.0, 99.9)]
    assert [*told, read.counters.longest_ns] == [1_592_000, 2_672_000, 3_291_000]
    assert write.percentiles_ns[99.0] == 2_928_000


KIB_EACH = "io=77552KB, bw=7753.7KB/s"


@pytest.mark.parametrize(
    ("figures", "blocks", "least", "most"),
    [
        # Blocks of 16384 bytes tell what a KB is, and so do a KB and a MB in one line.
        (KIB_EACH, "bs=16K-16K", 77552 * 1024, 77552 * 1024),
        ("io=79413KB, bw=7939.8KB/s", "bs=16K-16K", 79413_000, 79413_000),
        ("io=75.734MB, bw=7753.7KB/s", "", 75.734 * 2**20, 75.734 * 2**20),
        ("io=79.413MB, bw=7939.8KB/s", "", 79.413e6, 79.413e6),
        # Without either it is one or the other.
        (KIB_EACH, "", 77552_000, 77552 * 1024),
        (KIB_EACH, "bs=4K-64K", 77552_000, 77552 * 1024),
        ("io=512B, bw=51B/s", "", 512, 512),
    ],
)
def test_what_a_kb_of_2_x_is(
    figures: str, blocks: str, least: float, most: float
) -> None:
    text = (DATA / "fio-2.0.15.txt").read_text().replace(KIB_EACH, figures)
    text = text.replace("bs=16K-16K/16K-16K/16K-16K", f"{blocks}/{blocks[3:]}")
    read = read_text(text, "old.txt")[0].jobs[0].sides["read"]
    assert read.counters.ios == 4847
    assert read.counters.bytes_ == pytest.approx(least, abs=2)
    assert read.counters.bytes_ + read.slack_bytes == pytest.approx(most, abs=1100)


def test_text_of_3_25_does_not_mix_up_syncs() -> None:
    found = read_text((DATA / "fio-3.25.txt").read_text(), "new.txt")[0]
    write = found.jobs[0].sides["write"]
    assert (write.counters.ios, write.percentiles_ns[99.0]) == (5632, 23168)
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
    assert read.percentiles_ns[99.0] == 1_656_000


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
    with pytest.raises(BadInput, match="contains no"):
        read("some words\n", "t")


def jobs_of(document: Document) -> list[tuple[str, int, int]]:
    """Get (name, error, I/Os) of each job."""
    return [
        (job.name, job.error, sum(side.counters.ios for side in job.sides.values()))
        for job in document.jobs
    ]


def test_runs_that_were_appended_to_one_text_are_apart() -> None:
    text = "".join(fio(f"--number_ios={count}") for count in (20, 40, 80))
    found = read_text(text, "t")
    assert [document.run for document in found] == [0, 1, 2]
    assert [jobs_of(d)[0][2] for d in found] == [20, 40, 80]


def test_runs_without_the_lines_of_their_begin_are_told_by_their_processes() -> None:
    texts = [fio(f"--number_ios={count}", "--numjobs=2") for count in (20, 40)]
    found = read_text("".join(t[t.index("\nmy job: (groupid") :] for t in texts), "t")
    assert [document.run for document in found] == [0, 1]
    assert [len(document.jobs) for document in found] == [2, 2]


def test_interim_results_are_of_the_run_that_ends_with_them() -> None:
    rated = [
        "--rate_iops=100",
        "--time_based",
        "--runtime=1",
        "--status-interval=300ms",
    ]
    found = read_text(fio(*rated, "--numjobs=2", "--thread"), "t")
    assert len(found) > 2
    assert {document.run for document in found} == {0}
    ios = [sum(count for _, _, count in jobs_of(document)) for document in found]
    assert ios == sorted(ios)


def test_a_job_that_failed_has_its_error_and_figures_of_its_own() -> None:
    full = ["--filename=/dev/full", "--ioengine=psync", "--rw=write"]
    found = read_text(fio(*full, "--name=other", *OTHER, code=1), "t")
    assert jobs_of(found[0]) == [("my job", 28, 0), ("other", 0, 16)]
    alone = read_text(fio(*full, code=1), "t")
    assert jobs_of(alone[0]) == [("my job", 28, 0)]


def test_a_job_without_a_result_is_missed() -> None:
    text = fio("--name=gone", *OTHER)
    begin = text.index("gone: (groupid")
    cut = text[:begin] + text[text.index("\nRun status") :]
    found = read_text(cut, "t")
    assert jobs_of(found[0])[1] == ("gone", NO_RESULT, 0)
    said = "fio: pid=7, err=5/file:backend.c:471, func=full resid, error=Input/output"
    found = read_text(cut.replace("\nStarting", f"\n{said}\nStarting"), "t")
    assert jobs_of(found[0])[1] == ("gone", 5, 0)
    nothing = cut[: cut.index("\nmy job: (groupid")]
    assert is_started(nothing)
    assert {error for _, error, _ in jobs_of(read_text(nothing, "t")[0])} == {NO_RESULT}


def test_jobs_that_are_missed_in_no_group_that_is_said_are_refused() -> None:
    text = fio("--name=b", *OTHER, "--stonewall", "--name=c", *OTHER, "--stonewall")
    cut = text[: text.index("\nb: (groupid")] + text[text.index("\nRun status") :]
    with pytest.raises(BadInput, match="2 of 3 jobs left no result"):
        read_text(cut, "t")


def test_a_report_without_its_end_is_cut_short() -> None:
    text = fio("--name=other", *OTHER)
    with pytest.raises(BadInput, match="closing lines are absent"):
        read_text(text[: text.index("other: (groupid")], "t")
    # What was quoted without its end has as many jobs as were started.
    assert len(read_text(text[: text.index("\nRun status")], "t")[0].jobs) == 2


@pytest.mark.parametrize("count", [1, 3, 10])
def test_counts_are_exact_where_rates_are_cut(count: int) -> None:
    text = fio(f"--number_ios={count}", "--rate_iops=7", "--rw=randread")
    side = read_text(text, "t")[0].jobs[0].sides["read"]
    assert (side.counters.ios, side.slack) == (count, 0)
    assert side.counters.latency_n == count


def test_a_count_that_contradicts_its_rate_is_not_taken() -> None:
    text = fio("--number_ios=40", "--rate_iops=400", "--rw=randread")
    read = (
        read_text(re.sub(r"total=\d+", "total=9", text), "t")[0].jobs[0].sides["read"]
    )
    assert read.slack > 0
    assert read.counters.ios == pytest.approx(40, abs=2)


def test_both_ways_of_unified_reporting() -> None:
    for how, sides in (("both", {"read", "write"}), ("mixed", {"mixed"})):
        for read, more in ((read_text, ()), (read_terse, ("--minimal",))):
            text = fio(f"--unified_rw_reporting={how}", "--number_ios=200", *more)
            found = read(text, "t")[0].jobs[0].sides
            assert set(found) == sides
            assert sum(side.counters.ios for side in found.values()) == pytest.approx(
                200, abs=2
            )


def test_percentiles_are_of_completion_where_there_are_several() -> None:
    options = ["--slat_percentiles=1", "--lat_percentiles=1", "--clat_percentiles=1"]
    text = fio(*options, "--ioengine=psync", "--filename=/dev/zero", "--rw=read")
    clat = text[text.index("clat percentiles") :]
    unit = {"n": 1, "u": 1000}[clat.split("(")[1][0]]
    shown = float(clat.split("99.00th=[")[1].split("]")[0])
    assert (
        read_text(text, "t")[0].jobs[0].sides["read"].percentiles_ns[99.0]
        == shown * unit
    )


def test_a_percentile_is_found_in_a_list_of_any_digits() -> None:
    options = ("--ioengine=psync", "--filename=/dev/zero", "--rw=read")
    for digits in ("99:99.9", "50:99:99.9999"):
        text = fio(f"--percentile_list={digits}", *options)
        side = read_text(text, "t")[0].jobs[0].sides["read"]
        assert 99.0 in side.percentiles_ns
        assert side.step_ns in (1.0, 1e3)


@pytest.mark.parametrize(
    "options",
    [["--kb_base=1000"], ["--unit_base=1"], ["--significant_figures=8"], []],
)
def test_units_and_digits_of_a_text(options: list[str]) -> None:
    text = fio(*options, "--number_ios=1000", "--rw=randread")
    read = read_text(text, "t")[0].jobs[0].sides["read"].counters
    assert read.bytes_ == pytest.approx(1000 * 4096, rel=3e-3)


def test_clients_are_added_up_once() -> None:
    found = read_text((DATA / "fio-3.33-client.txt").read_text(), "client.txt")
    assert found[0].version == "fio-3.33"
    assert [jobs_of(document) for document in found] == [[("a", 0, 40)] * 4]
    text = (DATA / "fio-3.33-client.txt").read_text().replace("jobs=4", "jobs=5")
    with pytest.raises(BadInput, match="their sum is of 5"):
        read_text(text, "client.txt")


def terse(name: str, disk: str = "", group: int = 0) -> str:
    text = fio("--minimal", "--number_ios=200").strip()
    text = text.replace("my job;0;", f"{name};{group};")
    busy = f";sda;200;{disk};0;0;900;0;900;99.00%" if disk else ""
    return f"{text}{busy}\n"


@pytest.mark.parametrize(
    ("lines", "reports"),
    [
        ([("a", "5"), ("b", "5"), ("b", "5"), ("a", "7")], [3, 1]),
        ([("a", "5"), ("a", "6"), ("a", "7")], [1, 1, 1]),
        ([("a", "", 0), ("b", "", 1), ("a", "", 0)], [2, 1]),
    ],
)
def test_terse_runs_are_told_by_disks_and_groups(
    lines: list[tuple[str, str]], reports: list[int]
) -> None:
    text = "".join(terse(*line) for line in lines)
    assert [len(document.jobs) for document in read_terse(text, "t")] == reports


def test_terse_that_does_not_tell_what_ran_at_once_is_refused() -> None:
    with pytest.raises(
        BadInput, match=r"line 2: job b ran beside the one before it or"
    ):
        read_terse(terse("a") + terse("b"), "t")
    two = terse("a") + terse("b")
    total = fio("--minimal", "--size=1600k").replace("my job;", "All clients;")
    assert [len(one.jobs) for one in read_terse(two + total, "t")] == [2]
    with pytest.raises(BadInput, match="all clients does not match"):
        read_terse(terse("a") + total, "t")


def test_numbers_beyond_all_reason_cost_nothing() -> None:
    text = (DATA / "fio-3.25.txt").read_text()
    for old, new in (
        ("Starting 1 process", "Starting 999999999 processes"),
        ("IOPS=4801", f"IOPS=4801.{'0' * 9000}"),
        ("pid=379504", f"pid={'9' * 9000}"),
    ):
        with contextlib.suppress(BadInput):
            found = read_text(text.replace(old, new), "t")
            assert len(found[0].jobs) <= 2


def test_a_killed_process_is_a_failure() -> None:
    text = (DATA / "fio-3.25.txt").read_text().replace("379504", "7")
    said = text.replace("\nJobs: 1", "\nfio: pid=7, got signal=9\nJobs: 1")
    assert jobs_of(read_text(said, "t")[0]) == [("mytest", KILLED, 5632)]
