"""Whatever stands in a request: the helper never opens a path that came with it."""

import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import loop
from workloads.guard.nodes import find_disk
from workloads.helper.program import VERBS

_SERVE = """
import json, os, sys
from pathlib import Path
folder, said = sys.argv[1], []

def hook(event, facts):
    if event != "compile" and folder in repr(facts):
        said.append([event, repr(facts)[:200]])

from instruments.errors import BenchError
from workloads.guard import root_only
from workloads.helper.program import serve
root_only.PLACE = Path(sys.argv[2])
sys.addaudithook(hook)
kept = os.dup(1)
os.dup2(2, 1)
for text in sys.stdin.buffer.readline().split(b"\\0"):
    asked = json.loads(text)
    try:
        serve(asked)
    except BenchError:
        pass
    except Exception as error:
        said.append(["raised", f"{error!r} at {asked}"])
os.write(kept, json.dumps(said).encode())
"""


def requests(disk: str) -> list[dict[str, Any]]:
    """One request of each verb, which would be served."""
    found = find_disk(LocalHost(), disk)
    one = {"identity": asdict(found.identity), "word": found.word, "overwrite": [""]}
    size = {"size": 0, "runtime_ms": 100, "ramp_ms": 0}
    times = {"timeout_ms": 9000, "owner": 0}
    pool = {"name": "none", "layout": "mirror 2", "properties": "", "mount": ""}
    made = {"kind": "mount", "name": "/mnt/x", "own": "1", "number": "7:1"}
    return [
        {"verb": "inspect", **one},
        {"verb": "targets"},
        {"verb": "page", "tool": "sg_logs", "page": "0x0d", "device": "/dev/sg999"},
        {"verb": "locate", "element": 1, "on": True, "device": "/dev/sg999"},
        {"verb": "fio", "disks": [one], "options": {"rw": "read", "bs": "4k"}, **size},
        {
            "verb": "mkfs",
            "disks": [one],
            "type": "",
            "options": "",
            "mount": "",
            **times,
        },
        {"verb": "zpool", "disks": [one], "options": pool, **times},
        {"verb": "undo", "made": made},
    ]


def texts(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the ways to every text of a request."""
    if isinstance(value, str):
        yield way
    pairs = enumerate(value) if isinstance(value, list) else ()
    for key, part in value.items() if isinstance(value, dict) else pairs:
        yield from texts(part, (*way, key))


def with_path(disk: str, path: str) -> Iterator[dict[str, Any]]:
    """Put a path in place of every text of every request, and beside all of them."""
    beside = (
        "path",
        "device",
        "filename",
        "target",
        "output",
        "folder",
        "cwd",
        "mount",
    )
    for asked in requests(disk):
        yield {**dict.fromkeys(beside, path), **asked}
        for way in texts(asked):
            changed = copy.deepcopy(asked)
            at: Any = changed
            for key in way[:-1]:
                at = at[key]
            at[way[-1]] = path
            yield changed


def test_no_path_of_a_request_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    target = folder / "target"
    with loop(tmp_path / "disk.img") as disk:
        target.symlink_to(disk)
        assert {request["verb"] for request in requests(disk)} == set(VERBS)
        asked = [json.dumps(one) for one in with_path(disk, str(target))]
        with tempfile.TemporaryDirectory(dir="/run", prefix="bs-opens") as own:
            done = subprocess.run(
                [sys.executable, "-c", _SERVE, str(folder), f"{own}/own"],
                check=False,
                input="\0".join(asked).encode() + b"\n",
                capture_output=True,
                timeout=600,
            )
    assert json.loads(done.stdout or done.stderr.decode()) == []
    assert len(asked) > 40


@pytest.mark.parametrize(
    "line",
    [
        b'{"verb":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"verb": "inspect", "identity": {"number": "\\ud800"}}',
        b'{"verb": "fio", "options": {"rw": "read", "description": "\\ud800"}}',
        b'{"verb": "locate", "element": ' + b"9" * 5000 + b"}",
        b'{"verb": "undo", "made": {"name": "\\ud800"}}',
        b"[" * 60_000,
    ],
)
def test_what_is_odd_is_refused_in_a_sentence(line: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workloads.helper.program"],
        check=False,
        input=line + b"\n",
        capture_output=True,
    )
    assert done.returncode == 2
    assert set(json.loads(done.stderr)) == {"error"}
