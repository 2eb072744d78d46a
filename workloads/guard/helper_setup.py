"""The helper's set-up verbs: mkfs and zpool on armed disks, and taking that back.

What it made is kept in a file that only root can change, and only that is taken back.
"""

import base64
import contextlib
import json
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from instruments.errors import BadInput
from instruments.hosts import LocalHost
from workloads.fio_job import OptionError
from workloads.guard.budget import Budget
from workloads.guard.device import Device, open_device
from workloads.guard.helper_fio import policy, say
from workloads.guard.helper_request import Request, number_of, text_of, texts_of
from workloads.guard.look import look
from workloads.guard.survey import survey
from workloads.setup_job import FileSystem, ZpoolJob
from workloads.setup_layout import vdevs
from workloads.setup_made import Made, undo
from workloads.setup_make import Evidence, Terms, make_file_system, make_pool
from workloads.setup_options import check_mkfs, check_zpool

LEDGER = Path("/run/bayscope/made.json")
"""What the helper has made since the machine came up."""


def run_mkfs(request: Request) -> int:
    """Make and mount one file system on one armed disk."""
    wanted = FileSystem(
        text_of(request, "type"), text_of(request, "options"), text_of(request, "mount")
    )
    options = {"type": wanted.kind, "options": wanted.options}
    if wanted.place:
        options["mount"] = wanted.place
    devices = _devices(request)
    with _refusing():
        check_mkfs(options)
    return _make(request, lambda terms: make_file_system(devices[0], wanted, terms))


def run_zpool(request: Request) -> int:
    """Create a pool of armed disks."""
    options = request.get("options")
    if not isinstance(options, dict) or not all(
        isinstance(text, str) for pair in options.items() for text in pair
    ):
        raise BadInput("the helper needs options as texts")
    with _refusing():
        check_zpool(options)
    devices = _devices(request)
    job = ZpoolJob("pool", 0, options)
    with _refusing():
        vdevs(options["layout"], [str(device.path) for device in devices])
    return _make(request, lambda terms: make_pool(devices, job, terms))


def run_undo(request: Request) -> int:
    """Unmount or export what this helper has made."""
    asked, known = request.get("made"), _ledger()
    made = next((one for one in known if asdict(one) == asked), None)
    if made is None:
        raise BadInput("the helper has not made that", way_out="It stays as it is.")
    told = undo(made)
    _keep([one for one in known if one != made])
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


def _devices(request: Request) -> list[Device]:
    """Find and arm the disks of a request; raises BadInput."""
    asked = request.get("disks")
    if not isinstance(asked, list) or not asked or len(asked) > 1000:
        raise BadInput("the helper needs disks as a list")
    allow, _ = policy()
    host, seen = LocalHost(), survey(LocalHost())
    devices = []
    for one in asked:
        if not isinstance(one, dict):
            raise BadInput("the helper needs each disk with path, word and identity")
        device = open_device(
            Path(text_of(one, "path")),
            0,
            writes=True,
            words=[text_of(one, "word", "")],
            overrule=texts_of(request, "overwrite"),
            allow=allow,
            see=lambda path: look(host, path, seen),
        )
        if one.get("identity") != asdict(device.disk.identity):
            raise BadInput(
                "this is not the disk that was armed",
                where=str(device.path),
                way_out=f"It is {device.disk.title}. Arm it again.",
            )
        devices.append(device)
    return devices


def _make(request: Request, make: Callable[[Terms], Evidence]) -> int:
    budget, stop = Budget(policy()[1]), threading.Event()
    seconds = number_of(request, "timeout_ms", 1, 10**10) / 1000
    owner = number_of(request, "owner", 0, 2**32 - 2)
    over = threading.Event()
    listener = threading.Thread(target=_listen, args=(stop, over), daemon=True)
    listener.start()
    try:
        terms = Terms(say, stop, time.monotonic() + seconds, budget, owner)
        evidence = make(terms)
    finally:
        over.set()
        listener.join()
    if evidence.made is not None:
        _keep([*_ledger(), evidence.made])
    answer = {
        "made": asdict(evidence.made) if evidence.made else None,
        "seconds": evidence.seconds,
        "written": budget.written,
        "shown": {
            one.name: base64.b64encode(one.content).decode() for one in evidence.shown
        },
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


def _listen(stop: threading.Event, over: threading.Event) -> None:
    """Take "stop" or the end of standard input for the end of the work."""
    while not over.is_set():
        if select.select([sys.stdin.buffer], [], [], 0.1)[0]:
            stop.set()
            return


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Make what options cannot say a refusal of the helper's."""
    try:
        yield
    except OptionError as error:
        what, way_out = error.what, error.way_out
        raise BadInput(what, where=error.option, way_out=way_out) from error


def _ledger() -> list[Made]:
    try:
        return [Made(**one) for one in json.loads(LEDGER.read_text("utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(
            f"what the helper made cannot be read ({error})", where=str(LEDGER)
        ) from error


def _keep(made: list[Made]) -> None:
    LEDGER.parent.mkdir(mode=0o700, exist_ok=True)
    new = LEDGER.with_suffix(".new")
    new.write_text(json.dumps([asdict(one) for one in made]), "utf-8")
    new.replace(LEDGER)
