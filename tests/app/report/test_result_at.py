"""Which result a cell of a table shows."""

from app.report.numbers import Figure
from app.report.table import Column, Table
from app.report.tables import devices_table, load_table, result_at


def test_a_line_of_reads_shows_their_results() -> None:
    row: dict[str, object] = {"step": "Mixed", "engine": "fio"}
    row |= {"iops": 3.0, "read_iops": 1.0, "write_iops": 2.0, "read_p99_ms": 5.0}
    table = load_table([row])
    assert table is not None
    at = [
        [result_at(table, n, c) for c in range(len(table.columns))]
        for n in range(len(table.rows))
    ]
    assert at == [
        ["", "", "iops", ""],
        ["", "", "read_iops", "read_p99_ms"],
        ["", "", "write_iops", ""],
    ]


def test_a_line_of_another_device_shows_its_own() -> None:
    row: dict[str, object] = {"step": "Idle", "server.power_w": 200.0}
    table = devices_table([row], ["server"])
    assert table is not None
    assert result_at(table, 0, 2) == "server.power_w"


def test_words_and_what_is_no_result_show_none() -> None:
    table = Table((Column("Workload", "step"), Column("1", "1")), (("Idle", 5.0),))
    assert [result_at(table, 0, column) for column in (0, 1)] == ["", ""]


def test_a_cell_of_two_axes_is_of_its_own_row_and_a_mean_of_none() -> None:
    cells = [Figure(v, source=(f"Read QD{v:g}", "iops")) for v in (1.0, 2.0)]
    mean = Figure(3.0, source=("", "iops"))
    columns = [Column(head, head) for head in ("step", "1", "2", "mean")]
    table = Table(tuple(columns), (("4k", *cells, mean),))
    assert [table.label_at(0, place) for place in (1, 2)] == ["Read QD1", "Read QD2"]
    assert [result_at(table, 0, place) for place in (1, 2, 3)] == ["iops", "iops", ""]
