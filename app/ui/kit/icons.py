"""Icons in the colours of the theme, drawn once for each of them."""

from functools import cache
from importlib.resources import files
from weakref import WeakKeyDictionary

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from app.ui.kit.theme import Theme

_Bearer = QAbstractButton | QAction
_SIZES = (16, 20, 24, 32, 48, 64)


class Icons(QObject):
    """Makes icons from the SVG files of the resources.

    A button keeps up with the theme once it was given an icon by `put_on`. Whoever
    paints one asks again on `changed`, or on `Theme.changed`; item models answer with
    one from here each time they are asked, so theirs are always right.

    Signals:
        changed: Icons have other colours from now on.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._given: WeakKeyDictionary[_Bearer, tuple[str, str]] = WeakKeyDictionary()
        theme.changed.connect(self._recolour)
        theme.changed.connect(self.changed)

    def get(self, name: str, token: str = "text") -> QIcon:
        """Get an icon.

        Args:
            name: File name without ".svg".
            token: Which colour of the token table it is drawn in.
        """
        tokens = self._theme.tokens
        return _draw(name, getattr(tokens, token), tokens.disabled)

    def put_on(self, bearer: _Bearer, name: str, token: str = "text") -> None:
        """Give a button or an action an icon, in the colours of the theme from now on.

        Args:
            bearer: What shows it, in place of the one it may have had.
            name: File name without ".svg".
            token: Which colour of the token table it is drawn in.
        """
        self._given[bearer] = (name, token)
        bearer.setIcon(self.get(name, token))
        text = bearer.text()
        if isinstance(bearer, QAbstractButton) and text.startswith(" "):
            # The room beside the icon is not of its name.
            bearer.setAccessibleName(text.strip().replace("&", ""))

    @Slot()
    def _recolour(self) -> None:
        for bearer, (name, token) in list(self._given.items()):
            if isValid(bearer):  # Qt may have deleted what Python still refers to
                bearer.setIcon(self.get(name, token))


@cache
def _draw(name: str, normal: str, disabled: str) -> QIcon:
    source = files("resources") / "icons" / f"{name}.svg"
    svg = source.read_text(encoding="utf-8")
    icon = QIcon()
    for mode, colour in (
        (QIcon.Mode.Normal, normal),
        (QIcon.Mode.Selected, normal),  # else Qt tints it in the marked line
        (QIcon.Mode.Disabled, disabled),
    ):
        data = QByteArray(svg.replace("currentColor", colour).encode())
        renderer = QSvgRenderer(data)
        for size in _SIZES:
            icon.addPixmap(_paint(renderer, size), mode)
    return icon


def _paint(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
