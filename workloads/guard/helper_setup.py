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

from instruments.errors import BadInput
from workloads.fio_job import OptionError
from workloads.guard.budget import Budget
from workloads.guard.helper_fio import policy, say
from workloads.guard.helper_request import (
    Request,
    devices_of,
    number_of,
    options_of,
    text_of,
)
from workloads.guard.root_only import locked, own_place
from workloads.setup_job import FileSystem, ZpoolJob
from workloads.setup_layout import vdevs
from workloads.setup_made import Made, undo
from workloads.setup_make import Evidence, Terms, make_file_system, make_pool
from workloads.setup_options import check_mkfs, check_zpool

_LEDGER = "made.json"
"""In the helper's own folder: what it has made since the machine came up."""


def run_mkfs(request: Request) -> int:
    """Make and mount one file system on one armed disk."""
    wanted = FileSystem(
        text_of(request, "type"), text_of(request, "options"), text_of(request, "mount")
    )
    options = {"type": wanted.kind, "options": wanted.options}
    if wanted.place:
        options["mount"] = wanted.place
    with _refusing():
        check_mkfs(options)
    first, *_ = devices_of(request, policy()[0], writes=True)
    return _make(request, lambda terms: make_file_system(first, wanted, terms))


def run_zpool(request: Request) -> int:
    """Create a pool of armed disks."""
    options = options_of(request)
    with _refusing():
        check_zpool(options)
    devices = devices_of(request, policy()[0], writes=True)
    job = ZpoolJob("pool", 0, options)
    with _refusing():
        vdevs(options["layout"], [str(device.path) for device in devices])
    return _make(request, lambda terms: make_pool(devices, job, terms))


def run_undo(request: Request) -> int:
    """Unmount or export what this helper has made."""
    asked = request.get("made")
    with _ledger() as known:
        made = next((one for one in known if asdict(one) == asked), None)
        if made is None:
            raise BadInput("the helper has not made that", way_out="It stays as it is.")
        told = undo(made)
        known.remove(made)
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


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
        with _ledger() as known:
            known.append(evidence.made)
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


@contextlib.contextmanager
def _ledger() -> Iterator[list[Made]]:
    """Read what was made, let it be changed, and keep it; one helper at a time."""
    place = own_place()
    with locked(place):
        file = place / _LEDGER
        try:
            before = [Made(**one) for one in json.loads(file.read_text("utf-8"))]
        except FileNotFoundError:
            before = []
        except (OSError, ValueError, TypeError) as error:
            raise BadInput(
                f"what the helper made cannot be read ({error})", where=str(file)
            ) from error
        known = list(before)
        yield known
        if known != before:
            new = file.with_suffix(".new")
            new.write_text(json.dumps([asdict(one) for one in known]), "utf-8")
            new.replace(file)
