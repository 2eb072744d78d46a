"""A run without sources that a test steers."""

from collections.abc import Callable, Mapping
from pathlib import Path

from app.campaign.phases.operator import NO_OPERATOR, SimulatedOperator
from app.campaign.phases.phase import Phase
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.campaign.run.runner import Runner, StepHook
from app.plan.step import Step
from app.plan.verdict import Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, StepRow
from tests.app.operations.benches import campaign
from tests.app.record.recording import INFO
from workloads.base import Workload

THREE = """
name = "Steered"
[[step]]
label = "A"
engine = "idle"
runtime = "1s"
[[step]]
label = "B"
engine = "idle"
runtime = "300ms"
[[step]]
label = "Away"
engine = "command"
teardown = true
[step.command]
run = "echo taken away"
"""


ASKED = """
name = "Asked"
[[step]]
label = "Insert"
engine = "prompt"
[step.prompt]
text = "Insert the drives of slots 1 to 15."
[[step]]
label = "Idle"
engine = "idle"
runtime = "200ms"
"""


COLD = """
name = "Cold"
[[step]]
label = "Cold"
engine = "startup"
runtime = "5s"
[step.startup]
off_for = "2s"
"""


def no_load(label: str, step: Step) -> Workload:
    raise AssertionError(f"{label} is no load: {step}")


class Stand:
    """A recorder without sources, and a run that a test steers."""

    plan = THREE

    def __init__(self, folder: Path) -> None:
        self.path = folder / "s.bayscope"
        self.steering = Steering()
        self.recorder = Recorder(self.path, INFO, clock=SystemClock())
        self.recorder.start()
        self.react: Callable[[Progress], None] = lambda _: None

    def run(
        self,
        text: str = "",
        hook: StepHook | None = None,
        phases: Mapping[str, Phase] | None = None,
        operator: SimulatedOperator = NO_OPERATOR,
        make_load: Callable[[str, Step], Workload] | None = None,
    ) -> Verdict:
        """Run a campaign and close the recording."""
        try:
            with Session.open(self.path) as session:
                runner = Runner(
                    campaign(text or self.plan),
                    self.recorder,
                    session,
                    make_load=make_load or self.make_load,
                    steering=self.steering,
                    progress=self.progress,
                    hook=hook,
                    phases=phases,
                    operator=operator,
                )
                return runner.run()
        finally:
            self.recorder.close()

    def make_load(self, label: str, step: Step) -> Workload:
        return no_load(label, step)

    def progress(self, progress: Progress) -> None:
        self.react(progress)

    def rows(self) -> list[tuple[str, str, str | None]]:
        return [(row.label, row.outcome, row.verdict) for row in self.steps()]

    def steps(self) -> list[StepRow]:
        with Session.open(self.path) as session:
            return session.steps()

    def journal(self) -> list[str]:
        with Session.open(self.path) as session:
            return [f"{row.action}: {row.detail}" for row in session.journal()]
