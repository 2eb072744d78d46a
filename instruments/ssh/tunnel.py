"""A way through SSH to a server that only another machine itself can reach."""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncssh

from instruments.errors import BenchError, plain_words
from instruments.ssh.connection import LOOP, Connection
from instruments.ssh.target import Target


@contextmanager
def tunnel(
    target: Target, there: str | int, here: str = "127.0.0.1"
) -> Iterator[tuple[str, int]]:
    """Open a local port that leads to a server on another machine.

    It has its own connection, so that what goes through it ends with it.

    Args:
        target: The account there.
        there: Path of the server's Unix socket, or its port on that machine's
            loopback.
        here: The local address to listen on, one of 127.0.0.0/8.

    Yields:
        The local address and port.

    Raises:
        BenchError: The machine cannot be reached, or allows no tunnels.
    """
    connection = Connection(target)
    try:
        yield here, LOOP.submit(_listen(connection, there, here)).result()
    finally:
        LOOP.submit(connection.close()).result()


async def _listen(shared: Connection, there: str | int, here: str) -> int:
    connection = await shared.get()
    try:
        # Port 0: any that is free.
        if isinstance(there, str):
            listener = await connection.forward_local_port_to_path(here, 0, there)
        else:
            listener = await connection.forward_local_port(here, 0, "127.0.0.1", there)
    except (OSError, asyncssh.Error) as error:
        raise BenchError(
            f"a tunnel to it cannot be opened ({plain_words(error)})",
            where=str(shared.target),
            way_out="Check whether its SSH server allows AllowTcpForwarding and "
            "AllowStreamLocalForwarding.",
        ) from error
    return listener.get_port()
