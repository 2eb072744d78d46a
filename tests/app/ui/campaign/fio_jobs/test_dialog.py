"""The dialog for fio jobs: the reports' own scripts, slips, long and foreign texts."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ui.campaign.fio_jobs.dialog import (
    FioJobsDialog,
    count_text,
    in_order,
    lines_text,
    look_of_finding,
)
from app.ui.kit.context import Context
from workloads.fio.paste.finding import Finding, Weight

SCRIPTS = Path(__file__).parents[4] / "fixtures" / "fio"
STEPS = {
    "jbod947-60-devices.txt": 5,
    "jbod947-raid0-physical.txt": 5,
    "jbod947-raid10-logical.txt": 5,
    "zfs60-benchmark.txt": 5,
    "zfs60-demo.txt": 2,
}


@pytest.fixture
def dialog(context: Context, qtbot: QtBot) -> FioJobsDialog:
    found = FioJobsDialog(context)
    qtbot.addWidget(found)
    found.show()
    return found


def read(dialog: FioJobsDialog, qtbot: QtBot, text: str) -> None:
    dialog.show_text(text)
    qtbot.waitUntil(lambda: not dialog.reader.is_open)


def words(dialog: FioJobsDialog) -> list[str]:
    return [look_of_finding(record).word for record in dialog.findings_model.records]


@pytest.mark.parametrize("name", STEPS)
def test_the_scripts_of_reports_become_steps_with_decisions_first(
    dialog: FioJobsDialog, qtbot: QtBot, name: str
) -> None:
    dialog.open_file(SCRIPTS / name)
    qtbot.waitUntil(lambda: dialog.found is not None)
    assert dialog.steps_model.rowCount() == STEPS[name]
    assert dialog.targets_model.rowCount() >= 1
    found = words(dialog)
    order = [w for w in ("decide", "trap", "excluded", "note") if w in found]
    assert list(dict.fromkeys(found)) == order
    assert found[0] == "decide"
    assert f"{found.count('decide')} decision" in dialog.counts.text()
    assert "needed" in dialog.busy.reason.text()
    assert dialog.new_button.isEnabled()
    assert dialog.add_button.isEnabled()


def test_a_chosen_finding_shows_its_lines_and_goes_when_the_text_is_mended(
    dialog: FioJobsDialog, qtbot: QtBot
) -> None:
    slip = (
        "fio --name=a --rw=randread\n\nfio --name=b --rw=randrw --rwmix=90 --runtime=9"
    )
    read(dialog, qtbot, slip)
    table = dialog.findings
    quotes = [record.quote for record in dialog.findings_model.records]
    table.choose_row(quotes.index("--rwmix=90"))
    assert list(dialog.text.wrong) == [3]
    assert dialog.text.textCursor().blockNumber() == 2
    read(dialog, qtbot, slip.replace("rwmix=", "rwmixread="))
    assert "--rwmix=90" not in [
        record.quote for record in dialog.findings_model.records
    ]
    assert not dialog.text.wrong


def test_jobs_without_a_step_say_why(dialog: FioJobsDialog, qtbot: QtBot) -> None:
    read(dialog, qtbot, "fio --rw=read --filename=/dev/sdx")
    assert words(dialog) == ["decide"]
    assert "findings say why" in dialog.trouble.text()
    assert not dialog.new_button.isEnabled()
    assert dialog.steps_model.rowCount() == 0


@pytest.mark.parametrize("text", ["Dear all,\nplease run it again.", "x" * 200_001])
def test_a_text_without_jobs_is_a_sentence(
    dialog: FioJobsDialog, qtbot: QtBot, text: str
) -> None:
    read(dialog, qtbot, text)
    assert "fio" in dialog.trouble.text()
    assert dialog.trouble.isVisible()
    assert not dialog.add_button.isEnabled()
    read(dialog, qtbot, "")
    assert not dialog.trouble.isVisible()


def test_a_file_that_is_not_there_is_a_sentence(
    dialog: FioJobsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog.open_file(tmp_path / "none.fio")
    qtbot.waitUntil(dialog.trouble.isVisible)
    assert str(tmp_path / "none.fio") in dialog.trouble.text()


def test_a_job_file_includes_what_lies_beside_it(
    dialog: FioJobsDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "common.fio").write_text("[global]\nbs=16k\n")
    (tmp_path / "main.fio").write_text(
        "include common.fio\n[one]\nrw=randread\nruntime=5\ntime_based=1\n"
    )
    dialog.open_file(tmp_path / "main.fio")
    qtbot.waitUntil(lambda: dialog.found is not None)
    assert dialog.found is not None
    assert dialog.found.campaign.steps[0].options["bs"] == "16k"


def test_a_text_that_is_being_read_can_be_given_up(
    dialog: FioJobsDialog, qtbot: QtBot
) -> None:
    dialog.show_text("fio --name=a --rw=read --runtime=1 --time_based")
    assert dialog.busy.bar.isVisible()
    assert dialog.busy.reason.text().startswith("Reading")
    dialog.busy.stop_button.click()
    assert not dialog.busy.bar.isVisible()
    assert dialog.busy.reason.text() == ""
    assert "not read" in dialog.trouble.text()
    assert dialog.found is None
    assert not dialog.new_button.isEnabled()


def test_only_the_last_text_counts_and_one_is_read_at_a_time(
    dialog: FioJobsDialog, qtbot: QtBot
) -> None:
    slow = "\n".join(
        f"fio --name=j{n} --rw=read --runtime=1 --time_based" for n in range(150)
    )
    dialog.show_text(slow)
    qtbot.waitUntil(lambda: dialog.reader._is_running)
    read(dialog, qtbot, "fio --name=last --rw=read --runtime=1 --time_based")
    assert dialog.found is not None
    assert len(dialog.found.campaign.steps) == 1
    assert not dialog.reader._is_running


def test_findings_are_put_in_order_and_counted() -> None:
    note = Finding((1,), "a", "b", "c")
    trap = Finding((3,), "a", "b", "c", Weight.TRAP)
    late = Finding((9,), "a", "b", "c", Weight.EXCLUDED, decide=True)
    assert in_order([note, trap, late]) == [late, trap, note]
    assert count_text([note, trap, late]) == "1 decision needed, 1 trap, 1 note"
    assert count_text([]) == ""
    assert lines_text((1, 2, 3, 4, 5)) == "1, 2, 3, 4 ..."


def test_a_file_that_cannot_be_opened_leaves_the_text_and_its_steps(
    dialog: FioJobsDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    read(dialog, qtbot, "fio --name=a --rw=randread --runtime=9")
    steps = dialog.steps_model.rowCount()
    (tmp_path / "large.fio").write_text("# filler\n" * 100_000)
    dialog.open_file(tmp_path / "large.fio")
    qtbot.waitUntil(dialog.trouble.isVisible)
    assert dialog.text.toPlainText().startswith("fio --name=a")
    assert dialog.steps_model.rowCount() == steps > 0
    assert dialog.new_button.isEnabled()
