"""The privileged helper: what the window and the command line have done as root.

It is a program of its own, started by pkexec or sudo for one request: a line of JSON
on its standard input, {"verb": ..., ...}. The verbs are a closed list, everything is
checked here again, no shell is involved, and no option reaches a tool that is not
known here. Nothing is opened by a path of whoever asks: a disk is named by its identity
and opened once, by its device number, and a load gets that handle. Of fio's job it
takes options and never the text of a file.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict

from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import LocalHost
from workloads.guard.helper_request import (
    LONGEST_REQUEST,
    Request,
    disk_path,
    number_of,
    read_request,
    text_of,
)
from workloads.guard.look import look, look_at_all
from workloads.guard.root_only import settle
from workloads.helper.fio import run_fio
from workloads.helper.setup import run_mkfs, run_undo, run_zpool

_TOOL_TIMEOUT_S = 60.0
_DEVICE = re.compile(r"/dev/(sg[0-9]+|sd[a-z]+|nvme[0-9]+(n[0-9]+)?|bsg/[0-9:]+)")
_PAGES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "sg_ses": {page: ("-p", page) for page in ("cf", "es", "ed", "aes", "th", "ec")},
    "smartctl": {
        kind: ("-j", "-n", "standby,3", "-i", "-A", "-H", "-d", kind)
        for kind in ("sat", "scsi", "nvme")
    },
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
    told = {"what": error.what, "where": error.where, "way_out": error.way_out}
    sys.stderr.write(json.dumps({"error": told}) + "\n")
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
        trouble = str(seen) if isinstance(seen, BenchError) else ""
        found = None if isinstance(seen, BenchError) else asdict(seen)
        rows.append({"disk": asdict(disk), "found": found, "trouble": trouble})
    return _answer(rows)


def _device(request: Request) -> str:
    path = text_of(request, "device")
    if not _DEVICE.fullmatch(path):
        raise BadInput("this is no device that pages are read from", where=path)
    return path


def _page(request: Request) -> int:
    """Read one page of an enclosure or a drive; nothing is changed."""
    tool, page = text_of(request, "tool"), text_of(request, "page")
    words = _PAGES.get(tool, {}).get(page)
    if words is None:
        raise BadInput(f'the helper does not read the page "{page}" with {tool[:20]}')
    done = LocalHost().run([tool, *words, _device(request)], _TOOL_TIMEOUT_S)
    return _answer({"stdout": done.stdout, "stderr": done.stderr, "code": done.code})


def _locate(request: Request) -> int:
    """Turn the locate light of one slot of an enclosure on or off."""
    element = number_of(request, "element", 0, 999)
    action = "--set=ident" if request.get("on") is True else "--clear=ident"
    words = ["sg_ses", f"--index={element}", action, _device(request)]
    done = LocalHost().run(words, _TOOL_TIMEOUT_S)
    return _answer({"stdout": done.stdout, "stderr": done.stderr, "code": done.code})


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
