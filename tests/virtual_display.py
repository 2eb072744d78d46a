"""A real X display without a monitor, for tests that open the window as users do."""

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

from PIL import Image, ImageGrab

START_S = 60.0


class VirtualDisplay:
    """An Xvfb of its own on a free display number, with openbox to manage windows.

    Attributes:
        name: The display, such as ":99".
    """

    def __init__(self, width: int = 1600, height: int = 1000) -> None:
        """Start both and wait until the display answers.

        Args:
            width: Of the screen, pixels.
            height: Of the screen, pixels.

        Raises:
            FileNotFoundError: Xvfb or openbox is not installed.
            TimeoutError: The display did not come up.
        """
        for program in ("Xvfb", "openbox", "xdotool"):
            if shutil.which(program) is None:
                text = f"{program} is missing: `./run test` installs what tests need"
                raise FileNotFoundError(text)
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            self.name = self._start_screen(width, height)
            self._processes.append(
                subprocess.Popen(
                    ["openbox", "--sm-disable"],
                    env=self.environment(),
                    stderr=subprocess.DEVNULL,
                )
            )
            self._wait_for_window_manager()
        except BaseException:
            self.stop()
            raise

    def _start_screen(self, width: int, height: int) -> str:
        reading, writing = os.pipe()
        with os.fdopen(reading) as answer:
            command = ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp"]
            # Else it begins anew when its only client leaves it, such as one that asks
            # for the window manager, which may knock just then.
            command += ["-noreset", "-screen", "0", f"{width}x{height}x24"]
            screen = subprocess.Popen(
                command,
                pass_fds=[writing],
                stderr=subprocess.DEVNULL,
            )
            self._processes.append(screen)
            os.close(writing)
            # A pipe has no deadline of its own: one that hangs is ended from here.
            watchdog = threading.Timer(START_S, screen.kill)
            watchdog.start()
            number = answer.readline().strip()
            watchdog.cancel()
        if not number:
            raise TimeoutError(f"Xvfb did not start within {START_S} s")
        return f":{number}"

    def _wait_for_window_manager(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                self.xdotool("get_desktop")
            except subprocess.CalledProcessError:
                time.sleep(0.02)
            else:
                return
        raise TimeoutError(f"openbox did not start within {START_S} s")

    def environment(self) -> dict[str, str]:
        """Return the variables of a program that shall open its window here."""
        return {
            **os.environ,
            "DISPLAY": self.name,
            "QT_QPA_PLATFORM": "xcb",
            "XDG_SESSION_TYPE": "x11",
        }

    def xdotool(self, *words: str, timeout_s: float = 60.0) -> str:
        """Do what a user does with mouse and keyboard; return what xdotool printed."""
        done = subprocess.run(
            ["xdotool", *words],
            env=self.environment(),
            check=True,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )
        return done.stdout.strip()

    def is_active(self, title: str) -> bool:
        """Tell whether the keyboard goes to a window whose title begins so."""
        try:
            name = self.xdotool("getactivewindow", "getwindowname")
        except subprocess.CalledProcessError:
            return False
        return name.startswith(title)

    def wait_for_active(self, title: str) -> None:
        """Wait until the keyboard goes to a window; raises TimeoutError."""
        deadline = time.monotonic() + START_S
        while not self.is_active(title):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{title} did not come up within {START_S} s")
            time.sleep(0.05)

    def screenshot(self, path: Path | None = None) -> Image.Image:
        """Take a picture of the whole screen, and save it where a path is given."""
        picture = ImageGrab.grab(xdisplay=self.name)
        if path is not None:
            picture.save(path)
        return picture

    def stop(self) -> None:
        """End the window manager and the display; harmless when they are gone."""
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()
