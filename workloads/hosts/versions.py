"""Whether the fio of all load hosts is of one release, said before the start."""

from collections.abc import Mapping

from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import Host

_TIMEOUT_S = 15.0


def fio_version(host: Host) -> str:
    """Ask a host for the version of its fio, such as "fio-3.33"; raises BenchError."""
    done = host.run(["fio", "--version"], _TIMEOUT_S)
    version = done.stdout.strip()
    if done.code or not version.startswith("fio-"):
        output = " ".join((done.stderr.strip() or version or "nothing").split()[:12])
        raise BenchError(
            f"fio does not report its version there (it printed: {output})",
            where=str(host),
            way_out="Install fio 3.33 or later, on Debian with: apt install fio",
        )
    return version


def same_version(versions: Mapping[str, str]) -> None:
    """Check that the fio of all hosts is of one release.

    The messages of fio's client and servers are coupled to a protocol number
    (97 in 3.33, 101 in 3.36, 111 in 3.40) and anything else is refused in mid run;
    results of different releases should not be summed either.

    Args:
        versions: Versions by host; "" is this machine.

    Raises:
        BadInput: They differ; names all.
    """
    if len({_release(version) for version in versions.values()}) < 2:
        return
    listed = ", ".join(
        f"{version} on {name or 'this machine'}" for name, version in versions.items()
    )
    raise BadInput(
        f"the hosts have different versions of fio: {listed}",
        where="[load]",
        way_out="Install the same release of fio on all of them.",
    )


def _release(version: str) -> str:
    return version.removeprefix("fio-").split("-")[0]
