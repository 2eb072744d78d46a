"""The logs of a fio on a load host, brought here when it has ended."""

import io
import tarfile

from instruments.errors import BenchError
from workloads.hosts.host_logs import HostLogs, read_logs
from workloads.hosts.site import Site

_PACK = "tar -czf - -- *.log"


def fetch_logs(site: Site) -> HostLogs | None:
    """Bring the logs of a host here and read them; None where it has none.

    Raises:
        BenchError: They cannot be had.
    """
    with site.start(["sh", "-c", _PACK]) as process:
        packed = process.stdout.read()
        if process.wait(5.0) != 0:
            said = process.stderr_text().strip()[-200:]
            raise BenchError(
                f"its fine logs cannot be had ({said or 'nothing was said'})",
                where=str(site.place.host),
                way_out="See whether tar and gzip are installed there.",
            )
    try:
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            files = {
                one.name: content.read()
                for one in tar.getmembers()
                if (content := tar.extractfile(one)) is not None
            }
    except (tarfile.TarError, EOFError, OSError) as error:
        raise BenchError(
            f"its fine logs came damaged ({error})", where=str(site.place.host)
        ) from error
    return read_logs(files, site.name, site.job)
