"""The campaigns at the left, kept in step with the one in hand."""

from PySide6.QtCore import QObject, Slot

from app.operations.editing.templates import Template, list_templates
from app.ui.campaign.file import CampaignFile
from app.ui.campaign.file_actions import CampaignFileActions
from app.ui.campaign.templates import TemplateList
from app.ui.kit.background import Background


class CampaignShelf(QObject):
    """Lists what can be begun with, takes what is wanted, and marks what was taken.

    Args:
        list_: Where it is shown.
        file: The campaign in hand.
        files: What takes another one in hand.
        background: Where templates are read.
    """

    def __init__(
        self,
        list_: TemplateList,
        file: CampaignFile,
        files: CampaignFileActions,
        background: Background,
    ) -> None:
        super().__init__(list_)
        self._list = list_
        self._file = file
        self._files = files
        self._background = background
        list_.wanted.connect(self.take)
        files.listed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Read again what can be begun with."""
        recent = self._files.recent.paths
        self._background.run(lambda: list_templates(recent), self._show)

    @Slot(object)
    def _show(self, templates: list[Template]) -> None:
        self._list.set_templates(templates)
        first = next((template for template in templates if template.campaign), None)
        if self._file.is_untouched and first is not None:
            self.take(first)
        self.mark()

    @Slot(object)
    def take(self, template: Template) -> None:
        """Take one in hand."""
        self._files.take(template)
        self.mark()

    def mark(self) -> None:
        """Mark the one in hand: by its file, or by its name as it ships."""
        file = self._file
        found = [
            template
            for template in self._list.templates
            if template.path == file.path
            and (file.path or (file.is_shipped and template.name == file.origin))
        ]
        self._list.mark(found[0] if found else None)
