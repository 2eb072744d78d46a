"""The real load on this machine, as rates: what the simulated drives seem to do."""

from dataclasses import dataclass
from pathlib import Path

from instruments.host.diskstats import (
    Device,
    Transfers,
    device_beneath,
    disk_transfers,
    process_transfers,
    whole_disks,
)


@dataclass(frozen=True, slots=True)
class Rates:
    """Transfers per second.

    Attributes:
        read_iops: Reads in 1/s.
        write_iops: Writes in 1/s.
        read_bps: Bytes read in B/s.
        write_bps: Bytes written in B/s.
    """

    read_iops: float = 0.0
    write_iops: float = 0.0
    read_bps: float = 0.0
    write_bps: float = 0.0

    def towards(self, newer: "Rates", share: float) -> "Rates":
        """Get the rates moved by a share of the way to newer ones."""
        return Rates(
            self.read_iops + (newer.read_iops - self.read_iops) * share,
            self.write_iops + (newer.write_iops - self.write_iops) * share,
            self.read_bps + (newer.read_bps - self.read_bps) * share,
            self.write_bps + (newer.write_bps - self.write_bps) * share,
        )


class LoadReader:
    """Watches the device beneath a target.

    Where the target lies on no one device (tmpfs, overlay), all whole disks are
    watched, and what fio says it transfers; the greater of the two counts.

    Args:
        target: The scratch file or device; None watches all disks.
        proc: Where the kernel's counts are.
    """

    def __init__(
        self, target: Path | None = None, *, proc: Path = Path("/proc")
    ) -> None:
        self._proc = proc
        self._device = device_beneath(target) if target is not None else None
        self._disks: frozenset[Device] = (
            whole_disks() if self._device is None else frozenset({self._device})
        )
        self._by_disk = self._read_disks()
        self._by_process = self._read_processes()

    @property
    def watched(self) -> str:
        """What is watched, such as "device 254:0"."""
        if self._device is None:
            return f"{len(self._disks)} disks and every fio"
        return f"device {self._device[0]}:{self._device[1]}"

    def transfers(self) -> Transfers:
        """Take what was transferred since the last call."""
        disks, before = self._read_disks(), self._by_disk
        self._by_disk = disks
        moved = Transfers()
        for device, now in disks.items():
            # A device that is new counts from now on.
            moved += now.since(before.get(device, now))
        # On tmpfs or overlay no disk moves, though fio is at work.
        if self._device is None:
            processes, earlier = self._read_processes(), self._by_process
            self._by_process = processes
            called = Transfers()
            for process, now in processes.items():
                called += now.since(earlier.get(process, Transfers()))
            moved = moved.at_least(called)
        return moved

    def rates(self, seconds: float) -> Rates:
        """Take the rates since the last call, which was `seconds` ago."""
        moved = self.transfers()
        return Rates(
            moved.reads / seconds,
            moved.writes / seconds,
            moved.read_bytes / seconds,
            moved.written_bytes / seconds,
        )

    def _read_disks(self) -> dict[Device, Transfers]:
        every = disk_transfers(self._proc)
        return {device: every[device] for device in self._disks if device in every}

    def _read_processes(self) -> dict[int, Transfers]:
        if self._device is not None:
            return {}
        return process_transfers("fio", self._proc)
