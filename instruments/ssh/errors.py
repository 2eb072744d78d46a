"""Why a machine could not be reached over SSH, in sentences."""

import os

import asyncssh

from instruments.errors import BadInput, BenchError
from instruments.ssh.target import Target
from instruments.ssh.trust import Offered, distrust

CONNECT_S = 10.0
"""Seconds that a connection may take until it can be used."""


def explain(
    error: Exception,
    target: Target,
    known: asyncssh.SSHKnownHosts,
    offered: list[Offered],
) -> BenchError:
    """Say why a connection could not be made, and what to do.

    Args:
        error: What asyncssh or the system raised.
        target: Where to.
        known: The known host keys.
        offered: Host keys that were not among them.
    """
    place = str(target)
    port = f"-p {target.port} " if target.port else ""
    user = f"{target.user}@" if target.user else ""
    match error:
        case asyncssh.HostKeyNotVerifiable() if offered:
            return distrust(known, offered[0], place, target.known_hosts)
        case asyncssh.PermissionDenied():
            what = "it refused the login, or the key"
            way_out = f"Run: ssh-copy-id {port}{user}{target.address}"
        case asyncssh.KeyImportError() if "assphrase" in str(error):
            what = f"the key {target.key} has a passphrase"
            way_out = f"Leave key out and hand it to the agent: ssh-add {target.key}"
        case asyncssh.KeyImportError() | FileNotFoundError() if target.key:
            return BadInput(
                f"the key {target.key} cannot be read ({error})",
                where=place,
                way_out="Give the file of a private key, or leave key out.",
            )
        case TimeoutError():
            what = f"it did not answer within {CONNECT_S:g} s"
            way_out = "See whether it is switched on and reachable."
        case OSError():
            number = error.errno or 0
            reason = os.strerror(number) if number > 0 else error.strerror
            what = f"it cannot be reached ({reason or error})"
            way_out = "See whether the address is right and sshd runs there."
        case _:
            what = f"the connection was refused or lost ({error})"
            way_out = f"See whether this works: ssh {port}{user}{target.address}"
    return BenchError(what, where=place, way_out=way_out)
