"""Make the README's pictures: the real window, the demo campaign, light and dark.

Run it with `./run pictures`; it takes about six minutes.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from app.operations.run.demo import demo_campaign
from tests.virtual_display import VirtualDisplay

PLACE = Path(__file__).parent.parent / "docs" / "pictures"
SIZE = (1440, 900)
PREPARING_S = 14.0
"""Filling the scratch file and calibrating, before the first step."""

CHECK_S = 8.0
"""Enough for the simulator to start and three sources to answer."""

CHART, SLOT = ("800", "560"), ("1000", "330")
"""Where charts and a slot are, in pixels of the screen."""

STEP = ("560", "318")
"""Where a step with a load is, on the Campaigns page."""

STEPS_BACK = 4
"""How many times ten seconds before its end the session is hot."""


def main() -> None:
    """Take every view of the README and the manual in both themes."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        with tempfile.TemporaryDirectory() as home:
            take(theme, Path(home))


def take(theme: str, home: Path) -> None:
    """Check the bench, run the demo, replay it, and take what is seen.

    Args:
        theme: "light" or "dark".
        home: An empty home folder.
    """
    settings = home / ".config" / "bayscope" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'theme = "{theme}"\n', encoding="utf-8")
    display = VirtualDisplay(*SIZE)
    environment = {**display.environment(), "HOME": str(home)}
    environment["XDG_CONFIG_HOME"] = str(home / ".config")
    program = [sys.executable, "-m", "app"]
    try:
        with subprocess.Popen(program, env=environment) as window:
            show(display)
            save(display, f"home-{theme}.png")
            display.xdotool("key", "ctrl+1")
            time.sleep(1)
            display.xdotool("key", "ctrl+b")
            time.sleep(CHECK_S)
            save(display, f"bench-{theme}.png")
            display.xdotool("key", "ctrl+2")
            time.sleep(2)
            display.xdotool("mousemove", *STEP, "click", "1")
            time.sleep(2)
            save(display, f"campaigns-{theme}.png")
            display.xdotool("key", "ctrl+1")
            display.xdotool("key", "ctrl+r")
            time.sleep(2)
            display.xdotool("key", "Return")
            length = demo_campaign().duration_s
            time.sleep(PREPARING_S + 0.75 * length)
            save(display, f"live-{theme}.png")
            time.sleep(0.25 * length + 2 * PREPARING_S)
            window.terminate()
        [session] = (home / "Bayscope").glob("*.bayscope")
        with subprocess.Popen([*program, str(session)], env=environment) as window:
            show(display)
            time.sleep(3)
            save(display, f"sessions-{theme}.png")
            display.xdotool("mousemove", *CHART, "click", "1")
            display.xdotool("key", *["shift+Left"] * STEPS_BACK, "alt+l")
            time.sleep(2)
            display.xdotool("mousemove", *SLOT, "click", "1")
            time.sleep(3)
            save(display, f"slots-{theme}.png")
            window.terminate()
    finally:
        display.stop()


def show(display: VirtualDisplay) -> None:
    """Wait for the window and let it fill the screen."""
    window = display.xdotool("search", "--sync", "--onlyvisible", "--name", "^Bayscope")
    first = window.split()[0]
    display.xdotool("windowmove", first, "0", "0")
    display.xdotool("windowsize", first, *(str(length) for length in SIZE))
    time.sleep(2)


def save(display: VirtualDisplay, name: str) -> None:
    """Save the screen in all its colours."""
    picture: Image.Image = display.screenshot()
    picture.save(PLACE / name, optimize=True)
    print(os.fspath(PLACE / name))


if __name__ == "__main__":
    main()
