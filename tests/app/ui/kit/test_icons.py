"""Icons follow the theme, and each is drawn once."""

from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.ui.kit.icons import Icons
from app.ui.kit.theme import Choice, Theme


def _colour(icons: Icons) -> QColor:
    """Get the colour of the first pixel of an icon that is painted all through."""
    image = icons.get("square").pixmap(64, 64).toImage()
    pixels = (image.pixelColor(x, y) for x in range(64) for y in range(64))
    return next(pixel for pixel in pixels if pixel.alpha() == 255)


def test_an_icon_has_the_colour_of_the_theme_that_holds(theme: Theme) -> None:
    icons = Icons(theme)
    for choice in (Choice.DARK, Choice.LIGHT):
        theme.choose(choice)
        assert _colour(icons) == QColor(theme.tokens.text)


def test_a_button_keeps_up_with_the_theme(theme: Theme, qtbot: QtBot) -> None:
    icons = Icons(theme)
    button, gone = QPushButton("Save"), QPushButton("Open")
    qtbot.addWidget(button)
    for one in (button, gone):
        icons.put_on(one, "square")
    delete(gone)
    for choice in (Choice.DARK, Choice.LIGHT):
        theme.choose(choice)
        assert button.icon().cacheKey() == icons.get("square").cacheKey()


def test_an_icon_is_drawn_once_for_all_windows_and_themes(theme: Theme) -> None:
    theme.choose(Choice.LIGHT)
    first = Icons(theme).get("square").cacheKey()
    theme.choose(Choice.DARK)
    assert Icons(theme).get("square").cacheKey() != first
    theme.choose(Choice.LIGHT)
    assert Icons(theme).get("square").cacheKey() == first


def test_an_icon_of_a_marked_line_keeps_its_colour(theme: Theme) -> None:
    icon = Icons(theme).get("square")
    marked = icon.pixmap(64, 64, QIcon.Mode.Selected)
    assert marked.toImage() == icon.pixmap(64, 64).toImage()
