"""The file that waiting runs are kept in; it outlives the program; no Qt."""

import json
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs

from app.operations.editing.drafts import Draft, DraftKeeper, LeftDraft, left_behind
from app.ui.run.control import RunPlan
from instruments.errors import BadInput
from instruments.sizes import counted

_log = logging.getLogger("bayscope")


@dataclass(frozen=True, slots=True)
class LeftRuns:
    """What waited in programs that have ended.

    Attributes:
        plans: What can be read of it.
        trouble: Why the rest cannot, a sentence; "" where all can be read.
        drafts: Where it was kept.
    """

    plans: tuple[RunPlan, ...] = ()
    trouble: str = ""
    drafts: tuple[LeftDraft, ...] = ()


class QueueFile:
    """Keeps what waits in this program, and gets what waited in programs that ended.

    A disk or bucket that was typed is not kept: it is typed anew. Neither is a run that
    was to be resumed: its session is offered anyway.
    """

    def __init__(self) -> None:
        self._keeper = DraftKeeper(queue_folder())
        self._plans: Sequence[RunPlan] = ()
        self._left: list[LeftDraft] = []
        self._one_at_a_time = threading.Lock()

    def set_plans(self, plans: Sequence[RunPlan], left: LeftRuns | None = None) -> None:
        """Say what is to be kept, what was left among it; `write` does it."""
        # Together: what was left is dropped only by a write that keeps its plans.
        with self._one_at_a_time:
            self._plans = tuple(plan for plan in plans if plan.resume is None)
            if left is not None:
                self._left += left.drafts

    def write(self) -> None:
        """Keep what was said last, in any thread; then what was left is kept here."""
        with self._one_at_a_time:
            try:
                if self._plans:
                    text = json.dumps([_values(plan) for plan in self._plans])
                    self._keeper.keep(Draft("queue", text))
                else:
                    self._keeper.drop()
            except OSError as error:
                _log.warning("runs that wait cannot be kept: %s", error)
                return
            for left in self._left:
                left.drop()
            self._left.clear()

    def read_left(self) -> LeftRuns:
        """Get what waited in programs that ended; what cannot be read is let go."""
        plans: list[RunPlan] = []
        reasons: list[str] = []
        drafts = tuple(left_behind(queue_folder()))
        for draft in drafts:
            try:
                found = json.loads(draft.draft.text)
            except ValueError:
                found = draft.draft.text
            for values in found if isinstance(found, list) else [found]:
                try:
                    plans.append(_plan(values))
                except (BadInput, ValueError, TypeError, KeyError) as error:
                    reasons.append(_reason(error))
        trouble = ""
        if reasons:
            count = counted(len(reasons), "run")
            trouble = f"{count} that waited cannot be read: {reasons[0]}"
        return LeftRuns(tuple(plans), trouble, drafts)

    def close(self) -> None:
        """Let go; what is kept is found by the next program."""
        self._keeper.close()
        for left in self._left:
            left.release()


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, BadInput) else "what was kept is damaged"


def queue_folder() -> Path:
    """Get where runs that wait are kept."""
    return platformdirs.user_state_path("bayscope", appauthor=False) / "queue"


def _values(plan: RunPlan) -> dict[str, Any]:
    return {
        "campaign": plan.campaign.text,
        "file": str(plan.file or ""),
        "bench": plan.bench.text,
        "bench_file": plan.bench.file,
        "out": str(plan.out),
        "without": [*plan.without],
        "operator": plan.operator,
        "note": plan.note,
        "shorten": plan.shorten,
        "at": plan.at.isoformat() if plan.at is not None else "",
        "go_on": plan.go_on,
        "then": [*plan.then],
    }


def _plan(values: dict[str, Any]) -> RunPlan:
    # Only now: they take every engine and driver.
    from app.bench.file import parse_bench  # noqa: PLC0415
    from app.plan.campaign import parse_campaign  # noqa: PLC0415

    file = Path(values["file"]) if values["file"] else None
    return RunPlan(
        parse_campaign(values["campaign"], file.name if file else "campaign"),
        parse_bench(values["bench"], values["bench_file"]),
        Path(values["out"]),
        values["without"],
        file,
        operator=values["operator"],
        note=values["note"],
        shorten=float(values["shorten"]),
        at=datetime.fromisoformat(values["at"]) if values["at"] else None,
        go_on=bool(values["go_on"]),
        then=tuple(values["then"]),
        unattended=True,
    )
