"""How a run speaks to its caller between its steps, and hears a stop."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.campaign.run.progress import Progress


@dataclass(frozen=True, slots=True)
class RunProgress:
    """What takes snapshots, and the stop of the whole run."""

    progress: Callable[[Progress], None]
    cancel: threading.Event

    def say(self, state: str, session: Path) -> None:
        """Tell what is done beside the steps."""
        self.progress(Progress(state, session))

    def filling(self, state: str) -> Callable[[float], None]:
        """Get what takes the fraction of a preparation."""
        return lambda fraction: self.progress(Progress(state, step_fraction=fraction))
