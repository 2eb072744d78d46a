"""The tables of an import of fio jobs: findings, steps and targets."""

from PySide6.QtWidgets import QHeaderView

from app.plan.fio.targets import NamedTarget
from app.plan.step import Step
from app.ui.campaign.fio_jobs.rows import finding_columns, step_columns, target_columns
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.tables_wrapped import WrappedTable
from app.ui.kit.theme import Theme
from workloads.fio.paste.finding import Finding

_QUOTE, _FIO, _MADE = 2, 3, 4
_QUOTE_WIDTH = 210
_OPTIONS = 1


class FindingsTable(WrappedTable):
    """Shows what is to be known of a text; three of its columns have whole sentences.

    Attributes:
        findings: What it shows.
    """

    def __init__(self, theme: Theme, icons: Icons) -> None:
        self.findings = RowsModel[Finding](finding_columns(), theme, icons)
        super().__init__(self.findings, "What is to be known of the text", stretch=_FIO)
        self.findings.setParent(self)
        for column in (_QUOTE, _MADE):
            self.setItemDelegateForColumn(column, self.itemDelegateForColumn(_FIO))

    def _arrange(self) -> None:
        """Share the room between what fio does and what was made of it."""
        super()._arrange()
        head = self.horizontalHeader()
        head.setSectionResizeMode(_MADE, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(_QUOTE, QHeaderView.ResizeMode.Interactive)
        head.resizeSection(_QUOTE, _QUOTE_WIDTH)

    @property
    def choice(self) -> Finding | None:
        """The chosen one."""
        records, row = self.findings.records, self.chosen_row()
        return records[row] if 0 <= row < len(records) else None


def make_steps_table(theme: Theme, icons: Icons) -> tuple[Table, RowsModel[Step]]:
    """Make the table of the steps that a text makes, and its model."""
    model = RowsModel[Step](step_columns(), theme, icons)
    table = Table(model, "Steps that are made of the text", stretch=_OPTIONS)
    model.setParent(table)
    return table, model


def make_targets_table(
    theme: Theme, icons: Icons
) -> tuple[Table, RowsModel[NamedTarget]]:
    """Make the table of the files and disks that a text names, and its model."""
    model = RowsModel[NamedTarget](target_columns(), theme, icons)
    table = Table(model, "Files and disks in the text, none of which is taken")
    model.setParent(table)
    return table, model
