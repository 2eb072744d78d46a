"""IOzone's own results in the report: a line for each size, a column for each test."""

from pathlib import Path

from app.operations.sessions.export import export_sessions
from app.operations.sessions.import_files import import_files
from app.operations.sessions.showing import show_json, show_text
from app.record.imports.answers import parse_answers
from app.report.table import Row
from app.report.tables import iozone_columns, iozone_tables

MATRIX = Path(__file__).parents[2] / "fixtures" / "engines" / "iozone-3.489-matrix.txt"


def row(name: str, **values: float) -> Row:
    return {"step": name, "engine": "iozone", "bandwidth_mb_s": 7.0, **values}


def test_a_line_is_one_size_and_a_column_one_test() -> None:
    many = row(
        "Auto", read_1m_of_4m_mb_s=3, read_4k_of_16m_mb_s=2, write_4k_of_4m_mb_s=1
    )
    one = row("Threads", random_read_mb_s=4.0)
    idle: Row = {"step": "Idle", "engine": "idle", "read_mb_s": 5.0}
    ((title, table),) = iozone_tables([many, one, idle])
    assert title == "IOzone (MB/s)"
    assert table.heads == ["Workload", "File", "Record", "Write", "Read", "Random read"]
    assert list(table.rows) == [
        ("Auto", "4m", "4k", 1, None, None),
        ("Auto", "4m", "1m", None, 3, None),
        ("Auto", "16m", "4k", None, 2, None),
        ("Threads", "", "", None, None, 4),
    ]
    heads = {column.head for column in iozone_columns([many])}
    assert "Read 1m of 4m (MB/s)" in heads


def test_operations_have_a_table_of_their_own() -> None:
    ((title, table),) = iozone_tables([row("Ops", random_write_iops=9.0)])
    assert title == "IOzone (operations/s)"
    assert table.rows == (("Ops", 9.0),)
    assert not iozone_tables([row("Nothing")])


def test_an_import_is_shown_and_exported_with_its_matrix(tmp_path: Path) -> None:
    result = import_files([MATRIX], tmp_path, parse_answers(zone="UTC"))
    text = show_text(result.session)
    assert "IOzone (MB/s)" in text
    assert "Random write" in text
    assert "imported" not in text, "nobody said that"
    assert "IOzone" not in show_text(result.session, form="lab").split("\n", 1)[1]
    steps = show_json(result.session)["steps"]
    assert isinstance(steps, list)
    assert steps[0]["write_64k_mb_s"] == 74747 * 1024 / 1e6
    for path in export_sessions([result.session], ["csv", "md", "html"], tmp_path):
        content = path.read_text("utf-8")
        assert "Random write" in content, path
        assert "76.5" in content, path
