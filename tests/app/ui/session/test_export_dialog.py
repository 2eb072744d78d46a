"""What is exported, how it looks before, and where to."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.operations.sessions.apart import ExportPlan, export_apart
from app.operations.sessions.export import FORMATS
from app.report.pages.template import own_folder
from app.ui.kit.background import Background
from app.ui.session.export_dialog import ExportDialog, ask_for_export
from instruments.errors import BadInput
from tests.app.ui.dialogs import once_open
from tests.app.ui.sample import write_sample


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background()
    yield made
    assert made.close(120.0)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_sample(tmp_path / "one.bayscope", step_s=4)


@pytest.fixture
def dialog(qtbot: QtBot, background: Background, session: Path) -> ExportDialog:
    found = ExportDialog([session], background, form="lab")
    qtbot.addWidget(found)
    return found


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the pages of the preview, which take a process seconds to set."""
    monkeypatch.setattr("app.ui.session.export_dialog._pages_of", lambda *_: [])


@pytest.mark.usefixtures("unseen")
def test_it_needs_a_format(dialog: ExportDialog, tmp_path: Path) -> None:
    assert dialog.plan == ExportPlan(("pdf",), tmp_path, "lab")
    for box in dialog.formats.values():
        box.setChecked(False)
    assert not dialog.buttons.yes.isEnabled()
    dialog.formats["html"].setChecked(True)
    assert dialog.buttons.yes.isEnabled()


@pytest.mark.usefixtures("unseen")
def test_every_format_is_offered_by_a_name_of_its_own(dialog: ExportDialog) -> None:
    assert list(dialog.formats) == list(FORMATS)
    names = [box.text() for box in dialog.formats.values()]
    assert len(set(names)) == len(names)
    keys = [name.partition("&")[2][0].lower() for name in names]
    assert len(set(keys)) == len(keys)


@pytest.mark.usefixtures("unseen")
def test_uncertainties_are_taken_over_from_the_page(
    qtbot: QtBot, background: Background, session: Path
) -> None:
    found = ExportDialog([session], background, spread=True)
    qtbot.addWidget(found)
    plans = [found.plan]
    found.spread.click()
    plans.append(found.plan)
    assert [plan.spread for plan in plans] == [True, False]
    both = ExportDialog([session, session], background, spread=True)
    qtbot.addWidget(both)
    both.show()
    assert not both.spread.isVisible()  # it tells that of differences anyway
    assert not both.plan.spread


def test_the_pages_are_seen_before(dialog: ExportDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: dialog.preview.count > 2, timeout=120_000)
    assert dialog.preview.said.text() == f"{dialog.preview.count} pages"


def test_a_template_with_a_mistake_is_said_where_the_pages_would_be(
    home: Path, qtbot: QtBot, background: Background, session: Path
) -> None:
    own = own_folder() / "ours"
    own.mkdir(parents=True)
    (own / "report.html.j2").write_text("{{ nothing }}")
    found = ExportDialog([session], background)
    qtbot.addWidget(found)
    found.template.setCurrentIndex(found.template.findData("ours"))
    mistake = "report.html.j2, line 1: the template has a mistake"
    qtbot.waitUntil(lambda: mistake in found.preview.said.text(), timeout=120_000)
    assert found.preview.count == 0


@pytest.mark.usefixtures("unseen")
def test_the_folder_may_begin_at_home(dialog: ExportDialog, home: Path) -> None:
    dialog.folder.setText(" ~/reports ")
    assert dialog.plan.to == home / "reports"


@pytest.mark.usefixtures("unseen")
def test_a_folder_of_an_unknown_user_is_said_and_can_be_mended(
    dialog: ExportDialog, tmp_path: Path
) -> None:
    dialog.show()
    dialog.folder.setText("~nobody-knows-me/x")
    dialog.formats["html"].setChecked(True)
    dialog.spread.click()  # the pages are shown anew
    dialog.buttons.yes.click()
    assert dialog.isVisible()
    assert "unknown user" in dialog.mistake.text()
    dialog.folder.setText(str(tmp_path))
    assert not dialog.mistake.isVisible()
    dialog.buttons.yes.click()
    assert not dialog.isVisible()


@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_enter_exports_and_escape_does_not(
    qtbot: QtBot, background: Background, session: Path, key: Qt.Key
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    def answer(found: ExportDialog) -> None:
        qtbot.keyClick(found, key)

    once_open(ExportDialog, answer)
    plan = ask_for_export([session], background, parent, form="")
    assert (plan is not None) == (key == Qt.Key.Key_Return)


def test_another_process_writes_and_its_mistakes_are_sentences(
    session: Path, tmp_path: Path
) -> None:
    to = tmp_path / "a b"
    plan = ExportPlan(("md", "csv"), to, "lab", language="de", spread=True)
    written = export_apart([session], plan)
    assert [path.name for path in written] == ["one.md", "one.csv"]
    assert "Zusammenfassung" in written[0].read_text()
    assert "± ist die erweiterte Unsicherheit" in written[0].read_text()
    with pytest.raises(BadInput, match="no form"):
        export_apart([session], ExportPlan(("md",), tmp_path, "none"))
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        export_apart([session], ExportPlan(("md",), blocked / "deeper"))
