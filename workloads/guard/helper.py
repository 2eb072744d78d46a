"""The privileged helper: what the window and the command line have done as root.

It is a program of its own, started by pkexec or sudo for one request: a line of JSON
on its standard input, {"verb": ..., ...}. The verbs are a closed list, everything is
checked here again, no shell is involved, and no path or option reaches a tool that
this file does not know. Of fio's job it takes options and never the text of a file.
"""

import json
import os
import re
import select
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instruments.command import Running, start
from instruments.errors import BadInput, BenchError
from instruments.hosts import LocalHost
from workloads.fio_job import (
    STATUS_INTERVAL_MS,
    TARGET_NAME,
    FioJob,
    OptionError,
    check_options,
    destroys,
)
from workloads.guard.budget import Budget
from workloads.guard.device import open_device
from workloads.guard.load_guard import DeviceGuard
from workloads.guard.look import look, look_at_all

POLICY = Path("/etc/bayscope/guard.toml")
"""What the administrator allows: allow = [serial numbers], write_budget = bytes."""

LONGEST_REQUEST = 65536
_TOOL_TIMEOUT_S = 60.0
_GRACE_S = {signal.SIGINT: 10.0, signal.SIGTERM: 5.0, signal.SIGKILL: 5.0}
_DEVICE = re.compile(r"/dev/(sg\d+|sd[a-z]+|nvme\d+(n\d+)?|bsg/[\d:]+)")
_PAGES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "sg_ses": {page: ("-p", page) for page in ("cf", "es", "ed", "aes", "th", "ec")},
    "smartctl": {
        kind: ("-j", "-n", "standby,3", "-i", "-A", "-H", "-d", kind)
        for kind in ("sat", "scsi", "nvme")
    },
    "sg_logs": {page: ("-p", page) for page in ("0x0d", "0x02", "0x03", "0x18")},
}
"""Each tool's pages that are only read, with the arguments that ask for them."""

Request = Mapping[str, Any]


def main() -> int:
    """Serve the one request that comes on standard input; return the exit code."""
    os.environ.clear()
    os.environ.update(PATH="/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL="C.UTF-8")
    os.umask(0o077)
    try:
        return serve(_request(sys.stdin.buffer.readline(LONGEST_REQUEST + 1)))
    except BenchError as error:
        return _complain(error)


def serve(request: Request) -> int:
    """Do what a request asks for; return the exit code.

    Raises:
        BenchError: It is refused, or it failed.
    """
    verb = VERBS.get(str(request.get("verb")))
    if verb is None:
        raise BadInput(
            f'the helper has no verb "{str(request.get("verb"))[:40]}"',
            way_out=f"It has {', '.join(VERBS)}.",
        )
    return verb(request)


def _request(line: bytes) -> Request:
    try:
        found = json.loads(line) if len(line) <= LONGEST_REQUEST else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BadInput("the helper expects one line of JSON on its standard input")
    return found


def _complain(error: BenchError) -> int:
    told = {"what": error.what, "where": error.where, "way_out": error.way_out}
    sys.stderr.write(json.dumps({"error": told}) + "\n")
    return error.exit_code


def _answer(value: object) -> int:
    sys.stdout.write(json.dumps(value) + "\n")
    return 0


def _text(request: Request, key: str, default: str | None = None) -> str:
    value = request.get(key, default)
    if not isinstance(value, str) or "\0" in value or len(value) > 4096:
        raise BadInput(f"the helper needs {key} as a text")
    return value


def _number(request: Request, key: str, low: int, high: int) -> int:
    value = request.get(key)
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not low <= value <= high
    ):
        raise BadInput(f"the helper needs {key} as a whole number, {low} to {high}")
    return value


def _texts(request: Request, key: str) -> list[str]:
    value = request.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadInput(f"the helper needs {key} as a list of texts")
    return value


def _inspect(request: Request) -> int:
    """Tell all that is found about one disk."""
    return _answer(asdict(look(LocalHost(), _text(request, "path"))))


