"""The key by which recordings of this user on this computer are known again."""

import hmac
import secrets
from contextlib import suppress
from pathlib import Path

from instruments.files.kept import read_or_make

KEY_NAME = "session.key"
"""Name of its file beside the settings."""

# As long as the SHA-256 that the key makes an HMAC with.
_BYTES = 32
_MACHINE = Path("/etc/machine-id")
"""Homes may be shared by computers; what one of them has mounted is not."""


def own_key() -> bytes:
    """Get the key, made when it is first needed; b"" where none can be kept."""
    try:
        key = read_or_make(KEY_NAME, lambda: secrets.token_bytes(_BYTES))
    except OSError:
        return b""
    machine = b""
    with suppress(OSError):
        machine = _MACHINE.read_bytes().strip()
    return hmac.digest(key, machine, "sha256") if len(key) == _BYTES else b""
