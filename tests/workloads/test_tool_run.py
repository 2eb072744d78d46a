"""Running external programs: lines with their times, ends in order, nothing left."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from instruments.errors import BenchError
from workloads.base import LoadCause
from workloads.command_line import find_program
from workloads.tool_ended import Line, report
from workloads.tool_run import run_tool

ROOT = Path(__file__).parents[2]
DIE = """
import threading
from workloads.tool_run import run_tool
run_tool(
    ["sh", "-c", "sleep 600 & echo $! > pid; wait"], name="tool", say=print,
    stop=threading.Event(), longest_s=600,
)
"""


def run(  # type: ignore[no-untyped-def]
    script: str,
    longest_s: float = 60,
    stop: bool = False,
    then: Callable[[], object] = lambda: None,
    **more: float,
):
    said: list[tuple[str, str]] = []
    taken: list[Line] = []
    asked = threading.Event()

    def take(line: Line) -> None:
        taken.append(line)
        if len(taken) == 1:
            then()
        if stop:
            asked.set()

    ended = run_tool(
        ["sh", "-c", script],
        name="tool",
        say=lambda *each: said.append(each),
        stop=asked,
        longest_s=longest_s,
        take=take,
        **more,  # type: ignore[arg-type]
    )
    return ended, said, taken


def test_lines_come_with_their_times(tmp_path: Path) -> None:
    """The second line is printed some time after the first one was taken."""
    go_on = tmp_path / "go-on"
    wait = f"until [ -e '{go_on}' ]; do sleep 0.02; done"
    ended, said, taken = run(
        f"echo one; {wait}; echo two; echo oh >&2",
        then=threading.Timer(0.3, go_on.touch).start,
    )
    assert (ended.code, ended.forced.cause, said) == (0, LoadCause.NONE, [])
    assert [line.text for line in taken] == ["one", "two"]
    assert taken[1].at_ns - taken[0].at_ns > 0.25e9
    assert ended.start_ns < taken[0].at_ns < ended.end_ns
    assert (ended.text, ended.last_words()) == ("one\ntwo\n", "oh")


def test_a_stop_and_the_end_of_its_time_are_told_apart() -> None:
    ended, _, _ = run("echo ready; exec sleep 600", stop=True)
    assert ended.forced.cause is LoadCause.STOPPED
    assert ended.how == "ended by signal SIGINT"
    ended, said, _ = run("sleep 600", longest_s=0.3)
    assert ended.forced.cause is LoadCause.OVERTIME
    assert said[0] == ("error", "tool is ended: it did not end in 0 s")


def test_a_quiet_program_is_told_of_once() -> None:
    _, said, _ = run("sleep 1", quiet_s=0.2)
    assert len(said) == 1
    assert "nothing from tool" in said[0][1]


def test_what_it_started_is_killed_with_it() -> None:
    ended, said, taken = run("sleep 600 >/dev/null & echo $!")
    assert ended.code == 0
    assert ("warning", "tool left helper processes behind; they were ended") in said
    assert is_gone(int(taken[0].text))


def test_nothing_is_left_where_bayscope_itself_is_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    own = subprocess.Popen([sys.executable, "-c", DIE], cwd=tmp_path, env=environment)
    deadline = time.monotonic() + 60
    # Its guardian is started right after the tool.
    while not has_guardian(tmp_path / "pid"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    own.send_signal(signal.SIGKILL)
    own.wait()
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_many_messages_become_few_events() -> None:
    said: list[str] = []
    report("tool", lambda _, text: said.append(text), [f"m{n}" for n in range(30)])
    assert len(said) == 21
    assert said[-1] == "tool: 10 more messages are kept"


def test_a_program_is_named_by_a_variable_or_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("BAYSCOPE_SHELL", raising=False)
    assert find_program("shell", "sh", "").endswith("/sh")
    (tmp_path / "plain").touch()
    monkeypatch.setenv("BAYSCOPE_SHELL", str(tmp_path / "plain"))
    with pytest.raises(BenchError, match="BAYSCOPE_SHELL names"):
        find_program("shell", "sh", "")


def has_guardian(member: Path) -> bool:
    """Tell whether the group of a process, whose number is in a file, has one."""
    if not member.exists() or not member.read_text().strip():
        return False
    group = os.getpgid(int(member.read_text()))
    said = f"bayscope-guardian\0{group}\0".encode()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if said in file.read_bytes():
                return True
    return False


def is_gone(pid: int) -> bool:
    """Wait until a process is no more, or is but a zombie."""
    for _ in range(1200):
        try:
            if (
                Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                == "Z"
            ):
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_a_line_without_an_end_is_cut() -> None:
    script = "head -c 10000000 /dev/zero; echo; echo last"
    ended = run_tool(
        ["sh", "-c", script],
        name="tool",
        say=lambda *_: None,
        stop=threading.Event(),
        longest_s=60.0,
    )
    assert [len(line.text) < 10**6 for line in ended.lines] == [True, True]
    assert ended.lines[-1].text == "last"
