"""IOzone as a workload: the real one where it is installed, else a stand-in."""

import os
import shutil
from pathlib import Path

import pytest

from instruments.errors import BenchError, OptionError
from tests.workloads.engine_bench import SIZE, EngineBench, artefact, use_standin
from workloads.base import LoadOutcome
from workloads.guard.budget import Budget
from workloads.guard.file_guard import FileGuard
from workloads.iozone.job import IozoneJob
from workloads.iozone.load import Iozone, program, table_values
from workloads.iozone.output import parse

FIXTURES = Path(__file__).parents[2] / "fixtures" / "engines"
REAL = os.environ.get("BAYSCOPE_IOZONE") or shutil.which("iozone")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineBench:
    use_standin(monkeypatch, tmp_path, "iozone")
    return EngineBench(tmp_path)


@pytest.fixture
def seen(bench: EngineBench, monkeypatch: pytest.MonkeyPatch) -> EngineBench:
    """Have the stand-in run until it was seen to, however busy the machine is."""
    bench.emitted = bench.folder / "emitted"
    monkeypatch.setenv("STANDIN_UNTIL", str(bench.emitted))
    return bench


@pytest.fixture
def endless(bench: EngineBench, monkeypatch: pytest.MonkeyPatch) -> EngineBench:
    """Have the stand-in run until it is stopped."""
    monkeypatch.setenv("STANDIN_UNTIL", str(bench.folder / "never"))
    return bench


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineBench:
    if REAL is None:
        pytest.skip("IOzone is not installed (Debian: iozone3, section non-free)")
    monkeypatch.setenv("BAYSCOPE_IOZONE", REAL)
    return EngineBench(tmp_path)


def load(bench: EngineBench, runtime: float = 60, **own: str) -> Iozone:
    return Iozone(IozoneJob("one", bench.path, SIZE, runtime, True, own))


@pytest.mark.parametrize("kind", ["seen", "real"])
def test_the_matrix_gives_a_value_for_each_test_and_record(
    kind: str, request: pytest.FixtureRequest
) -> None:
    bench: EngineBench = request.getfixturevalue(kind)
    result = bench.run(load(bench, r="64k,1m", s="4m", i="write,read,random"))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    for name in ("write", "rewrite", "read", "reread", "random_read", "random_write"):
        for record in ("64k", "1m"):
            assert result.values[f"{name}_{record}_mb_s"].value > 0
    assert "iozone test complete." in artefact(result, "iozone-output.txt")
    assert result.values["bandwidth_mb_s"].value > 0
    assert not list(bench.folder.glob("*.iozone-*"))


@pytest.mark.parametrize("kind", ["seen", "real"])
def test_the_throughput_mode_sums_its_processes(
    kind: str, request: pytest.FixtureRequest
) -> None:
    bench: EngineBench = request.getfixturevalue(kind)
    result = bench.run(load(bench, t="2", r="64k", s="4m", i="write"))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.values["write_mb_s"].value > 0
    assert "2 processes" in result.values["write_mb_s"].origin
    assert result.window is not None


@pytest.mark.parametrize("kind", ["endless", "real"])
def test_a_stop_is_not_taken_for_an_end(
    kind: str, request: pytest.FixtureRequest
) -> None:
    bench: EngineBench = request.getfixturevalue(kind)
    # IOzone ends with exit code 0 all the same.
    result = bench.run(load(bench, r="4k", i="write,read,random"), stop_after=1)
    assert result.outcome is LoadOutcome.STOPPED
    assert "exiting iozone" in artefact(result, "iozone-output.txt")


