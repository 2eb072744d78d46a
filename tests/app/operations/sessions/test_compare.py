import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.analysis.compare_notes import lengths_told
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_file import comparison_document
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.record.store import Session
from app.report.pages.template import load_template
from app.report.parts import PARTS_TITLE
from instruments.errors import BadInput
from tests.app.report.test_document import write
from tests.load_hosts import with_hosts


def pair(folder: Path) -> tuple[Path, Path]:
    """Write two sessions that are alike."""
    places = folder / "a", folder / "b"
    for place in places:
        place.mkdir()
    return write(places[0]), write(places[1])


def test_one_session_has_nothing_beside_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="two or more session files"):
        compare_sessions([tmp_path / "x.bayscope"])


def test_equal_names_are_numbered_and_simulated_ones_say_so(tmp_path: Path) -> None:
    places = [tmp_path / "a", tmp_path / "b"]
    for place in places:
        place.mkdir()
    real, fake = write(places[0], simulated=False), write(places[1])
    comparison = compare_sessions([real, fake])
    assert comparison.names == ("x #1", "x #2")
    lines = comparison_text(comparison).splitlines()
    assert lines[:2] == ["A = x #1, PASS", "B = x #2 (simulated), PASS"]
    at = next(n for n, line in enumerate(lines) if line.startswith("Idle"))
    assert lines[at].split() == ["Idle", "Verdict", "PASS", "PASS"]
    power = lines[at + 1].split()
    assert power[:7] == ["Power", "(W)", "501.0", "501.0", "0.0", "-", "0.0"]
    noise = next(line for line in lines if "Noise" in line)
    told = ["54.0", "54.0", "0.0", "-", "-", "meter", "error", "not", "known"]
    assert noise.split()[2:] == told, "decibels have no ratio"


def test_what_makes_a_value_doubtful_is_told(tmp_path: Path) -> None:
    good, changed = pair(tmp_path)
    with closing(sqlite3.connect(changed)) as connection:
        connection.execute("UPDATE step SET verdict = 'FAIL', reason = 'too slow'")
        connection.execute("UPDATE session SET verdict = 'ABORTED'")
        connection.commit()
    comparison = compare_sessions([good, changed])
    text = comparison_text(comparison)
    lines = text.splitlines()
    assert lines[1] == "B = x #2 (simulated), ABORTED"
    assert "This file was changed after the run" in lines[2]
    ambient = next(line for line in lines if "Ambient" in line)
    assert ambient.split()[2:4] == ["26.0*", "26.0*"]
    four = "Idle, Sequential write 4M, Random read 4k and 1 more (4 rows)"
    assert f"B: {four}: too slow" in lines
    assert "A: Idle: Ambient (°C) is based on only 9 of 10 samples (*)" in lines
    shown = comparison_json(comparison)
    assert shown["verdicts"] == ["PASS", "ABORTED"]
    rows, warnings = shown["rows"], shown["warnings"]
    assert isinstance(rows, list)
    assert isinstance(warnings, list)
    assert rows[0]["verdict"] == ["PASS", "FAIL"]
    assert rows[0]["ambient_c"]["thin"] == [True, True]
    assert [len(warning) for warning in warnings] == [0, 1]


def test_json_has_a_difference_for_each_further_session(tmp_path: Path) -> None:
    path = write(tmp_path)
    shown = comparison_json(compare_sessions([path, path, path]))
    assert shown["sessions"] == ["x #1", "x #2", "x #3"]
    rows = shown["rows"]
    assert isinstance(rows, list)
    assert rows[0]["step"] == "Idle"
    assert rows[0]["power_w"] == {
        "values": [501.0] * 3,
        "thin": [False] * 3,
        "difference": [0.0] * 2,
        "percent": [0.0] * 2,
        "uncertainty": [None] * 2,
        "p": [None] * 2,
        "judgement": ["no_limits"] * 2,
    }
    assert "iops" not in rows[0], "what no session has is left out"


