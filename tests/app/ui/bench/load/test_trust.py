"""The question about a host key names the file with a key of the same algorithm."""

import asyncssh
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.bench.load import dialog as load_dialog
from app.ui.bench.load.dialog import ask_trust
from app.ui.kit.icons import Icons
from instruments.ssh.trust import Offered, UnknownKey


@pytest.mark.parametrize(
    ("algorithm", "file"),
    [
        ("ssh-ed25519", "ssh_host_ed25519_key.pub"),
        ("ecdsa-sha2-nistp256", "ssh_host_ecdsa_key.pub"),
        ("sk-ssh-ed25519@openssh.com", "ssh_host_*_key.pub"),
    ],
)
def test_the_file_to_compare_with_is_named(
    qtbot: QtBot,
    icons: Icons,
    monkeypatch: pytest.MonkeyPatch,
    algorithm: str,
    file: str,
) -> None:
    asked: list[str] = []

    def ask(_icons: Icons, _title: str, text: str, **_: object) -> bool:
        asked.append(text)
        return False

    monkeypatch.setattr(load_dialog, "ask", ask)
    own = asyncssh.generate_private_key("ssh-ed25519")
    key = UnknownKey("a.lab", "scan", Offered("a.lab", "10.0.0.1", 22, own), "known")
    key.line = key.line.replace("ssh-ed25519", algorithm)
    parent = QWidget()
    qtbot.addWidget(parent)
    assert not ask_trust(icons, key, parent)
    [text] = asked
    assert f"/etc/ssh/{file} prints" in text
    assert text.startswith(f"a.lab: its host key {key.fingerprint} is not known. ")
