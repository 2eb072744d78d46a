"""Notices a drive that was exchanged under its node while a source asks it.

The kernel knows who a drive is from the moment it found it, so that no drive is asked.
A source whose tool gives no serial number with each answer would go on with another
drive under the same name.
"""

from collections.abc import Iterable

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.tools.command_errors import errors_of
from instruments.tools.hosts import Host

# Who a drive is as the kernel read it when it was found, with no question since.
_SCSI = "/sys/block/{}/device/wwid"
_NVME = "/sys/class/nvme/{}/serial"


class SameDrives:
    """The drives as they were when a source was opened.

    Args:
        source: Name of the source, for errors.
        host: The machine they are in.
        nodes: Their nodes, such as "/dev/sda" or "/dev/nvme0".

    Raises:
        SourceError: The machine cannot be reached.
    """

    def __init__(self, source: str, host: Host, nodes: Iterable[str]) -> None:
        self._source = source
        self._host = host
        self._files = {node: _file_of(node) for node in nodes}
        self._known = self._look()

    def check(self) -> None:
        """Check that all are still the same; one that is gone is not another one.

        Raises:
            SourceError: Another drive is there, with the status "absent"; or the
                machine cannot be reached.
        """
        now = self._look()
        for node, file in self._files.items():
            before, after = self._known[file], now[file]
            if before and after and before != after:
                raise SourceError(
                    f"the drive {after} is there now, not {before}",
                    where=f"{self._source} ({node})",
                    way_out="The drives are listed again.",
                    status=Status.ABSENT,
                )

    def _look(self) -> dict[str, str]:
        with errors_of(self._source):
            texts = self._host.read_many(self._files.values())
        return {file: (text or "").strip() for file, text in texts.items()}


def _file_of(node: str) -> str:
    """Name the file in which the kernel identifies a drive."""
    name = node.rpartition("/")[2]
    return (_NVME if name.startswith("nvme") else _SCSI).format(name)
