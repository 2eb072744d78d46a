"""The logs of a fio on a load host, brought here when it has ended."""

import io
import os
import select
import tarfile
import time
import zlib

from instruments.errors import BenchError
from instruments.tools.started import Started
from workloads.hosts.host_logs import HostLogs, read_logs
from workloads.hosts.site import Site

_PACK = 'for log in *.log; do [ -e "$log" ] && exec tar -czf - -- *.log; done; exit 0'
_WAIT_S = 120.0
"""Seconds for all logs of a host; even their largest come in some ten."""

_MOST = 1 << 30
"""Bytes of all logs of a host, unpacked; `with_logs` keeps them far below."""


def fetch_logs(site: Site) -> HostLogs | None:
    """Bring the logs of a host here and read them; None where it has none.

    Raises:
        BenchError: They cannot be had.
    """
    where = str(site.place.host)
    with site.start(["sh", "-c", _PACK]) as process:
        packed = _read(process, where)
        if process.wait(5.0) != 0:
            said = process.stderr_text().strip()[-200:]
            raise BenchError(
                f"its fine logs cannot be had ({said or 'nothing was said'})",
                where=where,
                way_out="See whether tar and gzip are installed there.",
            )
    if not packed:
        return None
    try:
        files = _unpacked(packed)
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
        raise BenchError(f"its fine logs came damaged ({error})", where=where) from None
    return read_logs(files, site.name, site.job)


def _read(process: Started, where: str) -> bytes:
    """Read all that it prints, which has to come in time."""
    packed, until = bytearray(), time.monotonic() + _WAIT_S
    handle = process.stdout.fileno()
    while len(packed) <= _MOST:
        left = max(0.0, until - time.monotonic())
        if not select.select([handle], [], [], left)[0]:
            raise BenchError(
                f"its fine logs did not come within {_WAIT_S:.0f} s",
                where=where,
                way_out="See whether tar hangs there, and how fast the network is.",
            )
        chunk = os.read(handle, 1 << 16)
        if not chunk:
            return bytes(packed)
        packed += chunk
    raise BenchError(f"its fine logs are of more than {_MOST >> 20} MiB", where=where)


def _unpacked(packed: bytes) -> dict[str, bytes]:
    """Unpack the logs; raises ValueError and what damaged archives raise."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
        left = _MOST
        for one in tar:
            left -= one.size
            if left < 0:
                raise ValueError(f"more than {_MOST >> 20} MiB")
            content = tar.extractfile(one) if one.isreg() else None
            if content is not None:
                files[one.name] = content.read()
    return files
