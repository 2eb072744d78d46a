"""What is to be said of the campaign in hand, in every view of it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.operations.editing.check import Mistake
from app.plan.durations import format_duration

if TYPE_CHECKING:
    from app.ui.campaign.view import CampaignView


class CampaignRemarks(QObject):
    """Says what is wrong, what fio would do, and how many rows are run.

    Args:
        view: The page whose views are told.
    """

    def __init__(self, view: "CampaignView") -> None:
        super().__init__(view)
        self._view = view
        view.work.advice.changed.connect(self.show_advice)

    def show_mistakes(self) -> None:
        """Say what is wrong, beside where it stands."""
        view = self._view
        mistakes, row = view.file.mistakes, view.table.row()
        view.model.set_mistakes(mistakes)
        own = [one for one in mistakes if one.item == ("step", row)]
        view.form.show_mistakes(own)
        view.settings.show_mistakes(mistakes)
        view.text.mark_lines(tuple(one.line for one in mistakes if one.line))
        view.trouble.show_mistakes(mistakes)

    @Slot()
    def show_advice(self) -> None:
        """Say what fio would make of the steps."""
        view = self._view
        view.model.set_advice(view.work.advice.rows)
        self.show_advice_of_step()

    def show_advice_of_step(self) -> None:
        """Say what fio would make of the chosen step."""
        view = self._view
        view.form.show_advice(view.work.advice.of(view.table.row()))

    def show_runs(self) -> None:
        """Say how many rows the chosen step makes, and the whole campaign."""
        view = self._view
        row, file = view.table.row(), view.file
        campaign = None if file.mistakes else file.campaign_before
        if campaign is None or not 0 <= row < len(campaign.steps):
            view.form.show_runs(0, "")
            view.settings.show_runs("")
            return
        runs = campaign.steps[row].runs
        seconds = sum(step.duration_s for _, step in runs)
        view.form.show_runs(len(runs), format_duration(round(seconds)))
        whole = campaign.configurations
        count = len(whole.all()) if whole is not None else 0
        rows = f"{count} configurations, {len(campaign.runs)} rows in all"
        view.settings.show_runs(rows if count else "")

    def first(self) -> Mistake | None:
        """Get the first mistake of the text as it is now, None where there is none."""
        return next(iter(self._view.file.look().mistakes), None)
