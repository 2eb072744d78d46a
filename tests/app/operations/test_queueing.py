"""Campaigns one after the other: what fails at once, what goes on, what is told."""

import json
import os
import shlex
import signal
import socketserver
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from app.__main__ import main
from app.bench.file import default_bench
from app.operations.queueing import (
    Done,
    Order,
    check_again,
    check_order,
    exit_code_of,
    parse_command,
    parse_time,
    run_command,
    wait_until,
)
from app.operations.run.arming import Arming
from app.operations.run.run import RunResult
from app.plan.campaign import load_campaign
from app.plan.verdict import Verdict
from instruments.errors import Aborted, BadInput, BenchError
from tests.workloads.guard.loops import SIZE, loop

ROOT = Path(__file__).parents[3]
NOON = datetime(2026, 3, 21, 12, 0).astimezone()


def plan(folder: Path, name: str, more: str = "", engine: str = "idle") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(
        f'name = "{name}"\n[[step]]\nlabel = "Rest"\nengine = "{engine}"\n'
        f'runtime = "2s"\n{more}'
    )
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("22:00", "2026-03-21 22:00"),
        ("11:59", "2026-03-22 11:59"),
        ("12:00", "2026-03-22 12:00"),
        (" 2026-03-22 08:30 ", "2026-03-22 08:30"),
        ("2026-03-22T08:30", "2026-03-22 08:30"),
    ],
)
def test_a_time_is_the_next_one(text: str, expected: str) -> None:
    assert f"{parse_time(text, NOON):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    "text", ["", "25:00", "noon", "2026-03-21 11:00", "22", "-1:00"]
)
def test_what_is_no_time_to_come(text: str) -> None:
    with pytest.raises(BadInput, match="22:00"):
        parse_time(text, NOON)


def test_waiting_ends_at_its_time_or_when_it_is_stopped() -> None:
    told: list[float] = []
    soon = datetime.now(UTC) + timedelta(seconds=0.2)
    wait_until(soon, threading.Event(), told.append)
    assert datetime.now(UTC) >= soon
    assert told
    stop = threading.Event()
    stop.set()
    with pytest.raises(Aborted):
        wait_until(soon + timedelta(hours=1), stop, told.append)


def test_a_mistake_is_told_when_it_is_queued(tmp_path: Path) -> None:
    good = load_campaign(plan(tmp_path, "good"))
    check_order(Order(good, default_bench(), tmp_path))
    with pytest.raises(BadInput, match="no disk to arm"):
        check_order(Order(good, default_bench(), tmp_path, arming=Arming(("SN1",))))
    with pytest.raises(BadInput):
        check_order(Order(good, default_bench(), tmp_path, without=["nobody"]))


def test_a_disk_in_use_is_queued_for_later_by_its_word_alone(tmp_path: Path) -> None:
    more = '[step.fio]\nrw = "write"\nbs = "64k"\n'
    campaign = load_campaign(plan(tmp_path, "disk", more, "fio"))
    image = tmp_path / "disk.img"
    # With contents of its own it is no other disk, whatever other tests have in use.
    image.write_bytes(os.urandom(SIZE))
    with loop(image) as device:
        bench = default_bench().with_target(Path(device))
        bench = replace(bench, dut=replace(bench.dut, size=0))
        right = Arming((f"{Path(device).name}:{SIZE}",))
        order = Order(campaign, bench, tmp_path, arming=right)
        handle = os.open(device, os.O_RDWR | os.O_EXCL)
        try:
            with pytest.raises(BadInput, match="must not be overwritten"):
                check_order(order)
            check_order(order, later=True)
            with pytest.raises(BadInput, match="That is not the"):
                check_order(replace(order, arming=Arming(("SN1",))), later=True)
        finally:
            os.close(handle)


def test_a_run_that_would_not_be_valid_is_not_started(tmp_path: Path) -> None:
    text = '[[interlock]]\nname = "hot"\nchannels = ["nothing.*"]\nabove = 1\n'
    campaign = load_campaign(plan(tmp_path, "blind", text))
    with pytest.raises(BenchError, match="pre-flight"):
        check_again(Order(campaign, default_bench(), tmp_path), threading.Event())


class _Mail(socketserver.StreamRequestHandler):
    """Takes one mail, as a mail server does."""

    got: ClassVar[list[str]] = []

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while (line := self.rfile.readline()) and line.upper() != b"QUIT\r\n":
            if line.upper() == b"DATA\r\n":
                self.wfile.write(b"354 go on\r\n")
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    self.got.append(line.decode().strip())
            self.wfile.write(b"250 yes\r\n")
        self.wfile.write(b"221 bye\r\n")