def _targets(request: Request) -> int:  # noqa: ARG001
    """Tell all that is found about every disk."""
    rows = []
    for disk, seen in look_at_all(LocalHost()):
        trouble = str(seen) if isinstance(seen, BenchError) else ""
        found = None if isinstance(seen, BenchError) else asdict(seen)
        rows.append({"disk": asdict(disk), "found": found, "trouble": trouble})
    return _answer(rows)


def _device(request: Request) -> str:
    path = _text(request, "device")
    if not _DEVICE.fullmatch(path):
        raise BadInput("this is no device that pages are read from", where=path)
    return path


def _page(request: Request) -> int:
    """Read one page of an enclosure or a drive; nothing is changed."""
    tool, page = _text(request, "tool"), _text(request, "page")
    words = _PAGES.get(tool, {}).get(page)
    if words is None:
        raise BadInput(f'the helper does not read the page "{page}" with {tool[:20]}')
    done = LocalHost().run([tool, *words, _device(request)], _TOOL_TIMEOUT_S)
    return _answer({"stdout": done.stdout, "stderr": done.stderr, "code": done.code})


def _locate(request: Request) -> int:
    """Turn the locate light of one slot of an enclosure on or off."""
    element = _number(request, "element", 0, 999)
    action = "--set=ident" if request.get("on") is True else "--clear=ident"
    words = ["sg_ses", f"--index={element}", action, _device(request)]
    done = LocalHost().run(words, _TOOL_TIMEOUT_S)
    return _answer({"stdout": done.stdout, "stderr": done.stderr, "code": done.code})


def _policy() -> tuple[tuple[str, ...], int | None]:
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


def _fio(request: Request) -> int:
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
    allow, budget = _policy()
    size = _number(request, "size", 0, 2**63)
    device = open_device(
        Path(_text(request, "path")),
        size,
        writes=writes,
        words=[_text(request, "word", "")],
        overrule=_texts(request, "overwrite"),
        allow=allow,
    )
    if writes and request.get("identity") != asdict(device.disk.identity):
        raise BadInput(
            "this is not the disk that was armed",
            where=str(device.path),
            way_out=f"It is {device.disk.title}. Look at the bench and arm it again.",
        )
    job = FioJob(
        label="job",
        target=device.path,
        size=size,
        runtime_s=_number(request, "runtime_ms", 1, 10**10) / 1000,
        ramp_s=_number(request, "ramp_ms", 0, 10**10) / 1000,
        direct=request.get("direct") is not False,
        options=options,
    )
    guard = DeviceGuard(device, Budget(budget))
    with guard.hold(_say, destroys=writes), tempfile.TemporaryDirectory() as folder:
        (Path(folder) / TARGET_NAME).symlink_to(device.path)
        (Path(folder) / "job.fio").write_text(job.text(), encoding="utf-8")
        argv = ["fio", "--output-format=json+"]
        argv += [f"--status-interval={STATUS_INTERVAL_MS}ms"]
        argv += ["job.fio"] if writes else ["--readonly", "job.fio"]
        with start(argv, cwd=folder) as process:
            code = _watch(process, guard, folder, writes=writes)
            sys.stderr.write(process.stderr_text())
            return code


def _say(level: str, message: str) -> None:
    sys.stderr.write(json.dumps({"level": level, "message": message}) + "\n")


def _watch(process: Running, guard: DeviceGuard, folder: str, *, writes: bool) -> int:
    """Pass fio's output on, and watch over it until it has ended."""
    pump = threading.Thread(target=_pass_on, args=(process,), daemon=True)
    pump.start()
    ending: list[tuple[signal.Signals, float]] = []
    deadline = 0.0
    while process.wait(0.1) is None:
        if trouble := guard.check(process.pid, folder, destroys=writes):
            process.send_signal(signal.SIGKILL)
            _say("error", f"fio was killed: {trouble}")
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


VERBS: Mapping[str, Callable[[Request], int]] = {
    "inspect": _inspect,
    "targets": _targets,
    "page": _page,
    "locate": _locate,
    "fio": _fio,
}
"""All that the helper does."""


if __name__ == "__main__":
    sys.exit(main())
