"""Real programs, really started, signalled, killed and orphaned."""

import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from instruments.errors import Aborted, BenchError
from instruments.tools import command
from instruments.tools.command_errors import missing

PYTHON = sys.executable


def test_run_gives_output_complaints_and_code() -> None:
    done = command.run(["sh", "-c", "echo out; echo oops >&2; exit 3"], 10)
    assert done == command.Completed("out\n", "oops\n", 3)


def test_run_sets_variables() -> None:
    assert command.run(["sh", "-c", "echo $A"], 10, env={"A": "b"}).stdout == "b\n"


def test_a_missing_tool_is_a_sentence_with_the_way_out() -> None:
    with pytest.raises(BenchError, match=r"no-such-tool: .*apt install no-such-tool"):
        command.run(["no-such-tool"], 1)
    with pytest.raises(BenchError, match="not installed"):
        command.start(["no-such-tool"])


def test_system_folders_are_searched_after_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, word in (("bin", "first"), ("sbin", "last")):
        (tmp_path / folder).mkdir()
        for name in ("both", folder):
            tool = tmp_path / folder / name
            tool.write_text(f"#!/bin/sh\necho {word}\n")
            tool.chmod(0o755)
    monkeypatch.setattr(command, "SYSTEM_FOLDERS", (str(tmp_path / "sbin"),))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert command.run(["both"], 5).stdout == "first\n"
    assert command.run(["sbin"], 5).stdout == "last\n"


def test_a_missing_tool_names_its_package() -> None:
    assert "apt install sg3-utils'" in str(missing("/usr/bin/sg_ses"))
    assert "Get it from Microchip" in str(missing("arcconf"))
    assert str(missing("smartctl", "root@head")).startswith("smartctl on root@head: ")


def test_a_file_that_is_no_program_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "tool"
    path.write_bytes(b"\x7fELF rubbish")
    path.chmod(0o755)
    with pytest.raises(BenchError, match="cannot be started"):
        command.run([str(path)], 1)
    with pytest.raises(BenchError, match="cannot be started"):
        command.start([str(path)], tied=False)


def test_run_kills_what_takes_too_long_with_its_helpers() -> None:
    # As long as the helper lives its end of the pipe is open, and this waits for it.
    began = time.monotonic()
    with pytest.raises(BenchError, match=r"did not finish within 0\.2 s"):
        command.run(["sh", "-c", "sleep 600 & sleep 600"], 0.2)
    assert time.monotonic() - began < 300


@pytest.mark.parametrize("closing", ["", "exec >&- 2>&-; "])
def test_run_ends_what_is_cancelled(closing: str) -> None:
    cancel = threading.Event()
    threading.Timer(0.1, cancel.set).start()
    with pytest.raises(Aborted, match="sh was ended"):
        command.run(["sh", "-c", f"{closing}sleep 600"], 600, cancel=cancel)


def test_start_streams_output_while_it_runs() -> None:
    code = "import sys,time; print('a', flush=True); time.sleep(600)"
    with command.start([PYTHON, "-c", code]) as running:
        assert running.stdout.readline() == b"a\n"
        assert running.wait(0) is None
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == -signal.SIGTERM


def test_stderr_stays_readable_after_the_end() -> None:
    with command.start(["sh", "-c", "echo bad >&2; exit 7"]) as running:
        assert running.wait(60) == 7
        assert running.stderr_text() == "bad\n"
    assert running.stderr_text() == "bad\n"
    running.send_signal(signal.SIGINT)
    running.close()


def test_leaving_kills() -> None:
    with command.start(["sleep", "600"]) as running:
        pid = running.pid
        assert Path(f"/proc/{pid}").exists()
        assert Path(f"/proc/{pid}/comm").read_text() != ""
    assert not Path(f"/proc/{pid}").exists()


def test_the_pid_is_the_programs_own_even_when_tied() -> None:
    with command.start(["sh", "-c", "echo $$"]) as running:
        assert int(running.stdout.readline()) == running.pid


ORPHANING = """
import sys, threading, time
from instruments.tools import command
kept = []
worker = threading.Thread(
    target=lambda: kept.append(command.start(["sleep", "600"], tied=True)))
worker.start(); worker.join()
time.sleep(0.3)  # the thread that asked is gone; the child must not be
print(kept[0].pid, kept[0].wait(0), flush=True)
time.sleep(600)
"""


def test_a_tied_child_outlives_the_asking_thread_and_dies_with_us() -> None:
    with command.start([PYTHON, "-c", ORPHANING], tied=False) as parent:
        pid, state = parent.stdout.readline().split()
        assert state == b"None"
        stat = Path(f"/proc/{int(pid)}/stat")
        assert stat.exists()
        parent.send_signal(signal.SIGKILL)
        parent.wait(60)
        assert _gone_within(stat, 60)


def _gone_within(stat: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        # An orphan may stay a zombie where nobody reaps; it runs no more.
        try:
            if stat.read_text().rpartition(")")[2].split()[0] in "ZX":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def test_a_tool_that_may_not_be_run_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "bench-tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o644)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(command, "SYSTEM_FOLDERS", ())
    with pytest.raises(BenchError, match=r"cannot be started \(it is not executable\)"):
        command.run(["bench-tool"], 5)


@pytest.mark.parametrize("where", ["", ">&2"])
def test_a_tool_that_prints_without_end_is_stopped(where: str) -> None:
    with pytest.raises(BenchError, match="MiB"):
        command.run(["sh", "-c", f"exec cat /dev/zero {where}"], 300)


def test_complaints_without_end_take_no_more_memory_than_their_end() -> None:
    script = "head -c 100000000 /dev/zero >&2; printf last >&2; echo done"
    with command.start(["sh", "-c", script]) as running:
        assert running.stdout.readline() == b"done\n"
        running.wait()
        assert running.stderr_text().endswith("last")
        assert len(running.stderr_text()) < 2**20
