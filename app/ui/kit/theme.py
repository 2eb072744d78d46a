"""One look for the whole program, light or dark, and the signal that it changed."""

from enum import StrEnum
from importlib.resources import as_file, files
from pathlib import Path
from string import Template
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontDatabase, QIcon
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QStyle, QWidget

from app.ui.kit.labels import break_words
from app.ui.kit.palette import Tokens, load_tokens, make_palette
from app.ui.kit.settings import Settings
from instruments.errors import printable

_WEIGHTS = ("Regular", "Medium", "SemiBold", "Bold")


class Choice(StrEnum):
    """What the user asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def _inherits(window: QWidget) -> bool:
    """Whether a window has the style sheet, or gets it from what it belongs to."""
    parent = window.parentWidget()
    if parent is None:
        return bool(window.styleSheet())
    is_popup = window.windowType() is Qt.WindowType.Popup  # as the list of a combo box
    return is_popup or bool(window.styleSheet() or parent.window().styleSheet())


_ARROWS = {
    QStyle.StandardPixmap.SP_ArrowBack: "arrow-left",
    QStyle.StandardPixmap.SP_ArrowForward: "arrow-right",
    QStyle.StandardPixmap.SP_FileDialogToParent: "arrow-up",
}
"""What leads from folder to folder in Qt's own dialog for files."""


class _PlainStyle(QProxyStyle):
    """Fusion, in which no label and no tool tip takes what it shows for markup.

    Names of sessions, devices and campaigns come from files of others. Qt asks the
    style of each label before its text is first laid out.

    Attributes:
        sheet: The style sheet, which each window gets before it is shown. One of the
            application would be looked at again for all that is in a widget whenever
            that is put into another one: most of the time that it took to make a page.
    """

    sheet = ""

    def polish(self, thing: Any) -> Any:
        """Make a label plain; widgets, palettes and the application come here."""
        is_label = isinstance(thing, QLabel)
        if is_label and thing.textFormat() == Qt.TextFormat.AutoText:
            thing.setTextFormat(Qt.TextFormat.PlainText)
        if isinstance(thing, QWidget) and thing.isWindow() and not _inherits(thing):
            thing.setStyleSheet(self.sheet)
        return super().polish(thing)

    def standardIcon(self, kind: QStyle.StandardPixmap, *given: Any) -> QIcon:
        """Give buttons of dialogs none, and that of files arrows that can be seen.

        Those of Qt are dark in every theme. A box asks as it makes its buttons, which
        is before it has the style sheet.
        """
        if kind in _ARROWS:
            return QIcon(_icon_file(_ARROWS[kind]))
        if kind.name.startswith("SP_Dialog") and kind.name.endswith("Button"):
            return QIcon()
        return super().standardIcon(kind, *given)

    def drawItemText(self, *given: Any, **named: Any) -> None:
        """Write what a label, button, tab or menu says, so that nothing turns it."""
        painter, room, flags, palette, enabled, text, *role = given
        shown = printable(text, "\n")
        if flags & Qt.TextFlag.TextWordWrap:
            shown = break_words(shown, painter.fontMetrics(), room.width())
        super().drawItemText(
            painter, room, flags, palette, enabled, shown, *role, **named
        )


_SCHEMES = {
    Choice.LIGHT: Qt.ColorScheme.Light,
    Choice.DARK: Qt.ColorScheme.Dark,
}


class Theme(QObject):
    """The tokens in use; everything that paints by itself listens to `changed`.

    Signals:
        changed: Other tokens hold from now on.
    """

    changed = Signal()

    def __init__(self, app: QApplication, settings: Settings) -> None:
        super().__init__()
        self._app = app
        self._settings = settings
        stored = settings.get("theme", Choice.SYSTEM)
        self._choice = Choice(stored) if stored in set(Choice) else Choice.SYSTEM
        self._tokens = load_tokens("light")
        self._dark = False
        self._style = _PlainStyle("Fusion")
        app.setStyle(self._style)
        app.setFont(_load_font())
        self._apply()
        app.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def tokens(self) -> Tokens:
        """The colours that hold now."""
        return self._tokens

    @property
    def choice(self) -> Choice:
        """What the user asked for."""
        return self._choice

    def choose(self, choice: Choice) -> None:
        """Take another look at once and remember it."""
        self._choice = choice
        self._apply()
        self._settings.put("theme", choice.value)

    @Slot()
    def _follow_system(self) -> None:
        if self._choice is Choice.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        hints = self._app.styleHints()
        # Without a desktop the scheme is Unknown, which counts as light.
        self._dark = self._choice is Choice.DARK or (
            self._choice is Choice.SYSTEM and hints.colorScheme() == Qt.ColorScheme.Dark
        )
        # The palette is our own; the hint only helps native dialogs to agree.
        if self._choice is Choice.SYSTEM:
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(_SCHEMES[self._choice])
        name = "dark" if self._dark else "light"
        self._tokens = load_tokens(name)
        self._app.setPalette(make_palette(self._tokens))
        self._restyle(_style_sheet(self._tokens, name))
        self.changed.emit()

    def _restyle(self, sheet: str) -> None:
        before, self._style.sheet = self._style.sheet, sheet
        for widget in self._app.allWidgets() if before != sheet else ():
            if before and widget.styleSheet() == before:
                widget.setStyleSheet(sheet)


def tabular(size: float = 0, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Make a font whose figures are equally wide, so that numbers do not jitter.

    Args:
        size: Points; 0 keeps the application's size.
        weight: How bold.
    """
    font = QFont(QApplication.font())
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setWeight(weight)
    if size:
        font.setPointSizeF(size)
    return font


def _load_font() -> QFont:
    """Load Inter from the resources; where that fails DejaVu Sans has to do."""
    family = "DejaVu Sans"
    for weight in _WEIGHTS:
        with as_file(files("resources") / "fonts" / f"Inter-{weight}.otf") as path:
            number = QFontDatabase.addApplicationFont(str(path))
        if number >= 0 and weight == "Regular":
            family = QFontDatabase.applicationFontFamilies(number)[0]
    font = QFont(family)
    font.setPointSizeF(9.75)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def _style_sheet(tokens: Tokens, name: str) -> str:
    sheet = Template((files("resources") / "colours" / "bayscope.qss").read_text())
    names = {name: getattr(tokens, name) for name in tokens.__slots__}
    pictures = {"arrow": _icon_file("arrow-down"), "tick": _icon_file(f"tick-{name}")}
    return sheet.substitute(names, **pictures)


def _icon_file(name: str) -> str:
    return (Path(str(files("resources"))) / "icons" / f"{name}.svg").as_posix()
