"""The question whether an unknown host key is that of the right machine."""

from PySide6.QtWidgets import QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.messages import ask
from instruments.errors import BenchError

_KINDS = {"ssh-ed25519": "ed25519", "ssh-rsa": "rsa", "ecdsa-sha2-": "ecdsa"}
"""What a file of sshd's keys is called, by how the algorithm of its key begins."""


def ask_trust(icons: Icons, key: BenchError, parent: QWidget) -> bool:
    """Show a host key with its fingerprint; tell whether a person trusts it.

    Args:
        icons: Icons of the theme.
        key: The error that the key made.
        parent: The window that waits.
    """
    return ask(
        icons,
        "Trust a host key",
        f"{key.where}: {key.what}. Compare it with the one that "
        f"ssh-keygen -l -f {_file_of(key)} prints on the machine itself. Only if they "
        "are the same it is the right machine.",
        yes="They are the same",
        no="Do not trust it",
        parent=parent,
    )


def _file_of(key: BenchError) -> str:
    """Name the file on the machine that has a key of the same algorithm."""
    from instruments.ssh.trust import UnknownKey  # noqa: PLC0415  (loads asyncssh)

    words = key.line.split() if isinstance(key, UnknownKey) else []
    algorithm = words[1] if len(words) > 1 else ""
    kinds = [kind for begin, kind in _KINDS.items() if algorithm.startswith(begin)]
    return f"/etc/ssh/ssh_host_{kinds[0] if kinds else '*'}_key.pub"
