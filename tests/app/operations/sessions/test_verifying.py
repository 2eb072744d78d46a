"""Results computed again from a session, and a cell led back to its samples."""

import csv
import itertools
import json
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from app.analysis.again.rows import row_of
from app.cli.main import run
from app.operations.sessions.explaining import explain_csv, explain_json, explain_text
from app.operations.sessions.verifying import verified_sentence, verify_session
from app.record.store import FORMULAS, Result, Session
from app.record.store.digest import content_digest
from instruments.errors import BadInput
from workloads.fio.kept import part_counted
from workloads.fio.output import latencies


def agreements(path: Path) -> dict[tuple[str, str], str]:
    _, values, _ = verify_session(path)
    rows = values["results"]
    assert isinstance(rows, list)
    return {(row["step"], row["result"]): row["agreement"] for row in rows}


def change(path: Path, sql: str, values: Sequence[object] = ()) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(sql, values).rowcount
        connection.commit()


def sign(path: Path) -> None:
    """Make what was changed what the session says it has."""
    with closing(sqlite3.connect(path)) as connection:
        digest = content_digest(connection)
    change(path, "UPDATE session SET sha256 = ?", (digest,))


def test_every_cell_of_a_run_comes_out_again(recorded: Path) -> None:
    text, values, good = verify_session(recorded)
    assert good
    assert values["unchanged"] is True
    assert set(agreements(recorded).values()) == {"same"}
    found = agreements(recorded)
    names = {name for _, name in found}
    assert {"power_w", "lambda", "noise_db", "drive_max_c", "energy_wh"} <= names
    assert {"read_p99_9_ms", "device_read_bytes", "foreign_percent"} <= names
    assert ("Until steady", "steady_rounds") in found
    assert found["Without its end", "read_iops"] == "same"
    assert f"{len(found)} results of 5 rows" in text


def test_percentiles_of_a_part_are_of_its_own_histograms(recorded: Path) -> None:
    """Of adjoining parts they add up to those of the whole, and each lies inside."""
    with Session.open(recorded) as session:
        steps = {step.label: step for step in session.steps()}
        whole = row_of(session, steps["Random read 4k"])
        rows = [row_of(session, steps[n]) for n in ("Until steady", "Without its end")]
    assert whole is not None
    start, end = whole.window
    middle = (start + end) // 2
    parts = [
        part_counted(whole.outputs, whole.whole, part)
        for part in ((start, middle), (middle, end), (start, end))
    ]
    early, late, both = (part.counters["read"] for part in parts if part is not None)
    assert 0 < early.latency_n + late.latency_n <= both.latency_n
    assert sum(both.bins.values()) == both.latency_n
    assert all(count >= 0 for count in late.bins.values())
    for part, window in zip(parts, ((start, middle), (middle, end)), strict=False):
        assert part is not None
        assert window[0] <= part.window[0] < part.window[1] <= window[1]
    told = {r.name: r.value for r in results_of(recorded, "Random read 4k")}
    assert latencies(both, "read")["read_p99_ms"] == told["read_p99_ms"]
    for row in rows:
        assert row is not None
        counted = part_counted(row.outputs, row.whole, row.window)
        found = {r.name: r for r in results_of(recorded, row.step.label)}["read_p50_ms"]
        # Its documents come twice a second: too rarely for the shortest part.
        assert (found.value is not None) == (
            counted is not None and counted.share >= 0.9
        )
        assert row.window[0] <= found.start_ns < found.end_ns <= row.window[1]


def results_of(path: Path, label: str) -> list[Result]:
    with Session.open(path) as session:
        [step] = [step for step in session.steps() if step.label == label]
        return session.results(step.id)


def test_a_value_that_was_written_over_is_named(copied: Path) -> None:
    change(copied, "UPDATE result SET value = value + 1e-9 WHERE name = 'lambda'")
    text, values, good = verify_session(copied)
    assert not good
    assert values["unchanged"] is False
    wrong = {key for key, how in agreements(copied).items() if how != "same"}
    assert {name for _, name in wrong} == {"lambda"}
    assert "CHANGED" in text
    assert "lambda" in text
    assert run(["verify", str(copied)]) == 1


