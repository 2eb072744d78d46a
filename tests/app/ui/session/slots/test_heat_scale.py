"""The scale of the colours: cold at the left, hot at the right."""
# mypy: disallow-untyped-calls=False

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ui.kit.theme import Theme
from app.ui.session.slots.page import HeatScale


def test_it_goes_from_cold_to_hot(qtbot: QtBot, theme: Theme) -> None:
    scale = HeatScale(theme)
    qtbot.addWidget(scale)
    scale.resize(scale.sizeHint())
    scale.set_span(25.0, 45.0)
    image = scale.grab().toImage()
    middle = image.height() // 2
    cold = QColor(image.pixel(58, middle))
    hot = QColor(image.pixel(image.width() - 58, middle))
    assert cold.blue() > cold.red()
    assert hot.red() > hot.blue()
    assert "same temperature" in scale.toolTip()
