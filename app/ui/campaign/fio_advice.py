"""What is to be told of the fio steps in hand, worked out off the GUI thread."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.bench.model import Bench
from app.operations.editing.fio_check import StepFinding, find_in_steps
from app.plan.campaign import Campaign
from app.plan.edit import Path
from app.ui.campaign.file import CampaignFile
from app.ui.kit.background import Background
from app.ui.kit.question import Question

_JOB: Path = ("fio",)
_SWEEP: Path = ("sweep",)


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to be told of a step.

    Attributes:
        text: Whole sentences.
        is_bad: Whether the job would fail or measure something else.
    """

    text: str
    is_bad: bool


class FioAdvice(QObject):
    """Keeps up with the campaign in hand; it says nothing while that has a mistake.

    Args:
        bench: What it is asked for.

    Signals:
        changed: There is other advice.
    """

    changed = Signal()

    def __init__(
        self, file: CampaignFile, background: Background, bench: Bench
    ) -> None:
        super().__init__(file)
        self._file = file
        self._bench = bench
        self._found: dict[int, dict[Path, Advice]] = {}
        self._question = Question(background, self)
        self._question.answered.connect(self._take)
        self._question.failed.connect(self._forget)
        file.checked.connect(self.begin)

    @property
    def rows(self) -> dict[int, Advice]:
        """Steps of which something is to be told, by their number."""
        return {row: joined(places.values()) for row, places in self._found.items()}

    def of(self, row: int) -> dict[Path, Advice]:
        """Get what is to be told of a step, by the key of its field.

        That of the sweep is ("sweep",), that of the job as a whole ("fio",).
        """
        return self._found.get(row, {})

    def set_bench(self, bench: Bench) -> None:
        """Take another bench."""
        self._bench = bench
        self.begin()

    @Slot()
    def begin(self) -> None:
        """Look at the campaign in a moment, if it is another one."""
        campaign, bench = self._file.campaign_before, self._bench
        if campaign is None or self._file.mistakes:
            self._question.forget()
            self._forget(None)
            return
        self._question.ask(
            (campaign, bench), lambda: (campaign, find_in_steps(campaign, bench))
        )

    @Slot(object)
    def _take(self, answer: tuple[Campaign, list[StepFinding]]) -> None:
        found = by_place(*answer)
        if found != self._found:
            self._found = found
            self.changed.emit()

    @Slot(object)
    def _forget(self, _: object) -> None:
        """Say nothing: pre-flight tells why targets cannot be found."""
        if self._found:
            self._found = {}
            self.changed.emit()


def by_place(
    campaign: Campaign, findings: Iterable[StepFinding]
) -> dict[int, dict[Path, Advice]]:
    """Sort findings by step and field, each sentence once."""
    sorted_: dict[int, dict[Path, list[Advice]]] = {}
    for finding in findings:
        path, text = _placed(campaign, finding)
        places = sorted_.setdefault(finding.row, {}).setdefault(path, [])
        advice = Advice(text, finding.finding.decide)
        if advice not in places:
            places.append(advice)
    return {
        row: {path: joined(found) for path, found in places.items()}
        for row, places in sorted_.items()
    }


def _placed(campaign: Campaign, finding: StepFinding) -> tuple[Path, str]:
    """Get the field that a finding is about, and what is said there."""
    sweep = campaign.steps[finding.row].sweep
    swept = [axis.option for axis in sweep.axes] if sweep is not None else []
    option = finding.finding.option
    if option in swept:
        return _SWEEP, f"{finding.finding.quote}: {finding.sentence}"
    path = (*_JOB, option) if option else _JOB
    return path, finding.sentence


def joined(found: Iterable[Advice]) -> Advice:
    """Put several into one, which is as bad as the worst."""
    several = list(found)
    return Advice(
        "\n".join(one.text for one in several), any(one.is_bad for one in several)
    )
