"""Stars at what is made of too few samples, and at what follows from it."""

from pathlib import Path

import pytest

from app.record.store import Result, Session, Writer
from app.report.document import Document, build_document
from app.report.tables import OTHERS
from instruments.reading import Identity
from tests.session_info import session_info

BENCH = """[dut]
name = "A"
capacity_tb = 100.0
usable_capacity_tb = 50.0

[cost]
price_per_kwh = 0.3
duty = {duty}
"""
ROWS = ("Idle", "Read", "Write")


def written(
    folder: Path, thin: str, name: str = "power_w", *, duty: float = 1.0
) -> Document:
    path = folder / "x.bayscope"
    info = session_info(simulated=False, bench=BENCH.format(duty=duty))
    writer = Writer.create(path, info)
    who = Identity("m", "m", "s", "f", "a")
    writer.add_source("mains", "power", "hmc8015", who, "", measures="dut")
    writer.add_source("pdu", "power", "yokogawa", who, "", measures="server")
    for number, label in enumerate(ROWS, 1):
        step = writer.add_step(number, label, "idle" if number == 1 else "fio", "")
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        for one, value in (("power_w", 500.0), ("server.power_w", 200.0)):
            count = 5 if (label, one) == (thin, name) else 10
            writer.result(step, Result(one, value, "W", 0, 1, count, 10))
        writer.result(step, Result("iops", 9.0, "1/s", 0, 1))
    writer.finish()
    with Session.open(path) as session:
        return build_document(session)


def starred(document: Document) -> set[tuple[str, str]]:
    tables = [document.table, *(table for _, table in document.more)]
    return {
        (table.label_of(line), table.columns[place].key)
        for table in tables
        for line, place in table.thin
    }


def test_what_follows_from_a_thin_value_has_its_star(tmp_path: Path) -> None:
    found = written(tmp_path, "Read")
    follow = ("w_per_tb", "whole_w_per_tb", "w_per_usable_tb", "tb_per_w")
    names = {*follow, "kwh_per_year", "cost_per_year", "iops_per_w", "j_per_io"}
    assert starred(found) == {("Read", name) for name in {"power_w", *names}}
    assert {*str(found.rows[1]["thin"]).split()} == {"power_w", *names}
    shown = [text for _, table in found.more for row in table.texts() for text in row]
    assert "5.000*" in shown
    assert "5.000" in shown


@pytest.mark.parametrize(("duty", "are_thin"), [(0.5, True), (1.0, False)])
def test_a_year_has_the_star_of_the_power_at_rest_in_it(
    tmp_path: Path, *, duty: float, are_thin: bool
) -> None:
    found = starred(written(tmp_path, "Idle", duty=duty))
    assert ("Idle", "kwh_per_year") in found
    assert (("Write", "kwh_per_year") in found) == are_thin
    assert ("Write", "w_per_tb") not in found


def test_a_sum_has_the_star_of_its_parts(tmp_path: Path) -> None:
    found = written(tmp_path, "Read", "server.power_w")
    assert starred(found) == {("Read", "power_w"), ("Read", "whole_w_per_tb")}
    others = dict(found.more)[OTHERS]
    lines = {others.rows[line][1] for line, _ in others.thin}
    assert lines == {"server", "whole bench"}
    assert not found.table.thin
