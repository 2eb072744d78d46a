"""Passwords: from the environment or the desktop's keyring, never from a file.

Each is for a source at an address. A bench that names a source of the user's at another
address, as one that came by mail may, is not given what was meant for the first.
"""

import os
import re
from contextlib import suppress

from instruments.errors import BenchError, SourceError
from instruments.files.kept import kept_path, read_or_make
from instruments.tools.detached import begin

SERVICE = "bayscope"
"""Name of the service under which passwords lie in the keyring."""

_UNLOCK_S = 30.0
"""Seconds in which somebody may unlock the keyring; where nobody sits, nobody does."""


class NeverUsedError(BenchError):
    """What is in the environment is for no address yet, and is not used by a look."""


def variable(source: str) -> str:
    """Name the environment variable for a source: BAYSCOPE_PASSWORD_BMC for "bmc"."""
    return f"BAYSCOPE_PASSWORD_{_name(source)}"


def address_variable(source: str) -> str:
    """Name the variable that says for which address the other one is."""
    return f"BAYSCOPE_ADDRESS_{_name(source)}"


def password(source: str, address: str) -> str:
    """Get the password (or community, or passphrase) of a source at an address.

    Only for sending it there: a variable is for the address that it is first got for.

    Args:
        source: Name of the source.
        address: Where it is sent and as whom, such as "ipmi://admin@192.0.2.20:623".

    Raises:
        BenchError: Neither the environment nor the keyring has one for this address,
            or it cannot be kept which address the variable is for.
    """
    # The environment wins over the keyring: it is set for this one start.
    in_environment = os.environ.get(variable(source), "")
    bound = _bound(source, address) if in_environment else ""
    if in_environment and bound == address:
        return in_environment
    in_keyring, is_old = _from_keyring(source, address)
    if in_keyring:
        return in_keyring
    store = (
        "store one with Password... on the Bench page, or in a terminal with "
        f"'bayscope password {source} --bench BENCH'"
    )
    if in_environment:
        raise BenchError(
            f"the password in {variable(source)} is for {bound} and is not sent to "
            f"{address}",
            where=source,
            way_out=f"If this address is right, set {address_variable(source)} to "
            f"it, or {store}.",
        )
    if is_old:
        raise BenchError(
            "its password was saved by an earlier version, which kept no address with "
            f"it, so it is not sent to {address}",
            where=source,
            way_out=f"If this address is right, {store}.",
        )
    raise BenchError(
        f"it needs a password and none is known for {address}",
        where=source,
        way_out=f"Set the variable {variable(source)}, or {store}; it is kept in "
        "the keyring of this desktop.",
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


def check_address(name: str, address: str, where: str, *, is_use: bool = True) -> None:
    """Check that what is in the environment under its own name is for an address.

    Args:
        name: The name.
        address: Where it is sent.
        where: For the error.
        is_use: Whether a person began what it is used for: the first use decides.

    Raises:
        NeverUsedError: It was never used, and is not now.
        BenchError: It was first used for another one, or is said to be for that; or
            that cannot be kept.
    """
    bound = _bound(name, address if is_use else "")
    if not bound:
        raise NeverUsedError(
            f"the credentials of {name} were never used with {address}",
            where=where,
            way_out="It will be when a run is started, or set "
            f"{address_variable(name)} to that address.",
        )
    if bound != address:
        raise BenchError(
            f"the credentials of {name} are for {bound}, and are not used with "
            f"{address}",
            where=where,
            way_out=f"If this address is right, set {address_variable(name)} to it.",
        )


def has_password(source: str, address: str) -> bool:
    """Tell whether a password is known for an address, without using it."""
    is_given = bool(os.environ.get(variable(source)))
    with suppress(BenchError):
        if is_given and _bound(source) in ("", address):
            return True
    return bool(_from_keyring(source, address)[0])


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


def _bound(source: str, first: str = "") -> str:
    """Get the address that the variable of a source is for.

    That is what its other variable says, else the one that it was first used for.

    Args:
        source: Name of the source.
        first: For this one it is used now; "" where it only is looked at.

    Returns:
        The address, "" for a variable that was never used.

    Raises:
        BenchError: It cannot be read or kept which one that is.
    """
    if address := os.environ.get(address_variable(source)):
        return address
    name = f"address-of-{_name(source)}"
    try:
        if first:
            return read_or_make(name, first.encode).decode()
        path = kept_path(name)
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "the file is damaged"
        raise BenchError(
            f"which address its password is for cannot be kept in {kept_path(name)} "
            f"({why}), so it is sent to none",
            where=source,
            way_out=f"Set {address_variable(source)} to that address, or let this "
            "folder be written.",
        ) from error


def _from_keyring(source: str, address: str) -> tuple[str, bool]:
    """Ask the keyring, which may ask the user first.

    Returns:
        The password for the address, "" for none; and whether there is one of an
        earlier version, which kept none with an address.
    """
    # Detached: a locked keyring may open a dialog that nobody is there to answer.
    asking = begin(lambda: _ask_keyring(source, address), "keyring")
    try:
        return asking.result(_UNLOCK_S)
    except Exception:  # noqa: BLE001  (each backend raises its own errors)
        return "", False


def _ask_keyring(source: str, address: str) -> tuple[str, bool]:
    import keyring  # noqa: PLC0415

    secret = keyring.get_password(SERVICE, _entry(source, address)) or ""
    return secret, not secret and bool(keyring.get_password(SERVICE, source))
