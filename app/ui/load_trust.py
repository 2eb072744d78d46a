"""The question whether an unknown host key is that of the right machine."""

from PySide6.QtWidgets import QWidget

from app.ui.icons import Icons
from app.ui.messages import ask
from instruments.errors import BenchError


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
        f"{key.where} shows a key that is not known: {key.what}. Compare it with "
        "the one that ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub prints "
        "on the machine itself. Only if they are the same it is the right machine.",
        yes="They are the same",
        no="Do not trust it",
        parent=parent,
    )
