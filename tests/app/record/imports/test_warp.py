"""WARP's result files, in the form that its documentation and version 1.3.1 have."""

import json
from pathlib import Path

import pytest
import zstandard

from app.record.imports.found import Clock, Found
from app.record.imports.recognise import read_file
from instruments.errors import BadInput
from instruments.reading import SECOND
from workloads.warp.csv import COLUMNS

START = 1_700_000_000


def stamp(seconds: float) -> str:
    return f"2023-11-14T22:13:{20 + int(seconds):02}.{int(seconds % 1 * 1000):03}Z"


def csv_text() -> str:
    rows = ["\t".join((*COLUMNS, "cat"))]
    for number in range(40):
        begin = number / 10
        name = "GET" if number % 2 == 0 else "PUT"
        cells = [number, 0, name, "c1", 1, 1_000_000, "http://10.0.0.9:9000", "f", ""]
        times = [stamp(begin), "", stamp(begin + 0.05), 50_000_000]
        rows.append("\t".join(str(cell) for cell in (*cells, *times, "")))
    return "\n".join([*rows, "# warp mixed --host=10.0.0.9:9000", ""])


def json_text() -> str:
    def part(rate: float) -> dict[str, object]:
        segments = [
            {"start": stamp(n), "bytes_per_sec": rate * 1e6, "obj_per_sec": rate}
            for n in range(4)
        ]
        throughput = {
            "start_time": stamp(0),
            "end_time": stamp(4),
            "measure_duration_millis": 4000,
            "bytes": 4e6 * rate,
            "objects": 4 * rate,
            "segmented": {"segments": segments},
        }
        requests = round(4 * rate)
        return {
            "total_requests": requests,
            "total_errors": 0,
            "clients": ["c1"],
            "throughput": throughput,
        }

    by_op = {"GET": part(5), "PUT": part(5)}
    return json.dumps(
        {"v": 2, "final": True, "total": part(10), "by_op_type": by_op}, indent=1
    )


def read(path: Path, content: bytes) -> Found:
    path.write_bytes(content)
    found = read_file(path).found
    assert isinstance(found, Found)
    return found


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_results_of_both_kinds(tmp_path: Path, kind: str, packed: bool) -> None:
    text = (csv_text() if kind == "csv" else json_text()).encode()
    content = zstandard.compress(text) if packed else text
    found = read(tmp_path / f"warp-mixed.{kind}.zst", content)
    step = found.steps[0]
    assert (found.kind, found.clock.kind) == ("WARP results", Clock.WALL)
    assert step.label == "warp-mixed"
    assert step.window is not None
    assert step.window[0] == START * SECOND
    # Of its 39 requests until the last one begins 20 are GET.
    assert step.values["read_iops"].value == pytest.approx(5, rel=0.03)
    assert step.values["iops"].value == pytest.approx(10, rel=0.02)
    assert step.values["bandwidth_mb_s"].value == pytest.approx(10, rel=0.02)
    trace = found.traces[0]
    assert [q[0] for q in trace.quantities] == ["read_iops", "read_bw"]
    assert trace.values[:, 0] == pytest.approx([5.0] * len(trace.starts))
    assert (trace.starts[1] - trace.starts[0]) == SECOND


def test_a_thread_that_ended_early_is_told_of_on_the_row(tmp_path: Path) -> None:
    [whole] = read(tmp_path / "w.csv", csv_text().encode()).steps
    assert whole.reason == ""
    early = csv_text().replace("\n3\t0\tPUT", "\n3\t1\tPUT")
    [cut] = read(tmp_path / "early.csv", early.encode()).steps
    assert cut.fault == ""
    assert "window ends after 0.3 of 3.9 s" in cut.reason


def test_results_that_are_not_final_are_of_a_run_that_was_cut_short(
    tmp_path: Path,
) -> None:
    whole = json_text()
    [step] = read(tmp_path / "w.json", whole.encode()).steps
    assert (step.fault, step.reason) == ("", "")
    cut = whole.replace('"final": true', '"final": false').encode()
    [step] = read(tmp_path / "w.json", cut).steps
    assert (step.fault, "final" in step.reason) == ("ABORTED", True)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    packed = zstandard.compress(csv_text().encode())
    with pytest.raises(BadInput, match=r"w\.csv\.zst: it is cut off"):
        read(tmp_path / "w.csv.zst", packed[: len(packed) // 2])
    torn = csv_text()[:900].encode()
    with pytest.raises(BadInput, match="its last line is cut off"):
        read(tmp_path / "w.csv", torn)
    with pytest.raises(BadInput, match=r"Expected json\.zst or csv\.zst"):
        read(tmp_path / "w.json", json_text()[:900].encode() + b'"by_op_type"')
