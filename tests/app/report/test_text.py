import csv
import io
from dataclasses import replace
from pathlib import Path

from app.report.text import comma_separated, markdown, terminal
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
