"""Set-up steps as a plain user: the privileged helper makes and takes back."""

import base64
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from instruments.errors import Aborted, BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from workloads.base import Artefact
from workloads.guard.device import Device
from workloads.guard.helper_client import HelperProcess, ask, disk_request, refusal
from workloads.setup.job import FileSystem, ZpoolJob
from workloads.setup.made import PENDING, Made
from workloads.setup.make import Evidence, Terms

_GRACE_S = 30.0
_IN_ORDER = (2, 3, 4)
"""Exit codes of a helper that says why it made nothing."""


class HelperHands:
    """Has the helper make it, which checks and holds the disks itself.

    Args:
        command: How the helper is started; the installed one where it is None.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command
        self._refused: list[Made] = []

    def file_system(self, device: Device, wanted: FileSystem, terms: Terms) -> Evidence:
        """Have a file system made; see `make_file_system`."""
        what = {"type": wanted.kind, "options": wanted.options, "mount": wanted.place}
        request = {"verb": "mkfs", "disks": [disk_request(device)], **what}
        number = device.disk.identity.number
        made = Made("mount", wanted.place, PENDING, number)
        return self._make(request, terms, made if wanted.place else None)

    def pool(self, devices: Sequence[Device], job: ZpoolJob, terms: Terms) -> Evidence:
        """Have a pool created; see `make_pool`."""
        found = [disk_request(device) for device in devices]
        request = {"verb": "zpool", "disks": found, "options": dict(job.options)}
        return self._make(request, terms, Made("pool", job.name, PENDING))

    def undo(self, made: Made) -> str:
        """Have it taken back; the helper knows what it made."""
        if made in self._refused:
            return f"{made.name} was not made"
        return str(ask("undo", {"made": asdict(made)}, self._command))

    def _make(
        self, request: Mapping[str, object], terms: Terms, made: Made | None
    ) -> Evidence:
        terms.budget.check()
        if terms.stop.is_set():
            raise Aborted("the step was stopped")
        facts = {
            **request,
            "owner": terms.owner,
            "timeout_ms": round(terms.left_s * 1000),
        }
        if made is not None:  # Where both of us are killed, a resumption asks for it.
            with terms.noting(made):
                pass
        with HelperProcess(facts, self._command) as helper:
            code, deadline = None, terms.until + _GRACE_S
            while code is None and time.monotonic() < deadline:
                code = helper.wait(0.1)
                if terms.stop.is_set():
                    helper.send_signal(signal.SIGINT)
                    code = helper.wait(_GRACE_S)
                    break
            answer = helper.stdout.read() if code == 0 else b""
            told = helper.stderr_text()
        if made is not None and code in _IN_ORDER:
            self._refused.append(made)
        for line in told.splitlines():
            _pass_on(line, terms)
        if terms.stop.is_set() and code != 0:
            raise Aborted("the helper was stopped")
        if code != 0:
            raise refusal(told or "it did not end in time")
        return _evidence(answer, terms)


def _pass_on(line: str, terms: Terms) -> None:
    try:
        found = parsed_json(line)
        terms.say(str(found["level"]), str(found["message"]))
    except MISSHAPEN:
        return  # the error itself, which is raised


def _evidence(told: bytes, terms: Terms) -> Evidence:
    try:
        answer = parsed_json(told)
        terms.budget.count(int(answer["written"]))
        made = Made(**answer["made"]) if answer["made"] else None
        shown = tuple(
            Artefact(str(name), "text/plain", base64.b64decode(text))
            for name, text in answer["shown"].items()
        )
        return Evidence(made, shown, float(answer["seconds"]))
    except MISSHAPEN as error:
        raise BenchError(
            f"the helper's answer does not fit ({error!r})",
            way_out="Install the helper of this version.",
        ) from error
