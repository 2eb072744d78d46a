"""The privileged helper: what the window and the command line have done as root.

It is its own program, started by pkexec or sudo for one request: a line of JSON
on its standard input, {"verb": ..., ...}. The verbs are a closed list, everything is
checked here again, no shell is involved, and no option reaches a tool that is not
known here. Nothing is opened by a path of whoever asks: a disk is named by its identity
and opened once, by its device number, and a load gets that handle. Of fio's job it
takes options and never the text of a file.
"""

import base64
import contextlib
import json
import os
import re
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from instruments.errors import BadInput, BenchError, plain_words
from instruments.files.foreign_text import parsed_json
from instruments.tools.hosts import LocalHost
from workloads.guard.budget import Budget
from workloads.guard.helper_request import (
    LONGEST_REQUEST,
    Request,
    devices_of,
    disk_path,
    number_of,
    options_of,
    read_request,
    text_of,
)
from workloads.guard.look import look, look_at_all
from workloads.guard.root_only import locked, own_place, settle
from workloads.helper.fio import policy, run_fio, say
from workloads.setup.job import FileSystem, ZpoolJob
from workloads.setup.made import PENDING, Made, undo
from workloads.setup.make import Evidence, Terms, make_file_system, make_pool
from workloads.setup.options import check_mkfs, check_zpool, vdevs

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
    check_zpool(options)
    devices = devices_of(request, policy()[0], writes=True)
    job = ZpoolJob("pool", 0, options)
    vdevs(options["layout"], [str(device.path) for device in devices])
    return _make(request, lambda terms: make_pool(devices, job, terms))


def run_undo(request: Request) -> int:
    """Unmount a file system, or export a pool, that the helper made."""
    asked = request.get("made")
    with locked(own_place()) as place:
        ledger = _read(place)
        # The latest first: another disk may have been mounted at that place before.
        made = next((each for each in reversed(ledger) if _is_meant(each, asked)), None)
        if made is not None:
            answer = undo(made)
            _write(place, [each for each in ledger if each is not made])
        elif isinstance(asked, dict) and asked.get("own") == PENDING:
            answer = "it was not made"
        else:
            raise BadInput("the helper has not made that", way_out="It stays as it is.")
    return _answer(answer)


def _is_meant(entry: Made, asked: object) -> bool:
    """Tell whether a request means this entry of the ledger.

    A caller that was killed before the helper answered never learned the id; a request
    with PENDING as its id matches by kind, name and disk; a pool's disks it excludes.
    """
    if isinstance(asked, dict) and asked.get("own") == PENDING:
        is_of_disk = asked.get("number") in ("", entry.number)
        return is_of_disk and (asked.get("kind"), asked.get("name")) == _name(entry)
    return asdict(entry) == asked


def _make(request: Request, make: Callable[[Terms], Evidence]) -> int:
    budget, stop = Budget(policy()[1]), threading.Event()
    seconds = number_of(request, "timeout_ms", 1, 10**10) / 1000
    # The highest number is no user: to chown(2) it means "as it was".
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
            artefact.name: base64.b64encode(artefact.content).decode()
            for artefact in evidence.shown
        },
    }
    return _answer(answer)


def _listen(stop: threading.Event, over: threading.Event) -> None:
    """Stop the work when "stop" arrives on standard input, or when that is closed."""
    while not over.is_set():
        if select.select([sys.stdin.buffer], [], [], 0.1)[0]:
            stop.set()
            return


@contextlib.contextmanager
def _noting(made: Made) -> Iterator[None]:
    """Record what is about to be made, and keep the ledger locked until it is.

    If this helper is killed in between, the next one can still undo it. The lock keeps
    an undo from running between the entry and the mount, when it would find nothing
    mounted and remove the entry. What another helper made of other disks under that
    name stays known.
    """
    with locked(own_place()) as place:
        others = [
            entry
            for entry in _read(place)
            if _name(entry) != _name(made) or made.number not in ("", entry.number)
        ]
        _write(place, [*others, made])
        yield


def _name(made: Made) -> tuple[str, str]:
    return made.kind, made.name


def _read(place: Path) -> list[Made]:
    """Read the ledger; raises BadInput."""
    file = place / _LEDGER
    try:
        return [Made(**entry) for entry in parsed_json(file.read_text("utf-8"))]
    except FileNotFoundError:
        return []  # nothing was made since the last boot
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(
            f"what the helper made cannot be read ({plain_words(error)})",
            where=str(file),
        ) from error