@pytest.mark.parametrize(
    ("fault", "outcome", "expected"),
    [
        ("no-file", LoadOutcome.FAILED, "Can not open temp file"),
        ("io-error", LoadOutcome.DEVICE_FAILED, "Input/output error"),
        ("cut", LoadOutcome.FAILED, "did not complete its tests"),
        ("hang", LoadOutcome.FAILED, "did not end in time"),
    ],
)
def test_a_run_that_is_not_whole_is_not_done(
    bench: EngineBench,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    outcome: LoadOutcome,
    expected: str,
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", fault)
    result = bench.run(load(bench, runtime=3, s="1m"))
    assert (result.outcome, expected in result.reason) == (outcome, True), result.reason


def test_a_spent_budget_ends_it(bench: EngineBench) -> None:
    guard = FileGuard([bench.path], Budget(2**20))
    job = IozoneJob("one", bench.path, SIZE, 60, True, {"s": "8m", "r": "4k"})
    result = bench.run(Iozone(job, guard=guard))
    assert result.outcome is LoadOutcome.FAILED
    assert "write budget" in result.reason


def test_without_iozone_it_says_where_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("BAYSCOPE_IOZONE", raising=False)
    with pytest.raises(BenchError, match="apt install iozone3"):
        program()


def test_files_that_do_not_fit_are_told_before_the_start(bench: EngineBench) -> None:
    with pytest.raises(BenchError, match=r"one, s: its files need"):
        bench.run(load(bench, t="8", s="16m"))


def test_the_command_line_says_what_the_plan_says() -> None:
    options = {"t": "2", "r": "64k", "i": "random,stride", "O": "1", "e": "1"}
    job = IozoneJob("one", Path("/x/scratch"), SIZE, 60, True, options)
    line = " ".join(job.argv("iozone", Path("/x")))
    assert line == (
        "iozone -t 2 -s 8192k -r 64k -i 0 -i 2 -i 5 -I -e -O -j 17 "
        "-F /x/iozone-1.dat /x/iozone-2.dat"
    )
    with pytest.raises(OptionError):
        IozoneJob("one", Path("/x"), SIZE, 60, True, {"i": "9"}).argv("x", Path("/"))


def test_real_output_of_the_matrix_is_read() -> None:
    output = parse((FIXTURES / "iozone-3.489-matrix.txt").read_text())
    assert (output.complete, output.version) == (True, "3.489")
    found = {(cell.test, cell.record_kb): cell.value for cell in output.cells}
    assert found["write", 64] == 74747
    assert found["random_write", 1024] == 908824
    assert len(found) == 12


def test_real_output_of_the_throughput_mode_is_read() -> None:
    text = (FIXTURES / "iozone-3.489-throughput.txt").read_text()
    output = parse(text)
    assert output.complete
    assert [(cell.test, cell.value) for cell in output.cells] == [
        ("write", 149113.49),
        ("rewrite", 1592007.12),
        ("read", 702010.62),
        ("reread", 590489.00),
        ("random_read", 895938.75),
        ("random_write", 1323060.69),
    ]
    assert {cell.file_kb for cell in output.cells} == {8192}
    assert not parse(text.replace("iozone test complete.", "")).complete


def test_a_torn_row_is_not_complete() -> None:
    text = (FIXTURES / "iozone-3.489-matrix.txt").read_text()
    assert not parse(text.replace("76763    87097", "76763         ")).complete


def test_operations_a_second_are_told_from_speed() -> None:
    text = (
        "\tOPS Mode. Output is in operations per second.\n\tEach process writes a "
        "8192 kByte file in 64 kByte records\n\tChildren see throughput for  2 readers "
        "\t\t=    3459.18 ops/sec\niozone test complete.\n"
    )
    output = parse(text)
    assert (output.in_operations, output.cells[0].value) == (True, 3459.18)


def test_several_file_sizes_have_a_name_each() -> None:
    text = (FIXTURES / "iozone-3.489-matrix.txt").read_text()
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.split()[1:2] == ["64"])
    size = lines[at].split()[0]
    lines.insert(at + 1, lines[at].replace(size, "4096".rjust(len(size)), 1))
    values = table_values(parse("\n".join(lines)))
    assert "write_64k_of_4m_mb_s" in values
    assert "write_64k_mb_s" not in values
