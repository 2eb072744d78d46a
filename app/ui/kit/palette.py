"""The colours of one theme, and what Qt makes of them."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from PySide6.QtGui import QColor, QPalette

from instruments.errors import BadInput, plain_words

_Role = QPalette.ColorRole


@dataclass(frozen=True, slots=True)
class Tokens:
    """The token table: one colour a purpose, as #rrggbb.

    Attributes:
        traces: Four colours that differ for every kind of colour vision.
        lanes: Four more, of the fifth to the eighth session that are compared.
    """

    window: str
    surface: str
    raised: str
    border: str
    edge: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_text: str
    accent_soft: str
    ok: str
    warn: str
    error: str
    grid: str
    cursor: str
    traces: tuple[str, ...]
    lanes: tuple[str, ...]

    def trace(self, index: int) -> QColor:
        """Get the colour of the trace with this index; they repeat after four."""
        return QColor(self.traces[index % len(self.traces)])

    def lane(self, index: int) -> QColor:
        """Get the colour of the compared session with this index; there are eight."""
        every = (*self.traces, *self.lanes)
        return QColor(every[index % len(every)])


def load_tokens(name: str) -> Tokens:
    """Read one token table, "light" or "dark", from the resources.

    Raises:
        BadInput: The table is missing or has a mistake; the installation is damaged.
    """
    table = files("resources") / "colours" / f"{name}.toml"
    try:
        values: dict[str, Any] = tomllib.loads(table.read_text(encoding="utf-8"))
        values |= {name: tuple(values[name]) for name in ("traces", "lanes")}
        return Tokens(**values)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"the colour table is damaged ({plain_words(error)})",
            where=str(table),
            way_out="Install Bayscope again.",
        ) from error


def make_palette(tokens: Tokens) -> QPalette:
    """Make the Qt palette of a token table."""
    palette = QPalette()
    roles = {
        _Role.Window: tokens.window,
        _Role.WindowText: tokens.text,
        _Role.Base: tokens.surface,
        _Role.AlternateBase: tokens.raised,
        _Role.Text: tokens.text,
        _Role.Button: tokens.raised,
        _Role.ButtonText: tokens.text,
        _Role.BrightText: tokens.error,
        _Role.ToolTipBase: tokens.surface,
        _Role.ToolTipText: tokens.text,
        _Role.PlaceholderText: tokens.muted,
        _Role.Highlight: tokens.accent,
        _Role.HighlightedText: tokens.accent_text,
        _Role.Accent: tokens.accent,
        _Role.Link: tokens.accent,
        _Role.LinkVisited: tokens.accent,
        _Role.Light: tokens.surface,
        _Role.Midlight: tokens.raised,
        _Role.Mid: tokens.border,
        _Role.Dark: tokens.edge,
        _Role.Shadow: tokens.border,
    }
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.disabled))
    grey = QColor(tokens.border)
    palette.setColor(QPalette.ColorGroup.Disabled, _Role.Highlight, grey)
    return palette
