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

from app.operations.demo import demo_campaign
from tests.virtual_display import VirtualDisplay

PLACE = Path(__file__).parent.parent / "docs" / "pictures"
SIZE = (1440, 900)
PREPARING_S = 14.0
"""Filling the scratch file and calibrating, before the first step."""


def main() -> None:
    """Take the Live and the Sessions view in both themes."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        with tempfile.TemporaryDirectory() as home:
            take(theme, Path(home))


def take(theme: str, home: Path) -> None:
    """Run the demo in the window and take both views.

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
