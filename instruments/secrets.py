"""Passwords: from the environment or the desktop's keyring, never from a file."""

import os
import re

from instruments.aside import begin
from instruments.errors import BenchError, SourceError

SERVICE = "bayscope"
"""Name of the service under which passwords lie in the keyring."""

_UNLOCK_S = 30.0
"""Seconds in which somebody may unlock the keyring; where nobody sits, nobody does."""


def variable(source: str) -> str:
    """Name the environment variable for a source: BAYSCOPE_PASSWORD_BMC for "bmc"."""
    return "BAYSCOPE_PASSWORD_" + re.sub(r"\W", "_", source).upper()


def password(source: str) -> str:
    """Get the password (or community, or passphrase) of a source.

    Raises:
        BenchError: Neither the environment nor the keyring has one.
    """
    found = os.environ.get(variable(source)) or _from_keyring(source)
    if not found:
        raise BenchError(
            "it needs a password and none is known",
            where=source,
            way_out=f"Set the variable {variable(source)}, or store one in the "
            f"keyring of this desktop with 'bayscope password {source}'.",
        )
    return found


def source_password(source: str, where: str) -> str:
    """Get the password of a source that is being opened.

    Args:
        source: Name of the source.
        where: Source and address, for the error.

    Raises:
        SourceError: None is known.
    """
    try:
        return password(source)
    except BenchError as error:
        raise SourceError(error.what, where=where, way_out=error.way_out) from None


def has_password(source: str) -> bool:
    """Tell whether a password is known, without showing it."""
    return bool(os.environ.get(variable(source)) or _from_keyring(source))


def store_password(source: str, secret: str) -> None:
    """Put a password into the desktop's keyring.

    Raises:
        BenchError: This desktop has no keyring.
    """
    import keyring  # noqa: PLC0415  (looks for its backends when imported)
    from keyring.errors import KeyringError  # noqa: PLC0415

    try:
        keyring.set_password(SERVICE, source, secret)
    except KeyringError as error:
        raise BenchError(
            f"the password cannot be stored ({error})",
            where=source,
            way_out=f"Set the variable {variable(source)} before starting instead.",
        ) from error


def _from_keyring(source: str) -> str:
    """Ask the keyring, which may ask the user first; "" where it tells none."""
    asking = begin(lambda: _ask_keyring(source), "keyring")
    try:
        return asking.result(_UNLOCK_S)
    except Exception:  # noqa: BLE001  (each backend raises errors of its own)
        return ""


def _ask_keyring(source: str) -> str:
    import keyring  # noqa: PLC0415

    return keyring.get_password(SERVICE, source) or ""
