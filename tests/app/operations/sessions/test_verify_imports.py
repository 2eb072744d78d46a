"""Imported sessions, of every kind of file, computed again from what is kept."""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.analysis.again.recompute import Cut, Otherwise, recompute
from app.analysis.again.verify import Agreement, Verified, verify
from app.operations.sessions.explaining import explain_json
from app.operations.sessions.import_files import import_files
from app.operations.sessions.verifying import verified_sentence, verify_session
from app.record.imports import writing
from app.record.imports.answers import parse_answers
from app.record.store import Session
from tests.app.record.imports.results import DATA, meter_log, run_fio
from tests.app.record.imports.test_vdbench import LOOPS, STAMPED
from tests.app.record.imports.test_warp import csv_text, json_text

ENGINES = DATA.parent / "engines"
Make = Callable[[Path], list[Path]]


def written(name: str, text: str) -> Make:
    def make(folder: Path) -> list[Path]:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return [path]

    return make


def groups(folder: Path) -> list[Path]:
    """Two runs of one file, whose jobs have one name, and one more beside them."""
    paths = [run_fio(folder, name="load"), run_fio(folder, name="more")]
    both = folder / "both.json"
    both.write_text("".join(path.read_text() for path in paths))
    (folder / "load.json").unlink()
    (folder / "more.json").rename(folder / "again.json")
    return [both]


def with_logs(folder: Path) -> list[Path]:
    logs = ["--write_iops_log=run", "--write_lat_log=run", "--log_avg_msec=100"]
    run = run_fio(folder, *logs, "--rw=randrw", status="200ms")
    meter = meter_log(folder / "LOG0.CSV", run.stat().st_mtime - 5, 9)
    return [run, *sorted(folder.glob("run_*.log")), meter]


KINDS: dict[str, Make] = {
    "fio": lambda folder: [run_fio(folder)],
    "fio twice": groups,
    "fio with logs and a meter": with_logs,
    "fio 3.1": lambda _: [*(DATA / "fio-3.1").glob("*.json")],
    "fio 3.1 log": lambda _: [*(DATA / "fio-3.1").glob("*iops*")],
    "iozone matrix": lambda _: [ENGINES / "iozone-3.489-matrix.txt"],
    "iozone throughput": lambda _: [ENGINES / "iozone-3.489-throughput.txt"],
    "vdbench report": lambda _: [DATA / "vdbench-5.04.06.txt"],
    "vdbench loops": written("loops.txt", LOOPS),
    "vdbench flat": written("flat.html", STAMPED),
    "warp json": written("warp.json", json_text()),
    "warp csv": written("warp.csv", csv_text()),
    "meter": lambda folder: [meter_log(folder / "LOG0.CSV", 1_600_000_000, 9)],
} | {
    one.name: lambda _, one=one: [one]
    for one in sorted(DATA.glob("fio-*.*"))
    if one.is_file()
}


def imported(folder: Path, make: Make) -> Path:
    answers = parse_answers(
        zone="UTC", day="2020-03-04", offsets=("0",), fio_version="3.1"
    )
    paths = make(folder)
    return import_files(paths, folder / "out", answers, keep_rest=True).session


def verified(path: Path) -> list[Verified]:
    with Session.open(path) as session:
        return verify(session)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_comes_out_again(tmp_path: Path, kind: str) -> None:
    path = imported(tmp_path, KINDS[kind])
    found = verified(path)
    assert found
    odd = [
        (one.step.label, one.name, one.agreement, one.values)
        for one in found
        if one.agreement is not Agreement.SAME
    ]
    assert odd == []
    _, values, good = verify_session(path)
    assert good
    assert values["counts"] == {"same": len(found)}


def test_a_figure_that_was_written_over_is_named(tmp_path: Path) -> None:
    path = imported(tmp_path, KINDS["fio"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE result SET value = value + 1 WHERE name = 'iops'")
        connection.commit()
    wrong = [one for one in verified(path) if one.agreement is not Agreement.SAME]
    assert [(one.name, one.agreement) for one in wrong] == [("iops", Agreement.VALUE)]
    # The cell leads back to the file, and says that it is another value.
    told = explain_json(path, "load", "iops")
    assert told["agreement"] == "value"


def test_a_file_that_is_too_long_to_keep_leaves_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "LONGEST_ARTEFACT", 100)
    path = imported(tmp_path, KINDS["fio with logs and a meter"])
    how = {one.name: one.agreement for one in verified(path)}
    assert how["iops"] is Agreement.FIGURE
    assert how["power_w"] is Agreement.SAME
    text, values, good = verify_session(path)
    assert good
    assert values["counts"]["figure"]
    assert "imported as figures" in text
    assert "imported as figures" in verified_sentence(values)


def test_a_file_that_is_damaged_since_is_told(tmp_path: Path) -> None:
    path = imported(tmp_path, KINDS["fio"])
    with closing(sqlite3.connect(path)) as connection:
        content = b"it is gone"
        values = zlib.compress(content), len(content)
        connection.execute("UPDATE artefact SET content = ?, size = ?", values)
        connection.commit()
    how = {one.name: one.agreement for one in verified(path)}
    assert how["iops"] is Agreement.DAMAGED
    assert how["duration_s"] is Agreement.SAME


def test_figures_of_a_published_report_are_figures(published: list[Path]) -> None:
    for path in published:
        assert {one.agreement for one in verified(path)} == {Agreement.FIGURE}


def test_a_part_of_an_imported_run_is_of_its_traces(tmp_path: Path) -> None:
    path = imported(tmp_path, KINDS["fio with logs and a meter"])
    with Session.open(path) as session:
        [row] = recompute(session, Otherwise(cut=Cut(0.2, -0.2)))
    cells = {cell.name: cell for cell in row.cells}
    assert cells["iops"].again is not None
    assert cells["iops"].again.value == pytest.approx(4000, rel=0.5)
    # Its percentiles are known of the whole run alone.
    assert cells["read_p99_ms"].values[1] is None
    assert cells["read_p99_ms"].why
