"""Where a line of the pre-flight is mended: at a source, or in the editor."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.ui.kit.background import Background
from app.ui.window.pages import Pages

if TYPE_CHECKING:
    from app.operations.editing.templates import Template
    from app.operations.preflight.finding import Finding
    from app.ui.campaign.chooser import Choice


class Mending(QObject):
    """Shows the page that a line leads to, with its subject chosen.

    Args:
        pages: The pages.
        show_page: Shows the page with a name.
        background: Where templates are read.
        parent: The window.
    """

    def __init__(
        self,
        pages: Pages,
        show_page: Callable[[str], None],
        background: Background,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._pages = pages
        self._show_page = show_page
        self._background = background

    def mend(self, finding: "Finding", chosen: "Choice | None") -> None:
        """Show where a line is mended.

        Args:
            finding: The line.
            chosen: The campaign that was to be run.
        """
        # Only now: they take every engine.
        from app.operations.editing.templates import shipped  # noqa: PLC0415
        from app.operations.preflight.finding import Help  # noqa: PLC0415

        if finding.help is Help.BENCH:
            self._show_page("Bench")
            self._pages.bench.choose(finding.detail)
            return
        self._show_page("Campaigns")
        campaign = None if chosen is None else chosen.campaign
        in_hand = self._pages.campaigns.campaign
        if chosen is None or campaign is None or campaign == in_hand:
            return
        files = self._pages.campaigns.files
        if chosen.file is None:
            name = campaign.name
            self._background.run(
                lambda: [one for one in shipped() if one.name == name], self._take
            )
        elif files.saving.may_leave():
            files.open(chosen.file)

    def _take(self, templates: "list[Template]") -> None:
        for template in templates:
            self._pages.campaigns.files.take(template)
