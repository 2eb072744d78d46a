"""Starting Bayscope as a user does: the real program in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


def bayscope(
    *arguments: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env={**os.environ, **(env or {})},
    )


def test_without_a_display_the_window_says_so() -> None:
    bare = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    done = bayscope(env=bare)
    assert done.returncode == 3
    assert "no display" in done.stderr
    assert "bayscope demo" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("--bench",), ("a.bayscope", "b.bayscope")])
def test_a_wrong_start_is_one_sentence(arguments: tuple[str, ...]) -> None:
    done = bayscope(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("bayscope: ")
    assert done.stderr.count("\n") == 1


def test_help_and_version_are_there() -> None:
    assert "demo" in bayscope("--help").stdout
    assert bayscope("--version").stdout.startswith("bayscope ")


def test_what_cannot_be_written_is_one_sentence() -> None:
    argv = [sys.executable, "-m", "app", "drivers"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            argv, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("bayscope: what it says could not be written: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_the_shell_closed_is_no_trouble(closed: str) -> None:
    command = f"{sys.executable} -m app drivers {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert bool(done.stdout) == (">&-" not in closed.replace("2>", ""))


def test_an_early_ctrl_c_waits_until_there_are_words_for_it() -> None:
    started = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'app', 'drivers'])\n"
    )
    argv = [sys.executable, "-c", started]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr == "bayscope: it was interrupted before it began.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_simulator_ends_in_order(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app", "simulate", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "Simulated bench" in process.stdout.readline()
        process.send_signal(number)
        assert process.wait(60) == 0


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app", "simulate", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = process.stdout.readline().split("::")[2]
        done = bayscope("simulate", "--port", port)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert done.returncode == 3
    assert f"port {port}: another program listens there." in done.stderr
    assert "Traceback" not in done.stderr
