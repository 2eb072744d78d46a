"""Look for what could be put on a bench: every driver that can, all at once."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import tomlkit

from app.bench.drivers import drivers
from instruments.driver import Driver, Found
from instruments.errors import BenchError
from instruments.tools.hosts import Host, LocalHost

# They wait for answers, and need hardly any processor.
_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Discovery:
    """What one driver found on one host.

    Attributes:
        driver: The driver.
        found: What could be a source; may be empty.
        error: Why it could not look, "" where it could.
    """

    driver: Driver
    found: tuple[Found, ...] = ()
    error: str = ""


def discover(
    host: Host | None = None,
    *,
    sections: Sequence[str] = (),
    progress: Callable[[Discovery], None] = lambda _: None,
    cancel: threading.Event | None = None,
) -> list[Discovery]:
    """Let every driver look for devices; it may take some seconds.

    Args:
        host: Where their tools run; this machine by default.
        sections: Which sections to look for; all by default.
        progress: Takes what each driver found as soon as it has, in any order and
            from any thread.
        cancel: Set by the caller to leave out what has not begun.

    Returns:
        One entry a driver, in the order drivers are offered.
    """
    place = host or LocalHost()
    wanted = [d for d in drivers().values() if not sections or d.section in sections]

    def look(driver: Driver) -> Discovery:
        if cancel is not None and cancel.is_set():
            return Discovery(driver)
        try:
            found = Discovery(driver, tuple(driver.discover(place)))
        except BenchError as error:
            found = Discovery(driver, error=str(error))
        progress(found)
        return found

    with ThreadPoolExecutor(_WORKERS, "discover") as pool:
        return list(pool.map(look, wanted))


def discoveries_as_json(discoveries: Sequence[Discovery]) -> list[dict[str, object]]:
    """Write what was found as plain values."""
    return [
        {
            "section": discovery.driver.section,
            "driver": discovery.driver.name,
            "title": discovery.driver.title,
            "found": [
                {"label": found.label, "keys": dict(found.values)}
                for found in discovery.found
            ],
            "error": discovery.error or None,
        }
        for discovery in discoveries
    ]


def discoveries_text(discoveries: Sequence[Discovery]) -> str:
    """Write what was found for the terminal, ready to be put into bench.toml."""
    parts = []
    for discovery in discoveries:
        for found in discovery.found:
            keys = {"driver": discovery.driver.name, **found.values}
            head = f"[[{discovery.driver.section}]]  # {found.label}"
            parts.append(f"{head}\n{tomlkit.dumps(keys)}")
        if discovery.error:
            parts.append(f"# {discovery.driver.name}: {discovery.error}\n")
    nothing = "Nothing was found that could be a source.\n"
    return "\n".join(parts) if parts else nothing