def test_a_value_that_was_put_where_there_was_none(copied: Path) -> None:
    change(copied, "UPDATE result SET value = NULL WHERE name = 'power_w'")
    assert agreements(copied)["Idle", "power_w"] == "new"
    change(copied, "UPDATE result SET n_valid = 5 WHERE name = 'duration_s'")
    assert agreements(copied)["Idle", "duration_s"] == "count"


@pytest.mark.parametrize(
    ("sql", "name", "how"),
    [
        ("UPDATE result SET u_meter = u_meter / 1000", "power_w", "basis"),
        ("UPDATE result SET unit = 'kW' WHERE name = 'power_w'", "power_w", "basis"),
        ("UPDATE result SET start_ns = start_ns - 1", "power_w", "basis"),
        ("UPDATE result SET over_range_s = 1", "power_w", "basis"),
        ("DELETE FROM result WHERE name = 'lambda'", "lambda", "missing"),
    ],
)
def test_what_a_value_stands_for_is_compared_too(
    copied: Path, sql: str, name: str, how: str
) -> None:
    change(copied, f"{sql}" if "WHERE" in sql else f"{sql} WHERE u_meter > 0")
    found = {key for key, told in agreements(copied).items() if told == how}
    assert name in {each for _, each in found}
    _, _, good = verify_session(copied)
    assert not good


@pytest.mark.parametrize("formulas", [None, 1])
def test_a_scatter_of_earlier_formulas_is_named_and_no_difference(
    copied: Path, formulas: int | None
) -> None:
    change(copied, "UPDATE result SET formulas = ?", (formulas,))
    change(copied, "UPDATE result SET u_scatter = u_scatter / 2 WHERE name = 'power_w'")
    change(copied, "UPDATE result SET value = value / 2 WHERE name = 'noise_u_db'")
    sign(copied)
    text, values, good = verify_session(copied)
    assert good
    found = {name for (_, name), how in agreements(copied).items() if how == "formula"}
    assert found == {"power_w", "noise_u_db"}
    assert (values["formulas"], values["results"][0]["formulas"]) == (FORMULAS, 1)
    assert f"1 when they were recorded and {FORMULAS} now" in text
    assert str(values["counts"]["formula"]) in verified_sentence(values)
    assert run(["verify", str(copied)]) == 0
    # A value that no formula has changed is another matter, and so is another file.
    change(copied, "UPDATE result SET u_meter = u_meter / 2 WHERE name = 'power_w'")
    assert agreements(copied)["Idle", "power_w"] == "basis"
    assert agreements(copied)["Random read 4k", "noise_u_db"] == "value"
    assert not verify_session(copied)[2]


@pytest.mark.parametrize("name", ["energy_wh", "drive_max_c", "server.power_w"])
def test_a_value_by_readings_that_do_not_count_any_more_is_no_difference(
    copied: Path, name: str
) -> None:
    if name == "server.power_w":
        change(copied, "UPDATE source SET measures = 'server' WHERE section = 'power'")
        change(copied, "UPDATE result SET name = ? WHERE name = 'power_w'", (name,))
    change(copied, "UPDATE result SET formulas = NULL")
    values = "value = value * 2, u_meter = u_meter * 2, n_valid = n_valid + 1"
    change(copied, f"UPDATE result SET {values} WHERE name = '{name}'")
    sign(copied)
    assert agreements(copied)["Idle", name] == "formula"


def test_a_mean_power_of_the_first_formulas_is_no_difference(copied: Path) -> None:
    """Those had no version, nor did a session of their time keep offsets."""
    change(copied, "UPDATE result SET formulas = NULL, offset_id = NULL")
    change(copied, "UPDATE result SET value = value + 0.1 WHERE name = 'power_w'")
    change(copied, "UPDATE result SET value = NULL WHERE name = 'energy_wh'")
    sign(copied)
    text, _, good = verify_session(copied)
    assert good
    assert f"0 when they were recorded and {FORMULAS} now" in text
    found = {name for (_, name), how in agreements(copied).items() if how == "formula"}
    assert found == {"power_w", "energy_wh"}
    change(copied, "UPDATE result SET value = value + 0.1 WHERE name = 'drive_max_c'")
    assert agreements(copied)["Idle", "power_w"] == "value"  # Another file, by now.


RATE = "value = value * 1.03 WHERE name = 'read_iops'"
MEAN = "value = value * 1.002 WHERE name = 'power_w'"
ENERGY = "u_meter = u_meter * 2 WHERE name = 'energy_wh'"


