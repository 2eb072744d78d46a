"""Passwords: from the environment or the desktop's keyring, never from a file.

Each is for a source at an address. A bench that names a source of the user's at another
address, as one that came by mail may, is not given what was meant for the first.
"""

import os
import re
from contextlib import suppress

from instruments.aside import begin
from instruments.errors import BenchError, SourceError
from instruments.kept import kept

SERVICE = "bayscope"
"""Name of the service under which passwords lie in the keyring."""

_UNLOCK_S = 30.0
"""Seconds in which somebody may unlock the keyring; where nobody sits, nobody does."""


def variable(source: str) -> str:
    """Name the environment variable for a source: BAYSCOPE_PASSWORD_BMC for "bmc"."""
    return f"BAYSCOPE_PASSWORD_{_name(source)}"


def address_variable(source: str) -> str:
    """Name the variable that says for which address the other one is."""
    return f"BAYSCOPE_ADDRESS_{_name(source)}"


def password(source: str, address: str) -> str:
    """Get the password (or community, or passphrase) of a source at an address.

    Args:
        source: Name of the source.
        address: Where it is sent and as whom, such as "ipmi://admin@192.0.2.20:623".

    Raises:
        BenchError: Neither the environment nor the keyring has one for this address.
    """
    found = _from_environment(source, address)
    if found:
        return found
    found, is_old = _from_keyring(source, address)
    if found:
        return found
    store = f"store one with 'bayscope password {source} --bench BENCH'"
    if os.environ.get(variable(source)):
        raise BenchError(
            f"the password in {variable(source)} is for {_bound(source)} and is not "
            f"sent to {address}",
            where=source,
            way_out=f"Is this address right, set {address_variable(source)} to it, or "
            f"{store}.",
        )
    if is_old:
        raise BenchError(
            "its password was saved by an earlier version, which kept no address with "
            f"it, so it is not sent to {address}",
            where=source,
            way_out=f"Is this address right, {store}.",
        )
    raise BenchError(
        f"it needs a password and none is known for {address}",
        where=source,
        way_out=f"Set the variable {variable(source)}, or {store} in the keyring of "
        "this desktop.",
    )


def source_password(source: str, address: str, where: str) -> str:
    """Get the password of a source that is being opened.

    Args:
        source: Name of the source.
        address: Where it is sent and as whom; see `password`.
        where: Source and address, for the error.

    Raises:
        SourceError: None is known.
    """
    try:
        return password(source, address)
    except BenchError as error:
        raise SourceError(error.what, where=where, way_out=error.way_out) from None


def password_or(source: str, address: str, where: str, otherwise: str) -> str:
    """Get the password of a source that can do without one; see `source_password`."""
    if os.environ.get(variable(source)) or has_password(source, address):
        return source_password(source, address, where)
    return otherwise


def check_address(name: str, address: str, where: str) -> None:
    """See that what is in the environment under a name of its own is for an address.

    Raises:
        BenchError: It was first used for another one, or is said to be for that.
    """
    if (bound := _bound(name, address)) != address:
        raise BenchError(
            f"what is known of {name} is for {bound} and is not used with {address}",
            where=where,
            way_out=f"Is this address right, set {address_variable(name)} to it.",
        )


def has_password(source: str, address: str) -> bool:
    """Tell whether a password is known for an address, without showing it."""
    is_given = bool(_from_environment(source, address))
    return is_given or bool(_from_keyring(source, address)[0])


def store_password(source: str, address: str, secret: str) -> None:
    """Put a password into the desktop's keyring, for one address.

    Raises:
        BenchError: This desktop has no keyring.
    """
    import keyring  # noqa: PLC0415  (looks for its backends when imported)
    from keyring.errors import KeyringError  # noqa: PLC0415

    try:
        keyring.set_password(SERVICE, _entry(source, address), secret)
        with suppress(KeyringError):  # Of an earlier version, for any address.
            keyring.delete_password(SERVICE, source)
    except KeyringError as error:
        raise BenchError(
            f"the password cannot be stored ({error})",
            where=source,
            way_out=f"Set the variable {variable(source)} before starting instead.",
        ) from error


def _name(source: str) -> str:
    return re.sub(r"\W", "_", source).upper()


def _entry(source: str, address: str) -> str:
    return f"{source} {address}"


def _from_environment(source: str, address: str) -> str:
    """Get the variable's password where it is for this address, else ""."""
    found = os.environ.get(variable(source), "")
    return found if found and _bound(source, address) == address else ""


def _bound(source: str, first: str = "") -> str:
    """Get the address that the variable of a source is for.

    That is what its other variable says, else the one that it was first used for.
    """
    if told := os.environ.get(address_variable(source)):
        return told
    try:
        return kept(f"address-of-{_name(source)}", first.encode).decode()
    except (OSError, ValueError):  # Nothing can be kept here.
        return first


def _from_keyring(source: str, address: str) -> tuple[str, bool]:
    """Ask the keyring, which may ask the user first.

    Returns:
        The password for the address, "" for none; and whether there is one of an
        earlier version, which kept none with an address.
    """
    asking = begin(lambda: _ask_keyring(source, address), "keyring")
    try:
        return asking.result(_UNLOCK_S)
    except Exception:  # noqa: BLE001  (each backend raises errors of its own)
        return "", False


def _ask_keyring(source: str, address: str) -> tuple[str, bool]:
    import keyring  # noqa: PLC0415

    found = keyring.get_password(SERVICE, _entry(source, address)) or ""
    return found, not found and bool(keyring.get_password(SERVICE, source))
