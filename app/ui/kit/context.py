"""What the parts of the window share."""

from dataclasses import dataclass

from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.theme import Theme


@dataclass(frozen=True, slots=True)
class Context:
    """Made once by the window, and handed to whatever needs two or more of these.

    Attributes:
        theme: Colours and fonts.
        icons: Icons of the theme.
        background: Where slow work is done.
    """

    theme: Theme
    icons: Icons
    background: Background