@pytest.mark.parametrize("is_of_today", [False, True])
@pytest.mark.parametrize(
    ("formulas", "changes", "cells"),
    [
        (
            2,
            [RATE],
            {
                ("Until steady", "read_iops"): "value",
                ("Without its end", "read_iops"): "value",
            },
        ),
        (
            3,
            [MEAN, ENERGY],
            {("Idle", "power_w"): "value", ("Idle", "energy_wh"): "basis"},
        ),
    ],
    ids=["rate of a part", "mean without its edges"],
)
def test_a_value_is_told_by_the_formulas_it_is_of(
    copied: Path,
    formulas: int,
    changes: list[str],
    cells: dict[tuple[str, str], str],
    is_of_today: bool,
) -> None:
    then = FORMULAS if is_of_today else formulas
    change(copied, "UPDATE result SET formulas = ?", (then,))
    for one in changes:
        change(copied, f"UPDATE result SET {one}")
    sign(copied)
    found = agreements(copied)
    for cell, how in cells.items():
        assert found[cell] == (how if is_of_today else "formula")
    assert verify_session(copied)[2] is not is_of_today


def test_formulas_of_today_excuse_nothing(copied: Path) -> None:
    change(copied, "UPDATE result SET u_scatter = u_scatter / 2 WHERE name = 'power_w'")
    sign(copied)
    assert agreements(copied)["Idle", "power_w"] == "basis"


@pytest.mark.parametrize("ended", [True, False])
def test_results_that_the_recording_version_did_not_know_are_no_difference(
    copied: Path, ended: bool
) -> None:
    change(copied, "DELETE FROM result WHERE name = 'lambda'")
    change(copied, "UPDATE session SET app_version = '0.0.7'")
    if ended:
        sign(copied)
    else:
        change(copied, "UPDATE session SET sha256 = NULL")
    text, values, good = verify_session(copied)
    assert good
    assert values["counts"].keys() == {"same", "added"}
    assert {n for (_, n), how in agreements(copied).items() if how == "added"} == {
        "lambda"
    }
    assert values["recorded_by"] == "0.0.7"
    assert "0.0.7" in text
    assert "0.0.7" in verified_sentence(values)
    change(copied, "UPDATE result SET value = value + 1 WHERE name = 'power_w'")
    text, values, good = verify_session(copied)
    assert not good
    assert "0.0.7" in text
    # Nobody can say of a changed file what was not in it.
    assert values["counts"]["value"]
    assert ("missing" in values["counts"]) == ended


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "steady-state.json",
            b'{"method": "sss-pts", "round_s": 1e300, '
            b'"begin_ns": 1, "means": {"performance": [1]}}',
        ),
        (
            "steady-state.json",
            b'{"method": "sss-pts", "round_s": 60, "begin_ns": 1, '
            b'"means": {"performance": [' + b"1," * 200_000 + b"1]}}",
        ),
        ("disk-counts.csv", b"x\n" + b"9" * 200_000),
        ("fio-output.json.zz", zlib.compress(b"{" * 5_000_000, 9)),
        ("fio-output.json.zz", zlib.compress(b"{\n}\n" * 1000)[:-20]),
    ],
)
def test_hostile_outputs_are_bounded(copied: Path, name: str, content: bytes) -> None:
    sql = f"UPDATE artefact SET content = ?, size = ? WHERE name = '{name}'"
    change(copied, sql, (zlib.compress(content), len(content)))
    assert set(agreements(copied).values()) & {"damaged", "not_kept"}


def test_an_output_that_is_damaged_or_another_one(copied: Path) -> None:
    sql = "UPDATE artefact SET content = ?, size = ? WHERE name = 'fio-output.json.zz'"
    outputs = zlib.compress(b"fio says nothing"), b"nonsense"
    for output, how in zip(outputs, ("not_kept", "damaged"), strict=True):
        change(copied, sql, (zlib.compress(output), len(output)))
        found = agreements(copied)
        assert found["Random read 4k", "read_iops"] == how
        assert found["Idle", "power_w"] == "same"


