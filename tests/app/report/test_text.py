import csv
import io
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.report.text import comma_separated, terminal
from tests.app.report.rendering import markdown
from tests.app.report.test_document import document, write


def test_columns_line_up(tmp_path: Path) -> None:
    lines = terminal(document(write(tmp_path))).splitlines()
    head = next(line for line in lines if line.startswith("Workload"))
    row = next(line for line in lines if line.startswith("Sequential write 4M"))
    end = head.index("Power (W)") + len("Power (W)")
    assert row[:end].endswith("502.0")
    assert head.index("Verdict") == row.index("PASS")


def test_a_crash_is_a_sentence_of_its_own(tmp_path: Path) -> None:
    made = replace(document(write(tmp_path)), crash="the program ended")
    assert "\nThe program ended.\n" in terminal(made)
    assert "\n**The program ended.**\n" in markdown(made)


def test_csv_is_for_programs(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(comma_separated(document(write(tmp_path))))))
    idle, write_row, *_ = rows
    assert idle["IOPS"] == ""
    assert float(write_row["Bandwidth (MB/s)"]) == 4194.3
    assert idle["Thin values"] == "Ambient (°C)"
    assert {row["Simulated"] for row in rows} == {"simulated"}
    assert {row["Changed"] for row in rows} == {"no"}


def test_csv_says_why_a_step_failed_and_why_it_has_no_energy(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE step SET reason = 'too slow' WHERE position = 1")
        connection.execute("UPDATE result SET note = 'gaps' WHERE value IS NULL")
        connection.commit()
    rows = list(csv.DictReader(io.StringIO(comma_separated(document(path)))))
    told = [row["Reason"] for row in rows]
    assert told == ["too slow", "", "no energy, gaps", ""]
    assert all("was changed after the run" in row["Changed"] for row in rows)


HOSTILE = "=cmd|' /C calc'!A0<script>x</script>[a](javascript:x)\x1b[2J\u202e"


def _hostile(tmp_path: Path) -> Path:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE step SET label = ? WHERE position = 1", (HOSTILE,))
        connection.commit()
    return path


def test_what_others_wrote_is_no_formula_in_csv(tmp_path: Path) -> None:
    made = comma_separated(document(_hostile(tmp_path)))
    rows = list(csv.reader(io.StringIO(made)))
    told = [cell for row in rows for cell in row]
    assert not any(cell.startswith(("=", "+", "@")) for cell in told)
    assert any(cell.startswith("'=cmd") for cell in told)


def test_what_others_wrote_is_no_tag_and_no_link_in_markdown(tmp_path: Path) -> None:
    made = markdown(document(_hostile(tmp_path)))
    assert "=cmd" in made
    for harm in ("<script", "](javascript", "\x1b", "\u202e"):
        assert harm not in made
