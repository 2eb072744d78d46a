"""The helper's set-up verbs: mkfs and zpool on armed disks, and undo.

Everything it mounts or creates is first recorded in a ledger that only root can change,
and undo acts only on what is recorded there.
"""

import base64
import contextlib
import json
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_json
from workloads.fio_job import OptionError
from workloads.guard.budget import Budget
from workloads.guard.helper_request import (
    Request,
    devices_of,
    number_of,
    options_of,
    text_of,
)
from workloads.guard.root_only import locked, own_place
from workloads.helper.fio import policy, say
from workloads.setup.job import FileSystem, ZpoolJob
from workloads.setup.layout import vdevs
from workloads.setup.made import PENDING, Made, undo
from workloads.setup.make import Evidence, Terms, make_file_system, make_pool
from workloads.setup.options import check_mkfs, check_zpool

_LEDGER = "made.json"
"""The ledger, in the helper's own folder: what it has made since the last boot."""


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
    devices = devices_of(request, policy()[0], writes=True)
    if len(devices) != 1:
        raise BadInput(
            f"mkfs is for one disk at a time, and this names {len(devices)}",
            way_out="Nothing was written. Ask once for each disk.",
        )
    return _make(request, lambda terms: make_file_system(devices[0], wanted, terms))


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
    """Unmount a file system, or export a pool, that the helper made."""
    asked = request.get("made")
    with locked(own_place()) as place:
        known = _read(place)
        made = next((one for one in reversed(known) if _is_meant(one, asked)), None)
        if made is not None:
            told = undo(made)
            _write(place, [one for one in known if one is not made])
        elif isinstance(asked, dict) and asked.get("own") == PENDING:
            told = "it was not made"
        else:
            raise BadInput("the helper has not made that", way_out="It stays as it is.")
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


def _is_meant(one: Made, asked: object) -> bool:
    """Tell whether a request means this entry of the ledger.

    A caller that was killed before the helper answered never learned the id; a request
    with PENDING as its id matches by kind and name.
    """
    facts = asdict(one)
    if isinstance(asked, dict) and asked.get("own") == PENDING:
        return all(asked.get(key) == facts[key] for key in ("kind", "name"))
    return facts == asked


def _make(request: Request, make: Callable[[Terms], Evidence]) -> int:
    budget, stop = Budget(policy()[1]), threading.Event()
    seconds = number_of(request, "timeout_ms", 1, 10**10) / 1000
    owner = number_of(request, "owner", 0, 2**32 - 2)
    over = threading.Event()
    listener = threading.Thread(target=_listen, args=(stop, over), daemon=True)
    listener.start()
    try:
        terms = Terms(say, stop, time.monotonic() + seconds, budget, owner, _noting)
        evidence = make(terms)
    finally:
        over.set()
        listener.join()
    if evidence.made is not None:
        with _noting(evidence.made):
            pass  # Only now does a pool have an id.
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
    """Stop the work when "stop" arrives on standard input, or when that is closed."""
    while not over.is_set():
        if select.select([sys.stdin.buffer], [], [], 0.1)[0]:
            stop.set()
            return


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Turn an OptionError into a refusal by the helper."""
    try:
        yield
    except OptionError as error:
        what, way_out = error.what, error.way_out
        raise BadInput(what, where=error.option, way_out=way_out) from error


@contextlib.contextmanager
def _noting(made: Made) -> Iterator[None]:
    """Record what is about to be made, and keep the ledger locked until it is.

    If this helper is killed in between, the next one can still undo it. The lock keeps
    an undo from running between the entry and the mount, when it would find nothing
    mounted and remove the entry.
    """
    with locked(own_place()) as place:
        names = (made.kind, made.name)
        others = [one for one in _read(place) if (one.kind, one.name) != names]
        _write(place, [*others, made])
        yield


def _read(place: Path) -> list[Made]:
    """Read the ledger; raises BadInput."""
    file = place / _LEDGER
    try:
        return [Made(**one) for one in parsed_json(file.read_text("utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(
            f"what the helper made cannot be read ({error})", where=str(file)
        ) from error


def _write(place: Path, known: Sequence[Made]) -> None:
    new = (place / _LEDGER).with_suffix(".new")
    new.write_text(json.dumps([asdict(one) for one in known]), "utf-8")
    new.replace(place / _LEDGER)
