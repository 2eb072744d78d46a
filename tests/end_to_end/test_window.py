"""The real program, its window on a real screen, driven by keyboard as a user would."""

import csv
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.record.store import Session
from tests.app.operations.benches import CAMPAIGN
from tests.virtual_display import VirtualDisplay

pytestmark = pytest.mark.xvfb

TRACES = ("#0072B2", "#D55E00")
"""The first two trace colours of the light theme and of the report."""

START_RUN = (64, 26)
"""Where the button and the page are, in pixels from the window's corner."""


def wait_for(what: str, ready: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds} s"
        time.sleep(0.2)


def is_open(display: VirtualDisplay, title: str) -> bool:
    try:
        display.xdotool("search", "--onlyvisible", "--name", title)
    except subprocess.CalledProcessError:
        return False
    return True


def finished(folder: Path) -> list[Path]:
    found = []
    for path in folder.glob("*.bayscope"):
        with Session.open(path) as session:
            if session.state == "complete":
                found.append(path)
    return found


def drawn(picture: Path, colour: str) -> int:
    """Count the pixels of a picture that have very nearly a colour."""
    with Image.open(picture) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    return int((np.abs(pixels - wanted).max(axis=2) < 40).sum())


def click(display: VirtualDisplay, x: int, y: int) -> None:
    """Click into the main window, at a place counted from its corner."""
    found = display.xdotool("search", "--onlyvisible", "--name", "Bayscope$")
    window = found.split()[0]
    display.xdotool("mousemove", "--window", window, str(x), str(y), "click", "1")


def test_a_campaign_is_clicked_through(
    display: VirtualDisplay, home: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "short.toml"
    plan.write_text(CAMPAIGN)
    folder = home / "Bayscope"
    log_file = tmp_path / "log"
    with (
        log_file.open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "app"],
            env={**display.environment(), "PYTHONFAULTHANDLER": "1"},
            stdout=log,
            stderr=log,
        ) as program,
    ):
        try:
            wait_for("the window", lambda: is_open(display, "^Bayscope"))
            click(display, *START_RUN)
            wait_for("the start dialog", lambda: display.is_active("Start run"))
            display.xdotool("key", "alt+c", "Tab", "space")
            wait_for("the file dialog", lambda: display.is_active("Choose a campaign"))
            display.xdotool("type", "--delay", "5", str(plan))
            display.xdotool("key", "Return")
            wait_for("the start dialog again", lambda: display.is_active("Start run"))
            display.xdotool("key", "Return")
            wait_for("the end of the run", lambda: bool(finished(folder)), 120)
            display.xdotool("key", "ctrl+4")
            picture = tmp_path / "sessions.png"

            def has_charts() -> bool:
                display.screenshot(picture)
                return all(drawn(picture, colour) > 150 for colour in TRACES)

            wait_for("charts in Sessions", has_charts)
        finally:
            program.terminate()
            code = program.wait(120)
    said = log_file.read_text()
    assert "Traceback" not in said, said
    assert code == 0, said

    (session,) = finished(folder)
    with Session.open(session) as record:
        rows = {str(row["step"]): row for row in record.report_table()}
        assert rows["Random read 4k"]["verdict"] == "PASS"
        assert record.trace("mains.P", None, None).times.size > 30

    exported = subprocess.run(
        [sys.executable, "-m", "app", "export", str(session), "--format", "csv,png"],
        cwd=tmp_path,
        check=False,
    )
    assert exported.returncode == 0
    with (tmp_path / f"{session.stem}.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [row["Workload"] for row in table][1] == "Random read 4k"
    assert float(table[1]["IOPS"]) > 100
    assert drawn(tmp_path / f"{session.stem}.png", TRACES[0]) > 500
