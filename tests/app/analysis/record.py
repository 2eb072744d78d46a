"""A session file that tests of results fill channel by channel."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.analysis.results import step_results
from app.analysis.samples import Floats
from app.record.store import Result, Session, SessionInfo, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 1_000 * SECOND
WINDOW = (START, START + 10 * SECOND)


def channel(source: str, quantity: str, unit: str, location: str = "") -> Channel:
    period = SECOND // 10 if quantity in ("P", "S", "Wh") else SECOND
    return Channel(source, quantity, unit, location, period_ns=period)


def info() -> SessionInfo:
    return session_info(dut="dut", monotonic_ns=START, realtime_ns=START)


class Record:
    """A session file that is written channel by channel and then read."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "x.bayscope"
        self.writer = Writer.create(self.path, info())
        for name, section in (("a", "power"), ("b", "power"), ("ses", "thermal")):
            self.writer.add_source(
                name, section, "test", Identity("", "", "", "", ""), ""
            )

    def add(self, one: Channel, values: list[float], seconds: float = 10.0) -> None:
        """Spread the values evenly over the window."""
        count = len(values)
        times = START + ((np.arange(count) + 0.5) * seconds / count * 1e9).astype(int)
        self.writer.append_trace(
            (one,), times, times, np.array(values, dtype=float).reshape(-1, 1)
        )

    def integrate(
        self,
        watt_seconds: Callable[[Floats], Floats],
        period_s: float = 0.1,
        beats: slice = slice(None),
    ) -> None:
        """Add what an integrator shows on its beat, from before to after the window.

        Args:
            watt_seconds: What it has counted at a time in s since the window began.
            period_s: Its beat.
            beats: Which of them there are; the first lies before the window.
        """
        late = round(0.3 * period_s * SECOND)
        beat = round(period_s * SECOND)
        times = (START - late + beat * np.arange(-1, 10 * SECOND // beat + 3))[beats]
        values = 5 + watt_seconds((times - START) / SECOND) / 3600
        energy = Channel("a", "Wh", "Wh", period_ns=beat)
        self.writer.append_trace((energy,), times, times, values.reshape(-1, 1))

    def results(self) -> dict[str, Result]:
        self.writer.commit()
        self.writer.finish()
        with Session.open(self.path) as session:
            return {r.name: r for r in step_results(session, WINDOW)}


def bursts(seconds: Floats) -> Floats:
    return np.where(seconds < 5, 100.0, 1000.0)


def read_at(record: Record, seconds: Floats, watts: Floats) -> None:
    times = START + (seconds * SECOND).astype(np.int64)
    record.writer.append_trace(
        (channel("a", "P", "W"),), times, times, watts.reshape(-1, 1)
    )