def test_one_that_is_no_session_hides_no_other(tmp_path: Path) -> None:
    good, other = pair(tmp_path)
    broken = tmp_path / "broken.bayscope"
    broken.write_text("nothing")
    told: list[BadInput] = []
    comparison = compare_sessions([good, broken, other], told.append)
    assert comparison.names == ("x #1", "x #2")
    assert [one.where for one in told] == [str(broken)]
    told.clear()
    with pytest.raises(BadInput) as first:
        compare_sessions([broken, good, tmp_path / "none.bayscope"], told.append)
    assert first.value.where == str(broken)
    assert [one.where for one in told] == [str(tmp_path / "none.bayscope")]


def replanned(path: Path, label: str, plan: str) -> Path:
    """Let a session have run another load under the same label."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE step SET plan = ? WHERE label = ?", (plan, label))
    return path


def test_rows_of_different_loads_say_so_and_have_no_percentages(tmp_path: Path) -> None:
    one, two = pair(tmp_path)
    label = "Random read 4k"
    replanned(two, label, '[fio]\nrw = "randread"\nbs = "64k"\niodepth = "32"\n')
    comparison = compare_sessions([one, two])
    lines = comparison_text(comparison).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(label))
    told = "not the same load: bs 4k / 64k, iodepth 1 / 32"
    assert lines[at + 1].strip() == told
    assert lines[at + 2].split()[4:7] == ["0.0", "-", "-"]
    assert sum("not the same load" in line for line in lines) == 1
    rows = comparison_json(comparison)["rows"]
    assert isinstance(rows, list)
    assert rows[2]["load"] == {
        "same": [True, False],
        "differs": {"bs": ["4k", "64k"], "iodepth": ["1", "32"]},
    }
    assert rows[2]["iops"]["percent"] == [None]
    assert rows[1]["load"] == {"same": [True, True], "differs": {}}
    assert rows[1]["iops"]["percent"] == [0.0]


def test_rows_that_ran_for_different_times_keep_the_percentages_of_rates(
    tmp_path: Path,
) -> None:
    one, two = pair(tmp_path)
    plan = 'runtime = "10m"\n[fio]\nrw = "randread"\nbs = "4k"\n'
    for path, text in ((one, plan), (two, plan.replace("10m", "1h"))):
        replanned(path, "Random read 4k", text)
    rows = comparison_json(compare_sessions([one, two]))["rows"]
    assert isinstance(rows, list)
    told = {"same": [True, True], "differs": {"runtime": ["10m", "1h"]}}
    assert rows[2]["load"] == told
    assert rows[2]["iops"]["percent"] == [0.0]


def test_sessions_without_a_common_step_say_what_there_is(tmp_path: Path) -> None:
    one, two = pair(tmp_path)
    with closing(sqlite3.connect(two)) as connection, connection:
        connection.execute("UPDATE step SET label = 'Other ' || id")
    text = comparison_text(compare_sessions([one, two]))
    assert "no step with the same label (A: Idle, Sequential write 4M," in text
    assert "no step with the same label" not in comparison_text(
        compare_sessions([one, one])
    )


def test_a_void_attempt_is_no_row_of_a_comparison(tmp_path: Path) -> None:
    one, two = pair(tmp_path)
    with Session.open(one) as session:
        labels = [step.label for step in session.steps()]
    with closing(sqlite3.connect(two)) as connection, connection:
        connection.execute(
            "INSERT INTO step (position, label, engine, plan, outcome, attempt) "
            "SELECT position, label || ' (void 1)', engine, plan, 'VOID', 1 "
            "FROM step WHERE id = 3"
        )
    compared = compare_sessions([one, two])
    assert [label for label, _ in compared.rows] == labels


def test_a_currency_is_that_of_prices_that_are_said(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("none", "dollars", "both")]
    benches = ("", '[cost]\ncurrency = "USD"\nprice_per_kwh = 0.3\n')
    for path, bench in zip(paths, (*benches, benches[1]), strict=True):
        path.mkdir()
        with closing(sqlite3.connect(write(path))) as connection, connection:
            connection.execute("UPDATE session SET bench = ?", (bench,))
    compared = compare_sessions([path / "x.bayscope" for path in paths])
    assert [one.currency for one in compared.about] == ["", "USD", "USD"]
    costs = [
        one.values
        for _, differences in compared.rows
        for one in differences
        if one.metric.head == "Cost/year (USD)"
    ]
    assert costs
    assert all(a is None and b == c and b is not None for a, b, c in costs)


def test_what_each_load_host_did_stands_below_their_sum(tmp_path: Path) -> None:
    one, two = pair(tmp_path)
    with_hosts(one, {"load1": 600.0, "load2": 400.0})
    with_hosts(two, {"load1": 0.0, "load2": 500.0})
    comparison = compare_sessions([one, two])
    step = "Sequential write 4M"
    labels = [label for label, _ in comparison.rows]
    at = labels.index(step)
    assert labels[at : at + 3] == [step, f"{step}, load1", f"{step}, load2"]
    assert comparison.hosts == {
        f"{step}, {host}": (step, host) for host in ("load1", "load2")
    }
    shown = [
        {one.metric.name: one.values for one in differences}
        for _, differences in comparison.rows[at : at + 3]
    ]
    assert shown[0]["iops"] == (1000.0, 1000.0)
    assert shown[1:] == [{"iops": (600.0, None)}, {"iops": (400.0, 500.0)}]
    assert comparison.verdicts[at + 1] == ("", "ERROR")
    assert comparison.judged[at + 1] == ("", "not reached")
    change = comparison.rows[at + 2][1][0]
    assert (change.against_first(1), change.percent(1)) == (100.0, 25.0)
    parts = dict(comparison_document(comparison).more)[PARTS_TITLE]
    of_hosts = [row[1:3] for row in parts.rows if "." not in str(row[1])]
    assert of_hosts == [("load1", "B")]  # it says how that one was lost


def test_the_terminal_and_json_say_which_rows_lasted_differently_long(
    tmp_path: Path,
) -> None:
    one, two = pair(tmp_path)
    change = (
        "UPDATE result SET value = ?, n_valid = 10 WHERE name = 'energy_wh' "
        "AND step_id = (SELECT id FROM step WHERE label = 'Random read 4k')"
    )
    for path, energy_wh in ((one, 5.0), (two, 6.0)):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(change, (energy_wh,))
    comparison = compare_sessions([one, two])
    [told] = lengths_told(comparison)
    assert told.startswith("Different durations: Random read 4k (")
    assert told in comparison_text(comparison).splitlines()
    assert comparison_json(comparison)["lengths"] == [told]
    same = compare_sessions([one, one])
    assert "Different durations" not in comparison_text(same)
    assert comparison_json(same)["lengths"] == []


def test_a_verdict_says_how_many_rows_are_not_clean(tmp_path: Path) -> None:
    clean, unclean = pair(tmp_path)
    with closing(sqlite3.connect(unclean)) as connection:
        connection.execute(
            "UPDATE result SET name = 'foreign_percent' WHERE name = 'noise_db'"
        )
        connection.commit()
    comparison = compare_sessions([clean, unclean], verify=False)
    assert comparison.about[1].unclean
    judged = f"PASS, {comparison.about[1].unclean}"
    assert f"B = x #2 (simulated), {judged}" in comparison_text(comparison)
    made = comparison_document(comparison)
    assert made.judged == f"A: PASS; B: {judged}"
    sessions = dict(made.more)["Sessions"]
    assert [row[-1] for row in sessions.rows] == ["PASS", judged]
    shown = comparison_json(comparison)
    assert shown["verdicts"] == ["PASS", "PASS"]
    assert shown["warnings"] == [[], [comparison.about[1].unclean]]
    words = load_template(language="de").say(made.judged)
    assert words == f"A: PASS; B: {judged}".replace(
        "rows not clean", "Zeilen nicht sauber"
    )
    assert words != made.judged
