"""Rows that lasted differently long are told, since their energies do not compare."""

from app.analysis.compare import compare_tables
from app.analysis.compare_notes import lengths_told


def row(label: str, watts: float | None, seconds: float) -> dict[str, object]:
    wh = None if watts is None else watts * seconds / 3600
    return {"step": label, "power_w": watts, "energy_wh": wh}


def told(*lengths: tuple[float, float]) -> list[str]:
    tables = [
        [row(f"Row {number}", 100 + side, pair[side]) for number, pair in rows]
        for side in (0, 1)
        for rows in (list(enumerate(lengths)),)
    ]
    return lengths_told(compare_tables(("A", "B"), tables))


def test_rows_of_one_length_need_no_word() -> None:
    assert told((30, 30), (30, 29.5)) == []
    unknown = [[row("Idle", None, 9)], [row("Idle", 5, 9)]]
    assert lengths_told(compare_tables(("A", "B"), unknown)) == []


def test_others_are_named_with_their_lengths() -> None:
    [sentence] = told((44, 25), (30, 30))
    assert "Row 0 (44 s / 25 s)" in sentence
    assert "Row 1" not in sentence
    assert "not energy" in sentence
    [sentence] = told(*[(10, 20)] * 5)
    assert "and 2 more" in sentence


def test_lengths_that_are_nearly_the_same_are_written_apart() -> None:
    [sentence] = told((5.279, 5.001))
    assert "Row 0 (5.3 s / 5.0 s)" in sentence
