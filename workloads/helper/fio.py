"""The helper's fio: an armed disk is held while one job of options runs on it."""

import json
import select
import signal
import sys
import threading
import time
import tomllib
from pathlib import Path

from instruments.errors import BadInput, BenchError, OptionError, plain_words
from instruments.tools.started import Started
from workloads.base import End
from workloads.command_line import fio_argv
from workloads.fio.job_check import check_options
from workloads.fio_job import FioJob, destroys
from workloads.guard.budget import Budget, WriteMeter
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.helper_request import Request, devices_of, number_of, options_of
from workloads.guard.load_guard import LoadGuard
from workloads.guard.root_only import own_folder
from workloads.tool_ended import GRACE_S

POLICY = Path("/etc/bayscope/guard.toml")
"""What the administrator allows: allow = [serial numbers], write_budget = bytes."""


def policy() -> tuple[tuple[str, ...], int | None]:
    """Read what the administrator allows: disks, and bytes that one step may write.

    Raises:
        BenchError: The file cannot be read, or sets something else: a limit with a
            typing error must not count as none.
    """
    try:
        table = tomllib.loads(POLICY.read_text("utf-8"))
    except FileNotFoundError:
        return (), None  # every disk that is armed, and no limit
    except (OSError, ValueError) as error:
        raise BenchError(
            f"it cannot be read ({plain_words(error)})",
            where=str(POLICY),
            way_out="Correct it.",
        ) from error
    allow, budget = table.pop("allow", []), table.pop("write_budget", None)
    is_list = isinstance(allow, list) and all(isinstance(item, str) for item in allow)
    # type, as isinstance takes true for a whole number.
    if table or not is_list or type(budget) not in (int, type(None)):
        raise BenchError(
            "it may set allow, a list of texts, and write_budget, a whole number of "
            "bytes, and nothing else",
            where=str(POLICY),
            way_out="Correct it.",
        )
    return tuple(allow), budget


def run_fio(request: Request) -> int:
    """Hold armed disks and run one fio job on them; a stop or our end ends it."""
    options = options_of(request)
    try:
        check_options(options)
    except OptionError as error:
        raise BadInput(error.what, where="fio", way_out=error.way_out) from error
    writes = destroys(options)
    allow, limit = policy()
    size = number_of(request, "size", 0, 2**63)
    runtime_ms = number_of(request, "runtime_ms", 1, 10**10)
    ramp_ms = number_of(request, "ramp_ms", 0, 10**10)
    devices = devices_of(request, allow, writes=writes, size=size)
    job = FioJob(
        label="job",
        targets=tuple(device.path for device in devices),
        size=size,
        runtime_s=runtime_ms / 1000,
        ramp_s=ramp_ms / 1000,
        direct=request.get("direct") is not False,
        options=options,
        together=request.get("together") is True,
    )
    guard = DiskGuard(devices, Budget(limit))
    with guard.hold(say, destroys=writes), own_folder(say) as folder:
        (Path(folder) / "job.fio").write_text(job.text(), encoding="utf-8")
        meter = WriteMeter([device.disk.identity.number for device in devices])
        with guard.start(fio_argv(writes=writes), folder, job) as process:
            code = _watch(process, guard, meter, folder, writes=writes)
            sys.stderr.write(process.stderr_text())
            return code


def say(level: str, message: str) -> None:
    """Tell the event log something, beside what is asked for."""
    sys.stderr.write(json.dumps({"level": level, "message": message}) + "\n")


def _watch(
    process: Started, guard: LoadGuard, meter: WriteMeter, folder: str, *, writes: bool
) -> int:
    """Pass fio's output on, and watch over it until it has ended."""
    pump = threading.Thread(target=_pass_on, args=(process,), daemon=True)
    pump.start()
    ending = _Ending(process)
    # Guarded while it ends, too: it still writes then, so `watch` would not do.
    while process.wait(0.1) is None:
        if trouble := guard.check(process.pid, folder, destroys=writes):
            process.send_signal(signal.SIGKILL)
            say("error", f"fio was killed: {trouble}")
            process.wait(GRACE_S[signal.SIGKILL])
            return 3
        guard.count(meter.written())
        spent = guard.spent() if writes else End()
        if not ending.is_begun and (spent or _is_to_stop(pump)):
            if spent:
                say("error", f"fio is ended: {spent.reason}")
            ending.is_begun = True
        ending.step()
    pump.join(5)  # the last document is still to be passed on
    code = process.wait(0)
    return 1 if code is None or code < 0 else code


class _Ending:
    """The signals that end a program, each once the one before had its time."""

    def __init__(self, process: Started) -> None:
        self.is_begun = False
        self._process = process
        self._signals = list(GRACE_S.items())
        self._next_s = 0.0

    def step(self) -> None:
        """Send the next signal, where it is time to."""
        if self.is_begun and self._signals and time.monotonic() >= self._next_s:
            number, grace_s = self._signals.pop(0)
            self._process.send_signal(number)
            self._next_s = time.monotonic() + grace_s


def _pass_on(process: Started) -> None:
    try:
        for line in iter(process.stdout.readline, b""):
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    except OSError:  # nobody reads any more: this ends fio, too
        return
    # Its output may be closed before it has ended; the end of this thread ends it.
    while process.wait(0.1) is None:
        pass


def _is_to_stop(pump: threading.Thread) -> bool:
    """Tell whether nobody reads any more, or "stop" or the end came on our input."""
    return not pump.is_alive() or bool(select.select([sys.stdin.buffer], [], [], 0)[0])
