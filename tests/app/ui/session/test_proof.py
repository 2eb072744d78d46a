"""From a figure of the report to its samples, and all figures computed again."""
# mypy: disallow-untyped-calls=False

from PySide6.QtWidgets import QDialogButtonBox, QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.ui.session.page import SessionPage
from app.ui.session.proof import ProofDialog
from app.ui.window.main_window import MainWindow


def dialog_of(window: MainWindow, qtbot: QtBot) -> ProofDialog:
    qtbot.waitUntil(lambda: bool(window.findChildren(ProofDialog)))
    (found,) = window.findChildren(ProofDialog)
    return found


def text_of(dialog: ProofDialog, name: str) -> str:
    pages = dialog.pages
    (at,) = (n for n in range(pages.count()) if pages.tabText(n) == name)
    page = pages.widget(at)
    assert isinstance(page, QPlainTextEdit)
    return page.toPlainText()


def test_what_comes_out_again_is_said_in_a_sentence(
    page: SessionPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.head.verify.click()
    assert not page.head.verify.isEnabled()
    dialog = dialog_of(window, qtbot)
    assert page.head.verify.isEnabled()
    assert not dialog.pages.count()
    told = [label.text() for label in dialog.findChildren(QLabel)]
    assert any("the same to the last bit" in text for text in told)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Close).click()
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))


def test_what_differs_is_named(
    page: SessionPage, window: MainWindow, qtbot: QtBot
) -> None:
    """The results of the sample are of its own making."""
    window.pages.sessions.open(window.pages.sessions.folder / "first.bayscope")
    qtbot.waitUntil(
        lambda: page.record is not None and page.record.path.stem == "first"
    )
    page.head.verify.click()
    dialog = dialog_of(window, qtbot)
    assert "Idle" in text_of(dialog, "What differs")
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(ProofDialog))