def test_counts_that_an_older_session_did_not_keep(copied: Path) -> None:
    change(copied, "DELETE FROM artefact WHERE name = 'disk-counts.csv'")
    found = agreements(copied)
    assert found["Random read 4k", "device_read_bytes"] == "not_kept"
    assert found["Random read 4k", "iops"] == "same"
    change(
        copied,
        "INSERT INTO artefact (step_id, name, media_type, size, content) "
        "SELECT id, 'disk-counts.csv', 'text/csv', 6, ? FROM step",
        (zlib.compress(b"no\n1,2"),),
    )
    assert agreements(copied)["Random read 4k", "iops"] == "damaged"


def mean_by_time(recorded: Path, window: list[int]) -> float:
    """Work out the mean of the power between the edges of a window, without gaps.

    In fractions, piece by piece, and so by another way than the program's.
    """
    start, end = window
    with Session.open(recorded) as session:
        trace = session.trace("mains.P", None, None)
    read = [
        (int(at), Fraction(float(value)))
        for at, value in zip(trace.times, trace.mean, strict=True)
        if not np.isnan(value)
    ]
    area, known_ns = Fraction(0), 0
    for (before, low), (after, high) in itertools.pairwise(read):
        first, last = max(start, before), min(end, after)
        if first >= last or after - before > 2.5 * trace.channel.period_ns:
            continue
        slope = (high - low) / (after - before)
        middle = low + slope * (Fraction(first + last, 2) - before)
        area += middle * (last - first)
        known_ns += last - first
    return float(area / known_ns)


def test_a_cell_leads_back_to_the_samples_that_count(recorded: Path) -> None:
    found = explain_json(recorded, "Idle", "power_peak_w")
    assert found["agreement"] == "same"
    [channel], window = found["channels"], found["window_ns"]
    with Session.open(recorded) as session:
        [step] = [s for s in session.steps() if s.label == "Idle"]
        assert window == [step.window_start_ns, step.window_end_ns]
        trace = session.trace("mains.P", (window[0], window[1]), None)
    assert channel["channel"] == "mains.P"
    # A beat that was missed is a gap in the trace, and no sample.
    counts = (trace.times < window[1]) & ~np.isnan(trace.mean)
    assert channel["values"] == trace.mean[counts].tolist()
    assert len(found["replies"]["mains"]) >= channel["readings"]
    rows = list(csv.reader(explain_csv(recorded, "Idle", "power_peak_w").splitlines()))
    assert rows[0] == ["channel", "unit", "monotonic_ns", "value", "counts_s"]
    assert [float(row[3]) for row in rows[1:]] == channel["values"]
    assert channel["mean"] == pytest.approx(mean_by_time(recorded, window), rel=1e-9)


def test_what_is_worked_out_of_others_shows_their_figures(recorded: Path) -> None:
    row = "Random read 4k"
    found = explain_json(recorded, row, "IOPS/W")
    assert found["formula"] == "iops / power_w"
    figures = found["figures"]
    assert found["value"] == figures["iops"] / figures["power_w"]
    assert "fio-output.json.zz" in explain_text(recorded, row, "read_p99_ms")
    assert "bayscope" not in explain_text(recorded, row, "lambda")


@pytest.mark.parametrize(
    ("row", "name", "sentence"),
    [
        ("Random read", "iops", 'did you mean "Random read 4k"'),
        ("Idle", "powerw", 'did you mean "power_w"'),
        ("Idle", "nothing", 'no result "nothing"'),
    ],
)
def test_a_cell_that_there_is_not(
    recorded: Path, row: str, name: str, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        explain_text(recorded, row, name)


def test_the_commands_print_plain_values(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "--json", str(recorded)]) == 0
    assert json.loads(capsys.readouterr().out)["counts"].keys() == {"same"}
    assert run(["explain", "--json", str(recorded), "Idle", "power_w"]) == 0
    assert json.loads(capsys.readouterr().out)["unit"] == "W"
    assert run(["explain", str(recorded), "Idle", "nothing"]) == 2


@pytest.mark.parametrize(("formulas", "how"), [(5, "formula"), (FORMULAS, "count")])
def test_a_reading_more_than_expected_is_told_by_its_formulas(
    copied: Path, formulas: int, how: str
) -> None:
    change(copied, "UPDATE result SET formulas = ?", (formulas,))
    change(copied, "UPDATE result SET n_expected = n_valid - 1 WHERE name = 'power_w'")
    with closing(sqlite3.connect(copied)) as connection:
        digest = content_digest(connection)
    change(copied, "UPDATE session SET sha256 = ?", (digest,))
    assert agreements(copied)["Idle", "power_w"] == how
