"""Other devices, background and calibration in a report, from a real session file."""

from pathlib import Path

import pytest

from app.operations.sessions.showing import show_json
from app.record.store import Result, Session, Writer
from app.report.document import Document, build_document
from app.report.rows import report_rows
from app.report.text import comma_separated, terminal
from instruments.reading import Identity
from tests.app.report.rendering import markdown, render_html
from tests.session_info import session_info

LEVELS = {"Room": 40.0, "Read": 50.0, "Idle": 41.0}
NOISE = '[[noise]]\nname = "mic"\ndriver = "microphone"\nbackground = "{step}"\n'
MAINS = '[[power]]\nname = "mains"\ndriver = "hmc8015"\ncalibrated = "2023-11-01"\n'


def write(
    folder: Path, *, background: str = "Room", server: bool = True, plan: str = ""
) -> Path:
    path = folder / "x.bayscope"
    writer = Writer.create(path, session_info(simulated=False))
    who = Identity("m", "m", "s", "f", "a")
    writer.add_source("mains", "power", "hmc8015", who, MAINS, measures="dut")
    if server:
        writer.add_source("pdu", "power", "yokogawa", who, "", measures="server")
    text = NOISE.format(step=background)
    writer.add_source("mic", "noise", "microphone", who, text, measures="dut")
    for number, (label, level) in enumerate(LEVELS.items(), 1):
        own = plan if label == "Room" else ""
        step = writer.add_step(number, label, "idle", own)
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        values = {"power_w": 500.0, "noise_db": level, "noise_u_db": 0.1}
        values |= {"energy_wh": 2.0, "power_error_w": 1.234}
        if server:
            values |= {"server.power_w": 200.0, "server.lambda": 0.9}
            values |= {"server.power_error_w": 0.4567}
            values |= {"server.energy_wh": 1.0} if label != "Idle" else {}
        for name, value in values.items():
            note = {
                "power_error_w": "certificate 4711",
                "server.power_error_w": "certificate 4712",
            }.get(name, "")
            count = {"power_w": 1 if label == "Idle" else 10}.get(name)
            writer.result(step, Result(name, value, "", 0, 1, count, note=note))
    writer.set_session(verdict="PASS")
    writer.finish()
    return path


def document(path: Path) -> Document:
    with Session.open(path) as session:
        return build_document(session)


def test_other_devices_have_a_table_of_their_own(tmp_path: Path) -> None:
    found = document(write(tmp_path))
    assert found.devices is not None
    assert found.devices.texts()[:2] == [
        ["Room", "server", "200.0", "", "0.900", "1.000"],
        ["Room", "whole bench", "700.0", "", "", "3.000"],
    ]
    assert found.devices.texts()[-1] == ["Idle", "whole bench", "700.0", "", "", ""]
    text = terminal(found)
    assert "\nOther devices\n" in text
    assert "whole bench      700.0" in text
    assert "### Other devices" in markdown(found)
    assert "<h3>Other devices</h3>" in render_html(found)
    head, first, *_ = comma_separated(found).splitlines()
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert row["server Power (W)"] == "200"
    assert row["whole bench Energy (Wh)"] == "3"
    steps = show_json(tmp_path / "x.bayscope")["steps"]
    assert isinstance(steps, list)
    assert steps[0]["server.power_w"] == 200.0
    assert steps[0]["whole bench.power_w"] == 700.0


def test_without_other_devices_there_is_no_second_table(tmp_path: Path) -> None:
    found = document(write(tmp_path, server=False))
    assert found.devices is None
    assert "Other devices" not in terminal(found)
    assert "whole" not in comma_separated(found)


def test_noise_is_told_without_the_background(tmp_path: Path) -> None:
    found = document(write(tmp_path))
    place = found.table.heads.index("Without background (dB(A))")
    assert [row[place] for row in found.table.texts()] == ["", "49.5", "<= 38.0"]
    [note] = [note for note in found.notes if note.startswith("Noise")]
    assert 'background of "Room"' in note
    assert "Read 49.5 ± 0.1, Idle <= 38.0" in note


def test_the_plan_may_say_which_row_is_the_background(tmp_path: Path) -> None:
    path = write(tmp_path, background="", plan='role = "background"')
    with Session.open(path) as session:
        rows = {str(row["step"]): row for row in report_rows(session)}
        lab = build_document(session, form="lab")
    assert rows["Room"]["role"] == "background"
    assert rows["Read"]["noise_net_db"] == pytest.approx(49.54, abs=0.01)
    # A room without the device is no device at rest.
    assert ["Idle", "500", "", ""] in lab.table.texts()


def test_a_background_that_was_not_measured_is_said(tmp_path: Path) -> None:
    found = document(write(tmp_path, background="Night"))
    assert 'Noise: the background step "Night" has no level' in found.notes
    assert "Without background (dB(A))" not in found.table.heads


def test_errors_and_days_of_calibration_are_told(tmp_path: Path) -> None:
    notes = document(write(tmp_path)).notes
    error, other = [note for note in notes if note.startswith("Power (W)")]
    assert "Room 500.0 ± 1.2, Read" in error
    assert error.endswith("Idle 500.0 from 1 reading only (certificate 4711)")
    assert other.startswith("Power (W) of server, limits of error of the meter: Room ")
    assert "Room 200.0 ± 0.46, Read" in other
    assert other.endswith("(certificate 4712)")
    [day] = [note for note in notes if note.startswith("Calibrated")]
    assert day.startswith("Calibrated: mains 2023-11-01 (1")
    assert "No calibration date is known for pdu, mic" in notes


@pytest.mark.parametrize("form", ["lab", ""])
def test_the_labs_form_stays_as_it_is(tmp_path: Path, form: str) -> None:
    with Session.open(write(tmp_path)) as session:
        found = build_document(session, form=form)
    assert (found.devices is None) == bool(form)
