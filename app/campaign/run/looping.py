"""A campaign that is a loop: when a pass is over, the next one is planned."""

from collections.abc import Sequence

from app.campaign.run.schedule import Row, Schedule
from app.plan.campaign import Campaign
from app.plan.passes import pass_of
from app.plan.verdict import Cause, Outcome
from app.record.recorder import Recorder
from app.record.store import StepRow

NOTHING_DONE = "no row of this pass came to its end, so the loop does not go on"


class Looping:
    """Plans one pass after the other, until the run is stopped.

    A pass of which no row came to its end is the last one: what failed at once would
    fail a thousand times in a night. So is one that had been stopped, or of which only
    what tears down was left, before the run was resumed.

    Args:
        campaign: The plan.
        recorder: Where it is said that a loop ends by itself.
        earlier: Rows of the session before it was resumed.
    """

    def __init__(
        self,
        campaign: Campaign,
        recorder: Recorder,
        earlier: Sequence[StepRow] = (),
    ) -> None:
        self._rows = [row for row in campaign.runs if not row[1].teardown]
        self._recorder = recorder
        present = max((pass_of(row.label) for row in earlier), default=1)
        known = [row for row in earlier if pass_of(row.label) == present]
        self._is_loop = campaign.loop and all(r.cause != Cause.STOPPED for r in known)
        self._any_done = any(row.outcome == Outcome.DONE for row in known)

    def after(self, row: Row, outcome: Outcome, schedule: Schedule) -> None:
        """Take a row that has ended; plan the next pass where it was the last one."""
        self._any_done |= outcome is Outcome.DONE
        if not self._is_loop or schedule.is_ending:
            return
        if row.step.teardown or not schedule.is_pass_over:
            return
        if self._any_done:
            schedule.next_pass(self._rows, row)
            self._any_done = False
        else:
            self._recorder.event("warning", "campaign", NOTHING_DONE)
