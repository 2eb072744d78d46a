"""A display that does not answer is a sentence, not an abort of Qt."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.ui.window.application import check_display
from instruments.errors import BenchError


def dead_display() -> str:
    """Find a display number that nobody uses."""
    used = {path.name for path in Path("/tmp/.X11-unix").glob("X*")}
    return next(f":{n}" for n in range(77, 1000) if f"X{n}" not in used)


def test_a_dead_display_ends_the_program_with_one_sentence(tmp_path: Path) -> None:
    name = dead_display()
    environment = {**os.environ, "DISPLAY": name}
    for other in ("WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"):
        environment.pop(other, None)
    done = subprocess.run(
        [sys.executable, "-m", "app", "--dir", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )
    assert done.returncode == 3  # an abort would be -6
    assert done.stderr.startswith(f"bayscope: the display {name} does not answer.")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("environment", "what"),
    [
        ({}, "there is no display"),
        ({"DISPLAY": "rubbish"}, "the display rubbish does not answer"),
        ({"DISPLAY": "localhost:99999"}, "the display localhost:99999"),
        ({"WAYLAND_DISPLAY": "wayland-77"}, "the display wayland-77"),
        ({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": "/nowhere"}, "the display w does"),
        ({"QT_QPA_PLATFORM": "xcb"}, "there is no display"),
        ({"QT_QPA_PLATFORM": "xcb", "WAYLAND_DISPLAY": "w"}, "there is no display"),
    ],
)
def test_what_does_not_answer_is_named(
    environment: Mapping[str, str], what: str
) -> None:
    with pytest.raises(BenchError, match=what) as caught:
        check_display(environment)
    assert "bayscope demo" in str(caught.value)


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "xcb;offscreen"])
def test_a_platform_without_a_display_is_not_asked(platform: str) -> None:
    check_display({"QT_QPA_PLATFORM": platform, "DISPLAY": dead_display()})


def test_a_wayland_socket_that_answers_is_enough(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "w"))
        server.listen()
        check_display({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)})
        check_display({"WAYLAND_DISPLAY": str(tmp_path / "w"), "DISPLAY": ":x"})


def test_a_display_over_the_network_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1] - 6000
        check_display({"DISPLAY": f"127.0.0.1:{number}.0"})


def test_a_display_of_this_host_is_reached_by_its_socket() -> None:
    name = dead_display()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0/tmp/.X11-unix/X{name[1:]}")
        server.listen()
        check_display({"DISPLAY": name})
        check_display({"DISPLAY": f"unix{name}.0", "QT_QPA_PLATFORM": "xcb"})
