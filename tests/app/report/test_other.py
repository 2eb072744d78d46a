"""Results that the report table has no column for, as a table of their own."""

from app.report.other import other_columns, other_table


def test_only_steps_that_tell_more_than_the_sums_are_there() -> None:
    rows: list[dict[str, object]] = [
        {"step": "Idle", "engine": "idle"},
        {"step": "Read", "engine": "fio", "read_iops": 10.0, "write_iops": None},
        {"step": "Mixed", "engine": "fio", "read_iops": 7.0, "write_iops": 3.0},
        {"step": "Copy", "engine": "copy", "fsync_s": 0.5, "files": 4.0},
        {"step": "Matrix", "engine": "iozone", "read_mb_s": 1.0, "write_mb_s": 1.0},
    ]
    table = other_table(rows)
    assert table is not None
    assert table.heads == [
        "Workload",
        "Read (IOPS)",
        "Write (IOPS)",
        "fsync (s)",
        "Files",
    ]
    assert table.rows == (
        ("Mixed", 7.0, 3.0, None, None),
        ("Copy", None, None, 0.5, 4.0),
    )
    assert other_table(rows[:2]) is None
    assert other_columns(rows[:2]) == ()