def test_the_script_of_the_manual_sends_a_mail(tmp_path: Path) -> None:
    manual = (ROOT / "docs" / "manual.md").read_text()
    script = manual.split("```sh\n", 1)[1].split("```", 1)[0]
    with socketserver.TCPServer(("127.0.0.1", 0), _Mail) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"127.0.0.1:{server.server_address[1]}"
        file = tmp_path / "mail.sh"
        file.write_text(script.replace("mail.lab.example", here))
        file.chmod(0o755)
        ended = Done("a", error=BenchError("there is no meter"))
        run_command([str(file)], [ended, ended], threading.Event())
        server.shutdown()
    assert _Mail.got[0] == "Subject: Bayscope: ERROR ERROR"


def test_the_gravest_code_counts() -> None:
    def done(verdict: Verdict) -> Done:
        return Done("x", RunResult(Path("x"), verdict, ""))

    assert exit_code_of([]) == 0
    assert exit_code_of([done(Verdict.PASS), done(Verdict.FAIL)]) == 1
    assert exit_code_of([done(Verdict.FAIL), Done("y", error=BenchError("z"))]) == 3
    assert exit_code_of([done(Verdict.ABORTED), done(Verdict.ERROR)]) == 4


def test_a_command_is_no_shell_and_learns_what_became_of_it(tmp_path: Path) -> None:
    script = f"import os; open({str(tmp_path / 'o')!r}, 'w').write(repr(os.environ))"
    words = parse_command(
        shlex.join([sys.executable, "-c", script, "; rm -rf x $HOME"])
    )
    done = [Done("a", RunResult(tmp_path / "a b", Verdict.FAIL, "")), Done("c")]
    run_command(words, done, threading.Event())
    told = (tmp_path / "o").read_text()
    assert "'BAYSCOPE_EXIT_CODE': '1'" in told
    assert str(tmp_path / "a b") in told
    with pytest.raises(BenchError, match="exit code 3"):
        run_command(
            [sys.executable, "-c", "raise SystemExit(3)"], done, threading.Event()
        )
    for text in ("", "no-such-program-here", "sh -c 'x"):
        with pytest.raises(BadInput):
            parse_command(text)


@pytest.mark.usefixtures("unhurried")
def test_the_next_one_goes_on_or_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = plan(tmp_path, "bad", 'limits = ["power_w < 1"]\n')
    good = plan(tmp_path, "good")
    said = tmp_path / "said"
    script = (
        f"import os; open({str(said)!r}, 'w').write(os.environ['BAYSCOPE_VERDICTS'])"
    )
    then = shlex.join([sys.executable, "-c", script])
    words = ["run", str(bad), str(good), "--out", str(tmp_path / "o"), "--json"]
    assert main([*words, "--then", then]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert [run["verdict"] for run in shown["runs"]] == ["FAIL", "PASS"]
    assert said.read_text() == "FAIL\nPASS"
    assert main([*words, "--after-failure", "stop"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert len(shown["runs"]) == 1
    assert shown["not_started"] == ["good"]


def test_nothing_is_run_after_a_stop(tmp_path: Path) -> None:
    long = plan(tmp_path, "long")
    long.write_text(long.read_text().replace('"2s"', '"600s"'))
    good, out, said = plan(tmp_path, "good"), tmp_path / "o", tmp_path / "said"
    words = ["-m", "app", "run", str(long), str(good), "--out", str(out)]
    then = shlex.join(["touch", str(said)])
    process = subprocess.Popen(
        [sys.executable, *words, "--then", then],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(out.glob("*.bayscope")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 4
    assert not said.exists()
    assert "--then" in told


def test_nothing_is_started_where_one_of_them_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = plan(tmp_path, "good")
    out = tmp_path / "o"
    asks = plan(tmp_path, "asks", '[step.prompt]\ntext = "Do it"\n', engine="prompt")
    for words in (
        [str(tmp_path / "missing.toml")],
        [str(asks)],
        ["--at", "half past"],
        ["--then", "no-such-program-here"],
        ["--arm", "SN1", str(good)],
        ["--answer", "Nobody=done", str(good)],
    ):
        assert main(["run", str(good), *words, "--out", str(out)]) == 2
        capsys.readouterr()
    assert not out.exists()
