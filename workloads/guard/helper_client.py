"""Reach disks as a plain user: every request goes to the privileged helper."""

import fcntl
import os
import shutil
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from instruments.errors import BadInput, BenchError, plain_words
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.closing import Closing
from instruments.tools.command import Running, run, start
from instruments.tools.hosts import LocalHost
from workloads.fio_job import FioJob
from workloads.guard.device import Device
from workloads.guard.disk import Disk, DiskIdentity, Findings, Signature
from workloads.guard.helper_request import request_line
from workloads.guard.nodes import find_disk

HELPER = "/usr/local/lib/bayscope/bayscope-helper"
"""Where `packaging/helper/install.py` puts it; only root can change it there."""

ASKING = "pkexec"
"""The program that asks for a password before it starts the helper."""


def helper_command() -> list[str]:
    """Get the command that starts the helper as root.

    A sudo rule needs no question; else pkexec asks for a password in the window.

    Raises:
        BenchError: The helper is not installed, or there is no way to start it.
    """
    if not Path(HELPER).exists():
        raise BenchError(
            "disks can only be reached as root, and the helper is not installed",
            where=HELPER,
            way_out="Install it once with: sudo python3 packaging/helper/install.py",
        )
    if os.geteuid() == 0:
        return [HELPER]
    if shutil.which("sudo") and run(["sudo", "-n", "-l", HELPER], 10).code == 0:
        return ["sudo", "-n", HELPER]
    if shutil.which(ASKING):
        return [ASKING, HELPER]
    raise BenchError(
        "neither a sudo rule nor pkexec starts the helper",
        where=HELPER,
        way_out="Install pkexec, or add the rule of docs/target-guard.md.",
    )


def can_ask() -> bool:
    """Tell whether the helper is needed, and there."""
    return os.geteuid() != 0 and Path(HELPER).exists()


class HelperProcess(Closing):
    """A helper that serves one request; a signal to it becomes a word it is told.

    Root's processes take no signals from others, so its standard input stays open:
    "stop" or its end lets the helper end fio with INT, TERM and KILL.
    """

    def __init__(
        self, request: Mapping[str, object], command: Sequence[str] | None = None
    ) -> None:
        line = request_line(request)
        argv = list(command) if command else helper_command()
        reading, self._told = os.pipe()
        with suppress(OSError):  # What does not fit waits for the helper to read it.
            fcntl.fcntl(self._told, fcntl.F_SETPIPE_SZ, max(65_536, len(line)))
        try:
            self._process: Running = start(argv, tied=False, stdin=reading)
        except BaseException:
            os.close(self._told)
            raise
        finally:
            os.close(reading)
        self._tell(line)

    @property
    def pid(self) -> int:
        """Get the process id of what was started."""
        return self._process.pid

    @property
    def stdout(self) -> IO[bytes]:
        """Get what the helper prints."""
        return self._process.stdout

    def stderr_text(self) -> str:
        """Get what it has complained about so far."""
        return self._process.stderr_text()

    def send_signal(self, number: signal.Signals) -> None:
        """Tell the helper to end fio; KILL ends it by closing its input."""
        if number is signal.SIGKILL:
            self._close_input()
        else:
            self._tell(b"stop\n")

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end; see `Started`."""
        return self._process.wait(timeout)

    def close(self) -> None:
        """Let the helper end what it runs, and let go of it."""
        self._close_input()
        self._process.wait(20)
        self._process.close()

    def _tell(self, text: bytes) -> None:
        with suppress(OSError):  # it has ended
            while text:
                text = text[os.write(self._told, text) :]

    def _close_input(self) -> None:
        if self._told >= 0:
            os.close(self._told)
            self._told = -1


def ask(
    verb: str, facts: Mapping[str, object], command: Sequence[str] | None = None
) -> Any:
    """Ask the helper something that it answers at once.

    Raises:
        BenchError: It refuses, or cannot be started.
    """
    with HelperProcess({"verb": verb, **facts}, command) as helper:
        answer = helper.stdout.read()
        code = helper.wait(90)
        complaint = helper.stderr_text()
    if code == 0:
        try:
            return parsed_json(answer)
        except ValueError:
            complaint = "it gave no answer"
    raise refusal(complaint)


def refusal(complaint: str) -> BenchError:
    """Make what the helper complained about an error of ours."""
    for line in complaint.splitlines():
        try:
            found = parsed_json(line)["error"]
            return BadInput(
                str(found["what"]),
                where=str(found["where"]),
                way_out=str(found["way_out"]),
            )
        except MISSHAPEN:
            continue
    last = complaint.strip().splitlines()[-1:] or ["it printed no message"]
    return BenchError(
        f"the helper failed ({last[0][:200]})",
        where=HELPER,
        way_out="See docs/target-guard.md.",
    )


def inspect(path: str, command: Sequence[str] | None = None) -> Findings:
    """Have the helper look at a disk; see `look`."""
    disk = find_disk(LocalHost(), path)
    answer = ask("inspect", {"identity": asdict(disk.identity)}, command)
    with _fitting():
        return findings_of(answer)


def seen_by_helper(
    command: Sequence[str] | None = None,
) -> list[tuple[Disk, Findings | BenchError]]:
    """Have the helper look at every disk; see `look_at_all`."""
    rows = ask("targets", {}, command)
    with _fitting():
        return [
            (
                disk_of(row["disk"]),
                findings_of(row["found"])
                if row["found"]
                else BenchError(str(row["trouble"])),
            )
            for row in rows
        ]


@contextmanager
def _fitting() -> Iterator[None]:
    """Make an answer of another form, as of an older helper, a sentence."""
    try:
        yield
    except MISSHAPEN as error:
        raise BenchError(
            f"the helper's answer does not fit ({plain_words(error)})",
            where=HELPER,
            way_out="Install the helper of this version: see docs/target-guard.md.",
        ) from error


def findings_of(answer: Mapping[str, Any]) -> Findings:
    """Read findings from what the helper wrote."""
    signatures = tuple(Signature(**one) for one in answer["signatures"])
    rest: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in answer.items()
        if key not in ("disk", "signatures")
    }
    return Findings(disk=disk_of(answer["disk"]), signatures=signatures, **rest)


def disk_of(answer: Mapping[str, Any]) -> Disk:
    """Read a disk from what the helper wrote."""
    rest: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in answer.items()
        if key != "identity"
    }
    return Disk(identity=DiskIdentity(**answer["identity"]), **rest)


def fio_request(job: FioJob, devices: Sequence[Device]) -> dict[str, object]:
    """Write the request that has a job run by the helper on its disks."""
    return {
        "verb": "fio",
        "disks": [disk_request(device) for device in devices],
        "together": job.together,
        "options": dict(job.options),
        "direct": job.direct,
        "size": job.size,
        "runtime_ms": round(job.runtime_s * 1000),
        "ramp_ms": round(job.ramp_s * 1000),
    }


def disk_request(device: Device) -> dict[str, object]:
    """Write what the helper is told of a disk: what it is, and never a path to it."""
    armed = device.armed
    return {
        "identity": asdict(device.disk.identity),
        "word": device.disk.word if armed else "",
        "overwrite": list(armed.overruled) if armed else [],
    }
