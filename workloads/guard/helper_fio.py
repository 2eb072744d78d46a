"""The helper's fio: an armed disk is held while one job of options runs on it."""

import json
import select
import signal
import sys
import tempfile
import threading
import time
import tomllib
from dataclasses import asdict
from pathlib import Path

from instruments.command import Running, start
from instruments.errors import BadInput, BenchError
from workloads.fio_job import (
    STATUS_INTERVAL_MS,
    FioJob,
    OptionError,
    destroys,
)
from workloads.fio_job_check import check_options
from workloads.guard.budget import Budget
from workloads.guard.device import Device, open_device
from workloads.guard.device_guard import DeviceGuard
from workloads.guard.disks_guard import DisksGuard
from workloads.guard.helper_request import (
    Request,
    disks_of,
    number_of,
    text_of,
    texts_of,
)
from workloads.guard.load_guard import LoadGuard

POLICY = Path("/etc/bayscope/guard.toml")
"""What the administrator allows: allow = [serial numbers], write_budget = bytes."""

_GRACE_S = {signal.SIGINT: 10.0, signal.SIGTERM: 5.0, signal.SIGKILL: 5.0}


def policy() -> tuple[tuple[str, ...], int | None]:
    """Read what the administrator allows: disks, and bytes that one step may write.

    Raises:
        BenchError: The file cannot be read.
    """
    try:
        table = tomllib.loads(POLICY.read_text("utf-8"))
    except FileNotFoundError:
        return (), None
    except (OSError, ValueError) as error:
        raise BenchError(
            f"it cannot be read ({error})", where=str(POLICY), way_out="Mend it."
        ) from error
    allow = tuple(str(one) for one in table.get("allow", ()))
    budget = table.get("write_budget")
    return allow, budget if isinstance(budget, int) else None


def run_fio(request: Request) -> int:
    """Hold an armed disk and run one fio job on it; a stop or our end ends it."""
    options = request.get("options")
    if not isinstance(options, dict) or not all(
        isinstance(text, str) for pair in options.items() for text in pair
    ):
        raise BadInput("the helper needs options as texts")
    try:
        check_options(options)
    except OptionError as error:
        raise BadInput(error.what, where="fio", way_out=error.way_out) from error
    writes = destroys(options)
    allow, limit = policy()
    size = number_of(request, "size", 0, 2**63)
    disks = disks_of(request)
    devices = [_open(one, size, allow, writes=writes) for one in disks]
    first, *more = devices
    job = FioJob(
        label="job",
        target=first.path,
        size=size,
        runtime_s=number_of(request, "runtime_ms", 1, 10**10) / 1000,
        ramp_s=number_of(request, "ramp_ms", 0, 10**10) / 1000,
        direct=request.get("direct") is not False,
        options=options,
        more=tuple(device.path for device in more),
        together=request.get("together") is True,
    )
    budget = Budget(limit)
    guard: LoadGuard = DeviceGuard(first, budget)
    if more:
        guard = DisksGuard(devices, budget)
    with guard.hold(say, destroys=writes), tempfile.TemporaryDirectory() as folder:
        for link, device in zip(job.links, devices, strict=True):
            (Path(folder) / link).symlink_to(device.path)
        (Path(folder) / "job.fio").write_text(job.text(), encoding="utf-8")
        argv = ["fio", "--output-format=json+"]
        argv += [f"--status-interval={STATUS_INTERVAL_MS}ms"]
        argv += ["job.fio"] if writes else ["--readonly", "job.fio"]
        with start(argv, cwd=folder) as process:
            code = _watch(process, guard, folder, writes=writes)
            sys.stderr.write(process.stderr_text())
            return code


def _open(
    request: Request, size: int, allow: tuple[str, ...], *, writes: bool
) -> Device:
    """Find one disk of a request, armed where the job writes to it."""
    device = open_device(
        Path(text_of(request, "path")),
        size,
        writes=writes,
        words=[text_of(request, "word", "")],
        overrule=texts_of(request, "overwrite"),
        allow=allow,
    )
    if writes and request.get("identity") != asdict(device.disk.identity):
        raise BadInput(
            "this is not the disk that was armed",
            where=str(device.path),
            way_out=f"It is {device.disk.title}. Look at the bench and arm it again.",
        )
    return device


def say(level: str, message: str) -> None:
    """Tell the event log something, beside what is asked for."""
    sys.stderr.write(json.dumps({"level": level, "message": message}) + "\n")


def _watch(process: Running, guard: LoadGuard, folder: str, *, writes: bool) -> int:
    """Pass fio's output on, and watch over it until it has ended."""
    pump = threading.Thread(target=_pass_on, args=(process,), daemon=True)
    pump.start()
    ending: list[tuple[signal.Signals, float]] = []
    deadline = 0.0
    while process.wait(0.1) is None:
        if trouble := guard.check(process.pid, folder, destroys=writes):
            process.send_signal(signal.SIGKILL)
            say("error", f"fio was killed: {trouble}")
            process.wait(_GRACE_S[signal.SIGKILL])
            return 3
        if not deadline and (not pump.is_alive() or _told_to_stop()):
            ending, deadline = list(_GRACE_S.items()), time.monotonic()
        if deadline and ending and time.monotonic() >= deadline:
            number, grace = ending.pop(0)
            process.send_signal(number)
            deadline = time.monotonic() + grace
    pump.join(5)
    code = process.wait(0)
    return 1 if code is None or code < 0 else code


def _pass_on(process: Running) -> None:
    try:
        for line in iter(process.stdout.readline, b""):
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    except OSError:  # nobody reads any more: this ends fio, too
        return
    while process.wait(0.1) is None:
        pass


def _told_to_stop() -> bool:
    """Tell whether "stop" came on standard input, or its end."""
    readable, _, _ = select.select([sys.stdin.buffer], [], [], 0)
    return bool(readable)
