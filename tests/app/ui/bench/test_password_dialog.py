"""Passwords go to the keyring, are never shown, and a missing keyring is said."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.ui.bench.password_dialog import PasswordDialog
from app.ui.kit.background import Background
from instruments.tools.secrets import has_password

ADDRESS = "ipmi://admin@192.0.2.9:623"


class Memory(KeyringBackend):
    """A keyring that lasts as long as the test."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture
def memory() -> Iterator[Memory]:
    before, found = keyring.get_keyring(), Memory()
    keyring.set_keyring(found)
    yield found
    keyring.set_keyring(before)


@pytest.fixture
def dialog(qtbot: QtBot, background: Background) -> PasswordDialog:
    found = PasswordDialog("bmc", ADDRESS, "password of the BMC's user", background)
    qtbot.addWidget(found)
    found.show()
    return found


def test_a_password_is_kept_and_forgotten_here(
    memory: Memory, dialog: PasswordDialog, qtbot: QtBot
) -> None:
    assert dialog.field.echoMode() == QLineEdit.EchoMode.Password
    dialog.accept()
    assert "missing" in dialog.error.text()
    dialog.field.setText("s3cret")
    with qtbot.waitSignal(dialog.accepted):
        dialog.accept()
    assert has_password("bmc", ADDRESS)
    assert not has_password("bmc", "ipmi://admin@192.0.2.99:623")
    assert memory.kept == {("bayscope", f"bmc {ADDRESS}"): "s3cret"}
    assert dialog.field.text() == ""


def test_without_a_keyring_it_says_what_to_do(
    memory: Memory, dialog: PasswordDialog, qtbot: QtBot
) -> None:
    keyring.set_keyring(fail.Keyring())
    dialog.field.setText("s3cret")
    dialog.accept()
    qtbot.waitUntil(dialog.error.isVisible)
    assert "no keyring" in dialog.error.text()
    assert "BAYSCOPE_PASSWORD_BMC" in dialog.error.text()
    assert "s3cret" not in dialog.error.text()
    assert dialog.isVisible()
