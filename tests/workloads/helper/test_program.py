"""The helper, started as a program: what it does, and all that it refuses."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.reading import Reading
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import SIZE, loop, tool
from workloads.base import LoadOutcome, LoadResult
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.arming import arm
from workloads.guard.device import Device
from workloads.guard.helper_client import (
    HelperProcess,
    ask,
    disk_request,
    fio_request,
    helper_command,
    inspect,
    refusal,
    seen_by_helper,
)
from workloads.guard.helper_request import LONGEST_REQUEST, MOST_DISKS
from workloads.guard.look import look
from workloads.guard.nodes import find_disk
from workloads.helper import fio as helper_fio
from workloads.helper.guard import HelperGuard
from workloads.helper.program import serve

HELPER = [sys.executable, "-m", "workloads.helper.program"]
HOST = LocalHost()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


def request(path: str, /, **changes: object) -> dict[str, object]:
    own = find_disk(HOST, path)
    disk: dict[str, object] = {"word": own.word, "identity": asdict(own.identity)}
    disk.update(
        (key, changes.pop(key)) for key in ("word", "identity") if key in changes
    )
    wanted: dict[str, object] = {
        "options": {"rw": "write", "bs": "64k"},
        "disks": [disk],
    }
    times = {"size": 0, "runtime_ms": 700, "ramp_ms": 0}
    return {"verb": "fio", **wanted, **times, **changes}


def refused(asked: dict[str, object]) -> str:
    """What the helper says when it refuses."""
    with pytest.raises(BenchError) as caught:
        serve(asked)
    return str(caught.value)


def is_blank(file: Path) -> bool:
    return not any(file.read_bytes())


def test_it_sees_what_root_sees(device: str) -> None:
    assert inspect(device, HELPER) == look(HOST, device)
    disks = {disk.path: found for disk, found in seen_by_helper(HELPER)}
    assert disks[device] == look(HOST, device)


def test_it_runs_an_armed_job_and_nothing_else(device: str, tmp_path: Path) -> None:
    with HelperProcess(request(device), HELPER) as helper:
        printed = helper.stdout.read()
        assert helper.wait(30) == 0, helper.stderr_text()
    assert b'"jobs"' in printed
    assert "checked and held" in helper.stderr_text()
    assert not is_blank(tmp_path / "disk.img")


CASES: list[tuple[dict[str, object], str]] = [
    ({"word": ""}, "it is not armed"),
    ({"word": "yes"}, '"yes" is not its word'),
    ({"options": {"rw": "write", "exec_prerun": "id"}}, "it runs a command"),
    ({"options": {"rw": "write", "filename": "/dev/x"}}, "not an option of a step"),
    ({"options": {"rw": "write", "bs": "4k\nunlink=1"}}, "options as texts"),
    ({"options": {"rw": "write", "ioengine": "exec"}}, "it runs a program"),
    ({"identity": {}}, "the helper needs number as a text"),
    ({"identity": 1}, "needs the identity of a disk"),
    ({"identity": {"number": "7:99999"}}, "there is no block device"),
    ({"identity": {"number": "../../block/loop0"}}, "there is no block device"),
    ({"options": ["rw"]}, "options as texts"),
    ({"size": -1}, "size as a whole number"),
    ({"size": 2 * SIZE}, "the load wants"),
    ({"runtime_ms": True}, "runtime_ms as a whole number"),
    ({"disks": []}, "needs disks as a list"),
    ({"disks": ["/etc/passwd"]}, "needs disks as a list"),
    ({"verb": "sh"}, 'has no verb "sh"'),
    ({"verb": "page", "tool": "sg_ses", "page": "--set=ident"}, "does not read"),
    ({"verb": "page", "tool": "sh", "page": "es"}, "does not read the page"),
    ({"verb": "locate", "element": "1;reboot"}, "element as a whole number"),
    (
        {"verb": "locate", "element": 1, "device": "/dev/sg0 x"},
        "are not read from this device",
    ),
    ({"verb": "inspect", "identity": "/etc/passwd"}, "needs the identity of a disk"),
]


def test_what_it_refuses_it_does_not_do(device: str, tmp_path: Path) -> None:
    for changes, told in CASES:
        assert told in refused(request(device, **changes))
    assert is_blank(tmp_path / "disk.img")


def test_it_does_not_overwrite_data_that_was_not_named(device: str) -> None:
    tool("mkfs.ext4", "-q", device)
    assert "there is ext4" in refused(request(device))


def test_what_is_no_request_is_refused() -> None:
    for line in (b"", b"x" * 70000 + b"\n"):
        done = subprocess.run(HELPER, check=False, input=line, capture_output=True)
        assert done.returncode == 2
        assert "one line of JSON" in str(refusal(done.stderr.decode()))


def test_reading_needs_no_word_and_writes_nothing(device: str, tmp_path: Path) -> None:
    asked = request(device, word="", options={"rw": "randread", "bs": "4k"})
    with HelperProcess(asked, HELPER) as helper:
        assert b'"jobs"' in helper.stdout.read()
        assert helper.wait(30) == 0
    assert is_blank(tmp_path / "disk.img")


def load(device: str, stop: threading.Event, runtime_s: float) -> LoadResult:
    found = look(HOST, device)
    target = Device(Path(device), found.disk, 0, arm(device, found, found.disk.word))
    options = {"rw": "randwrite", "bs": "64k"}
    job = FioJob("w", (target.path,), 0, runtime_s, 0, True, options)
    readings: list[Reading] = []

    def emit(reading: Reading) -> None:
        readings.append(reading)
        stop.set()

    fio = Fio(job, guard=HelperGuard([target], command=HELPER))
    return fio.run(emit, lambda level, text: None, stop)


def test_a_load_through_the_helper_is_stopped_in_order(device: str) -> None:
    result = load(device, threading.Event(), 60)
    assert result.outcome is LoadOutcome.STOPPED
    assert result.values["write_iops"].value > 0


def test_several_disks_are_held_and_written_by_the_helper(
    device: str, tmp_path: Path
) -> None:
    with loop(tmp_path / "other.img") as other:
        targets = []
        for path in (device, other):
            found = look(HOST, path)
            armed = arm(path, found, found.disk.word)
            targets.append(Device(Path(path), found.disk, 0, armed))
        first, second = targets
        options = {"rw": "randwrite", "bs": "64k", "rate_iops": "200"}
        paths = tuple(target.path for target in targets)
        job = FioJob("w", paths, 0, 1, 0, True, options)
        guard = HelperGuard(targets, command=HELPER)
        result = Fio(job, guard=guard).run(
            lambda _: None, lambda *_: None, threading.Event()
        )
        assert result.outcome is LoadOutcome.DONE, result.reason
        assert result.values["iops.dev02"].value > 0
        assert not is_blank(tmp_path / "other.img")
        # One that nobody armed keeps all of them from being written.
        asked = fio_request(job, targets)
        whole = (tmp_path / "disk.img").read_bytes()
        for changes, told in (
            ({"word": "x"}, "is not its"),
            (disk_request(first), "is in use"),
            ({"identity": {"number": second.disk.identity.number}}, "armed"),
        ):
            one, two = dicts(asked["disks"])
            assert told in refused({**asked, "disks": [one, {**two, **changes}]})
        assert (tmp_path / "disk.img").read_bytes() == whole


def dicts(parts: object) -> list[dict[str, object]]:
    assert isinstance(parts, list)
    return parts


def test_what_the_administrator_lets_be_written_is_counted(
    device: str, tmp_path: Path
) -> None:
    policy = tmp_path / "guard.toml"
    policy.write_text(f"write_budget = {8 * 2**20}")
    script = (
        "import sys; from pathlib import Path; from workloads.helper import program\n"
        "from workloads.helper import fio\n"
        "fio.POLICY = Path(sys.argv[1])\n"
        "sys.exit(program.main())"
    )
    asked = request(device, runtime_ms=600_000)
    command = [sys.executable, "-c", script, str(policy)]
    with HelperProcess(asked, command) as helper:
        assert b'"jobs"' in helper.stdout.read()
        assert helper.wait(60) is not None
        assert "write budget" in helper.stderr_text()


@pytest.mark.parametrize(
    "text",
    [
        'write_budget = "10t"',
        "write_budget = 1e12",
        "write_budget = true",
        "writes = 8",
        'allow = "SERIAL"',
        '[guard]\nallow = ["SERIAL"]',
    ],
)
def test_a_limit_with_a_slip_in_it_is_not_taken_for_none(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper_fio, "POLICY", tmp_path / "guard.toml")
    assert helper_fio.policy() == ((), None)
    helper_fio.POLICY.write_text('allow = ["SERIAL"]\nwrite_budget = 8')
    assert helper_fio.policy() == (("SERIAL",), 8)
    helper_fio.POLICY.write_text(text)
    with pytest.raises(BenchError):
        helper_fio.policy()


def test_fio_ends_with_the_one_who_asked(device: str) -> None:
    asked = request(device, runtime_ms=60_000)
    helper = HelperProcess(asked, HELPER)
    assert helper.stdout.readline()
    os.kill(helper.pid, 0)
    helper.send_signal(signal.SIGKILL)
    assert helper.wait(30) is not None
    helper.close()
    assert look(HOST, device).writers == ()


@pytest.mark.parametrize("verb", ["fio", "mkfs"])
def test_a_stop_that_comes_right_behind_the_request_is_heard(
    verb: str, device: str, tmp_path: Path
) -> None:
    """Both are read at once, and the input stays open."""
    asked = request(device, verb=verb, runtime_ms=600_000, owner=0, timeout_ms=600_000)
    if verb == "mkfs":
        asked |= {"type": "ext4", "options": "", "mount": ""}
    slow = tmp_path / "bin" / "mkfs.ext4"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    script = (
        "import os, sys; from workloads.guard import root_only\n"
        "from workloads.helper import program\n"
        f"root_only._FOLDERS = ({str(slow.parent)!r}, *root_only._FOLDERS)\n"
        "root_only.is_roots = lambda path: True\n"
        "sys.exit(program.main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as helper:
        assert helper.stdin is not None
        assert helper.stderr is not None
        try:
            helper.stdin.write(json.dumps(asked).encode() + b"\nstop\n")
            helper.stdin.flush()
            assert helper.wait(60) is not None
            said = helper.stderr.read().decode()
        finally:
            helper.kill()
    if verb == "mkfs":
        assert "mkfs.ext4 was stopped" in str(refusal(said))
    else:
        assert '"error"' not in said


def wide(count: int) -> dict[str, object]:
    """A request for disks with names of the greatest length."""
    identity = {
        "serial": "ß" * 250,
        "wwn": "0x" + "5" * 32,
        "size": 2**63 - 1,
        "diskseq": 2**63 - 1,
        "number": "4095:1048575",
    }
    disk = {"identity": identity, "word": "w" * 250, "overwrite": ["linux_raid_member"]}
    options = {"rw": "write", "bssplit": ":".join(["4k/1"] * 100)}
    times = {"size": 0, "runtime_ms": 700, "ramp_ms": 0}
    return {"verb": "fio", "disks": [disk] * count, "options": options, **times}


def test_a_rack_of_a_thousand_disks_can_be_asked_for() -> None:
    """It is read as a whole, and refused for what is wrong with it."""
    with HelperProcess(wide(MOST_DISKS), HELPER) as helper:
        assert helper.wait(60) == 2
        assert "no block device" in str(refusal(helper.stderr_text()))


def test_more_disks_than_it_takes_are_refused_with_the_way_out() -> None:
    with pytest.raises(BadInput, match="1000 disks") as raised:
        HelperProcess(wide(MOST_DISKS + 1), HELPER)
    assert "over several benches" in raised.value.way_out
    assert "1000 disks" in refused(wide(MOST_DISKS + 1))
    line = b'{"x": "' + b"x" * LONGEST_REQUEST
    done = subprocess.run(HELPER, check=False, input=line, capture_output=True)
    assert "over several benches" in str(refusal(done.stderr.decode()))


@pytest.mark.parametrize("answer", ["[" * 5000, "{}", '[{"disk": 1}]', "[1e999]", "x"])
def test_an_answer_of_another_form_is_a_sentence(answer: str, tmp_path: Path) -> None:
    told = tmp_path / "answer"
    told.write_text(answer)
    with loop(tmp_path / "disk.img") as disk, pytest.raises(BenchError):
        inspect(disk, ["cat", str(told)])
    with pytest.raises(BenchError):
        seen_by_helper(["sh", "-c", f'cat "{told}"; [ "{answer[:2]}" != "{{}}" ]'])


def test_without_root_it_can_do_nothing(device: str, tmp_path: Path) -> None:
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    line = json.dumps(request(device)).encode() + b"\n"
    done = subprocess.run(
        [*user, "/usr/bin/python3", *HELPER[1:]],
        check=False,
        input=line,
        capture_output=True,
    )
    assert done.returncode != 0
    assert is_blank(tmp_path / "disk.img")


def test_pages_are_read_by_the_tools_that_read_them() -> None:
    with pytest.raises(BenchError):
        ask(
            "page", {"tool": "sg_logs", "page": "0x0d", "device": "/dev/sdzz;x"}, HELPER
        )
    told = ask("page", {"tool": "sg_ses", "page": "es", "device": "/dev/sg999"}, HELPER)
    assert told["code"] != 0
    assert "No such file" in told["stdout"] + told["stderr"]


def test_a_helper_that_is_not_installed_is_said() -> None:
    with pytest.raises(BenchError, match="helper is not installed"):
        helper_command()
    assert isinstance(refusal("nonsense"), BenchError)
    assert isinstance(
        refusal('{"error": {"what": "a", "where": "", "way_out": ""}}'), BadInput
    )
