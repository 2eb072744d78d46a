"""The report table, built from a real session file."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.listing import sessions_text
from app.plan.cleanness import NEAR_LIMIT, UNCLEAN
from app.plan.limits import FOREIGN, NEAR
from app.record.store import Result, Session, Writer, sessions
from app.report.document import Document, build_document
from app.report.text import comma_separated, terminal
from instruments.reading import Channel, Identity
from tests.app.report.lab_figures import lab_figures
from tests.app.report.rendering import markdown, render_html
from tests.session_info import session_info

PLANS = {
    "Idle": ("idle", 'label = "Idle"\n'),
    "Sequential write 4M": ("fio", '[fio]\nrw = "write"\nbs = "4m"\n'),
    "Random read 4k": ("fio", '[fio]\nrw = "randread"\nbs = "4k"\n'),
    "Mixed <4k|2M>": ("fio", '[fio]\nrw = "randrw"\nbssplit = "4k/50:2M/50"\n'),
}


def write(folder: Path, *, simulated: bool = True, buffered: bool = False) -> Path:
    path = folder / "x.bayscope"
    info = session_info(name="A & B", simulated=simulated)
    writer = Writer.create(path, info)
    identity = Identity("m", "m", "s", "f", "a", simulated=simulated)
    writer.add_source("mains", "power", "hmc8015", identity, "")
    writer.add_channels([Channel("mains", "P", "W")])
    for number, (label, (engine, plan)) in enumerate(PLANS.items(), 1):
        step = writer.add_step(number, label, engine, plan)
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        values = {"power_w": 500.0 + number, "lambda": 0.975, "noise_db": 54.0}
        values |= {"drive_min_c": 30.0, "drive_max_c": 46.0, "ambient_c": 26.0}
        if engine == "fio":
            values |= {"iops": 1000.0, "bandwidth_mb_s": 4194.3}
            values["buffered"] = float(buffered)
        for name, value in values.items():
            valid = 9 if (engine, name) == ("idle", "ambient_c") else 10
            writer.result(step, Result(name, value, "", 0, 1, valid, 10))
        if label == "Random read 4k":
            writer.result(step, Result("energy_wh", None, "Wh", 0, 1, 3, 10))
    writer.set_session(verdict="PASS")
    writer.finish()
    return path


def document(path: Path, *, form: str = "") -> Document:
    with Session.open(path) as session:
        return build_document(session, form=form)


def test_every_known_cell_is_filled(tmp_path: Path) -> None:
    table = document(write(tmp_path)).table
    assert table.heads[:4] == ["Workload", "Power (W)", "IOPS", "Bandwidth (MB/s)"]
    row = dict(zip(table.heads, table.texts()[1], strict=True))
    assert row["Workload"] == "Sequential write 4M"
    assert row["Power (W)"] == "502.0"
    assert row["IOPS"] == "1000"
    assert row["Bandwidth (MB/s)"] == "4194.3"
    assert row["Lambda"] == "0.975"
    assert row["Verdict"] == "PASS"
    idle = dict(zip(table.heads, table.texts()[0], strict=True))
    assert idle["IOPS"] == ""


def test_lab_blanks_and_rows_are_the_reports(tmp_path: Path) -> None:
    table = document(write(tmp_path), form="lab").table
    rows = {row[0]: row[1:] for row in table.texts()}
    assert len(table.columns) == 4
    assert rows["Sequential write 4M"] == ["502", "", "4190"]
    assert rows["Random read 4k"] == ["503", "1000", ""]
    assert rows["Mixed <4k|2M>"] == ["504", "1000", "4190"]
    assert rows["Idle"][0] == "501"
    assert rows["Lambda (Idle)"][0] == "0.975"
    assert rows["Noise (Idle)"][0] == "54 dB(A)"
    assert rows["Temperature ambient"][0] == "26 °C"
    assert rows["Temperature HDD min."][0] == "30 °C"
    assert rows["Temperature HDD max."][0] == "46 °C"


def test_lab_means_are_of_time_and_sums_say_of_how_many_steps() -> None:
    """A short idle, an hour of load that warms the room, and a start without both."""
    rows: list[dict[str, object]] = [
        {"engine": "startup", "step": "Start"},
        {"engine": "idle", "step": "Idle", "ambient_c": 20.0, "energy_wh": 5.0},
        {"engine": "fio", "step": "Read", "ambient_c": 25.0, "energy_wh": 700.0},
    ]
    for row, seconds in zip(rows[1:], (400.0, 3600.0), strict=True):
        row["duration_s"] = seconds
    found = dict(lab_figures(rows))
    assert found["Temperature ambient"] in ("24 °C", "25 °C")
    assert found["Energy (2 of 3 steps)"] == "705.0 Wh"
    assert dict(lab_figures(rows[1:]))["Energy"] == "705.0 Wh"
    assert dict(lab_figures(rows[:1]))["Energy"] == ""


def test_simulated_is_said_in_every_form(tmp_path: Path) -> None:
    made = document(write(tmp_path))
    assert "SIMULATED: mains" in terminal(made)
    assert "**simulated: mains**" in markdown(made)
    assert comma_separated(made).splitlines()[1].endswith(",simulated")
    assert "simulated: mains" in render_html(made)


def test_a_real_bench_is_not_called_simulated(tmp_path: Path) -> None:
    made = document(write(tmp_path, simulated=False))
    for text in (terminal(made), markdown(made), render_html(made)):
        assert "simulated" not in text.lower()
    assert comma_separated(made).splitlines()[1].endswith(",no")


def test_what_was_imported_has_no_verdict_and_a_recording_is_not_simulated(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.bayscope"
    writer = Writer.create(path, session_info(name="LOG0", dut="", simulated=False))
    heard = Identity("", "WAV file", "", "", "a.wav", simulated=True)
    writer.add_source("noise", "noise", "wav", heard, "")
    writer.finish()
    with Session.open(path) as session:
        made = build_document(session)
    title, label, *_, verdict = terminal(made).splitlines()
    assert title == f"LOG0, {made.started}"
    assert label == "from a recording: noise"
    assert verdict == "Verdict: none, no limits were judged"
    assert f"# LOG0\n\n{made.started}\n\n" in markdown(made)
    assert "imulated: " not in render_html(made)


def test_a_thin_value_is_noted_with_its_counts(tmp_path: Path) -> None:
    notes = document(write(tmp_path)).notes
    assert notes == (
        "Idle: Ambient (°C) is based on only 9 of 10 samples (*)",
        "Random read 4k: Energy (Wh) has no value, only 3 of 10 samples",
    )


def test_a_thin_value_has_a_star_and_is_named_in_the_csv(tmp_path: Path) -> None:
    made = document(write(tmp_path))
    idle = made.table.texts()[0]
    assert idle[made.table.heads.index("Ambient (°C)")] == "26.0*"
    lines = comma_separated(made).splitlines()
    assert lines[1].endswith(",Ambient (°C),simulated")
    assert lines[2].endswith(",,simulated")


def test_buffered_rows_say_so(tmp_path: Path) -> None:
    made = document(write(tmp_path, buffered=True))
    assert made.table.texts()[1][0] == "Sequential write 4M (buffered)"
    assert made.table.rows[1][0] == "Sequential write 4M"
    assert 1 in made.table.buffered
    assert any("page cache" in note for note in made.notes)


def test_rows_that_were_not_clean_say_so_once(tmp_path: Path) -> None:
    """At the row, beside the verdict, and in one note; CSV keeps the plain verdict."""
    path = write(tmp_path)
    told = "17 % of the I/O on its disk came from other processes: 200 MiB of writes"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE step SET reason = ? WHERE id = 3", (f"not clean: {told}",)
        )
        connection.executemany(
            "INSERT INTO result (step_id, name, value, unit, start_ns, end_ns, origin, "
            "note) VALUES (3, ?, ?, '', 0, 1, 'io_checks', ?)",
            [("foreign_percent", 17.3, ""), ("foreign_write_bytes", 2e8, told)],
        )
    made = document(path)
    verdicts = [row[-1] for row in made.table.texts()]
    assert verdicts == ["PASS", "PASS", "PASS, not clean", "PASS"]
    assert made.judged == "PASS, 1 row not clean"
    assert sum(told in note for note in made.notes) == 1
    for text in (terminal(made), markdown(made), render_html(made)):
        assert made.judged in text
        assert "PASS, not clean" in text
    assert 'class="badge warn"' in render_html(made)
    assert re.search(r'class="warn"[^>]*>[^<]*PASS, not clean', render_html(made))
    assert "PASS, not clean" not in comma_separated(made)
    assert document(path, form="lab").judged == made.judged


def test_a_void_attempt_is_neither_clean_nor_not(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO result (step_id, name, value, unit, start_ns, end_ns) "
            "VALUES (?, ?, 50, '', 0, 1)",
            [(2, "foreign_percent"), (3, "foreign_percent"), (1, "foreign_mb_s")],
        )
        connection.execute(
            "UPDATE step SET outcome = 'VOID', verdict = NULL WHERE id = 3"
        )
    for form in ("", "lab", "enclosure", "measured"):
        assert document(path, form=form).unclean == "2 rows not clean"
    with Session.open(path) as session:
        assert session.unclean_steps() == {1, 2}
    [listed] = sessions(tmp_path)
    assert listed.unclean == 2
    told = sessions_text(tmp_path)
    assert "PASS, not clean" in told
    assert "2 rows not clean" in told


def test_a_row_near_its_limit_is_marked_alike_everywhere(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO result (step_id, name, value, unit, start_ns, end_ns) "
            "VALUES (?, ?, ?, '', 0, 1)",
            [(1, NEAR, 1), (2, NEAR, 2), (2, FOREIGN, 50)],
        )
    near, both = NEAR_LIMIT, f"{NEAR_LIMIT}{UNCLEAN}"
    with Session.open(path) as session:
        assert {n: m for n, m in session.step_marks().items() if m} == {
            1: near,
            2: both,
        }
        verdicts = [step.verdict for step in session.steps()]
    made = document(path)
    told = [row[-1] for row in made.table.texts()]
    assert told[:2] == [f"{verdicts[0]}{near}", f"{verdicts[1]}{both}"]
    compared = compare_sessions([path, path])
    assert [pair[0] for pair in compared.judged[:2]] == told[:2]
    assert compared.verdicts[0][0] == verdicts[0] == "PASS"
    assert 'class="warn">PASS, within the meter' in render_html(made)


@pytest.mark.parametrize("form", ["", "lab"])
def test_text_cannot_break_a_form(tmp_path: Path, form: str) -> None:
    made = document(write(tmp_path), form=form)
    assert "Mixed &lt;4k|2M&gt;" in render_html(made)
    assert "Mixed <4k\\|2M>" in markdown(made)
    assert "A &amp; B" in render_html(made)