def _write(place: Path, ledger: Sequence[Made]) -> None:
    # Beside it, then in its place: a kill leaves the old one or the new one whole.
    new = (place / _LEDGER).with_suffix(".new")
    new.write_text(json.dumps([asdict(entry) for entry in ledger]), "utf-8")
    new.replace(place / _LEDGER)


_TOOL_TIMEOUT_S = 60.0
# Nodes that pages are read of; no links, no partitions.
_DEVICE = re.compile(r"/dev/(sg[0-9]+|sd[a-z]+|nvme[0-9]+(n[0-9]+)?|bsg/[0-9:]+)")
_PAGES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    # Abbreviated as by sg_ses(8); ec and es are one page, which reads as the status.
    "sg_ses": {page: ("-p", page) for page in ("cf", "es", "ed", "aes", "th", "ec")},
    # standby,3: a drive that sleeps stays asleep, and that is exit code 3.
    "smartctl": {
        kind: ("-j", "-n", "standby,3", "-i", "-A", "-H", "-d", kind)
        for kind in ("sat", "scsi", "nvme")
    },
    # Temperature, write errors, read errors, and the SAS ports (SPC-5).
    "sg_logs": {page: ("-p", page) for page in ("0x0d", "0x02", "0x03", "0x18")},
}
"""Each tool's pages that are only read, with the arguments that ask for them."""


def main() -> int:
    """Serve the one request that comes on standard input; return the exit code."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        return 2  # else what is opened next would stand for one of them
    try:
        if os.geteuid() != 0:
            raise BadInput("only root can look at disks; the helper was not started so")
        settle()
        # Unbuffered, so that a "stop" right behind the line stays for select to see.
        with open(0, "rb", buffering=0, closefd=False) as asking:
            line = asking.readline(LONGEST_REQUEST + 1)
        return serve(read_request(line))
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


def _complain(error: BenchError) -> int:
    facts = {"what": error.what, "where": error.where, "way_out": error.way_out}
    sys.stderr.write(json.dumps({"error": facts}) + "\n")
    return error.exit_code


def _answer(value: object) -> int:
    sys.stdout.write(json.dumps(value) + "\n")
    return 0


def _inspect(request: Request) -> int:
    """Tell all that is found about one disk."""
    return _answer(asdict(look(LocalHost(), disk_path(request))))


def _targets(request: Request) -> int:  # noqa: ARG001
    """Tell all that is found about every disk."""
    rows = []
    for disk, seen in look_at_all(LocalHost()):
        # A disk that cannot be looked at must not hide the others.
        row: dict[str, object] = {"disk": asdict(disk), "found": None, "trouble": ""}
        if isinstance(seen, BenchError):
            row["trouble"] = str(seen)
        else:
            row["found"] = asdict(seen)
        rows.append(row)
    return _answer(rows)


def _device(request: Request) -> str:
    path = text_of(request, "device")
    if not _DEVICE.fullmatch(path):
        raise BadInput("pages are not read from this device", where=path)
    return path


def _run(argv: list[str]) -> int:
    done = LocalHost().run(argv, _TOOL_TIMEOUT_S)
    return _answer({"stdout": done.stdout, "stderr": done.stderr, "code": done.code})


def _page(request: Request) -> int:
    """Read one page of an enclosure or a drive; nothing is changed."""
    tool, page = text_of(request, "tool"), text_of(request, "page")
    arguments = _PAGES.get(tool, {}).get(page)
    if arguments is None:
        raise BadInput(f'the helper does not read the page "{page}" with {tool[:20]}')
    return _run([tool, *arguments, _device(request)])


def _locate(request: Request) -> int:
    """Turn the locate light of one slot of an enclosure on or off."""
    element = number_of(request, "element", 0, 999)
    action = "--set=ident" if request.get("on") is True else "--clear=ident"
    return _run(["sg_ses", f"--index={element}", action, _device(request)])


VERBS: Mapping[str, Callable[[Request], int]] = {
    "inspect": _inspect,
    "targets": _targets,
    "page": _page,
    "locate": _locate,
    "fio": run_fio,
    "mkfs": run_mkfs,
    "zpool": run_zpool,
    "undo": run_undo,
}
"""All that the helper does."""


if __name__ == "__main__":
    sys.exit(main())
