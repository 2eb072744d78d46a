"""Icons in the colours of the theme, made once a theme."""

from importlib.resources import files

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.ui.kit.theme import Theme

_SIZES = (16, 20, 24, 32, 48, 64)


class Icons(QObject):
    """Makes icons from the SVG files of the resources.

    Whoever holds an icon asks again on `changed`, or on `Theme.changed`; item models
    answer with one from here each time they are asked, so theirs are always right.

    Signals:
        changed: Icons have other colours from now on.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cache: dict[tuple[str, str], QIcon] = {}
        theme.changed.connect(self._forget)

    def get(self, name: str, token: str = "text") -> QIcon:
        """Get an icon.

        Args:
            name: File name without ".svg".
            token: Which colour of the token table it is drawn in.
        """
        key = (name, token)
        if key not in self._cache:
            self._cache[key] = self._make(name, token)
        return self._cache[key]

    @Slot()
    def _forget(self) -> None:
        self._cache.clear()
        self.changed.emit()

    def _make(self, name: str, token: str) -> QIcon:
        source = files("resources") / "icons" / f"{name}.svg"
        svg = source.read_text(encoding="utf-8")
        tokens = self._theme.tokens
        icon = QIcon()
        states = (
            (QIcon.Mode.Normal, getattr(tokens, token)),
            (QIcon.Mode.Disabled, tokens.disabled),
        )
        for mode, colour in states:
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
