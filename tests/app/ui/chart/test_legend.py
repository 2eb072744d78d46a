"""The samples of curves beside their names."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ui.chart.legend import LegendEntry, Swatch

COLOUR = QColor("#0072b2")


def strokes(swatch: Swatch) -> int:
    """Count the separate strokes along the middle of a sample."""
    swatch.resize(swatch.sizeHint())
    image = swatch.grab().toImage()
    middle = image.height() // 2
    seen = [image.pixelColor(x, middle) == COLOUR for x in range(image.width())]
    return sum(here and not before for before, here in pairwise([False, *seen]))


@pytest.mark.parametrize(
    ("style", "least", "most"),
    [
        (Qt.PenStyle.SolidLine, 1, 1),
        (Qt.PenStyle.DashLine, 2, 4),
        (Qt.PenStyle.DotLine, 5, 8),
    ],
)
def test_a_dashed_curve_has_a_dashed_sample(
    qtbot: QtBot, style: Qt.PenStyle, least: int, most: int
) -> None:
    swatch = Swatch(COLOUR, style)
    qtbot.addWidget(swatch)
    assert least <= strokes(swatch) <= most


def test_an_entry_is_told_with_its_value(qtbot: QtBot) -> None:
    entry = LegendEntry("Read · A", COLOUR, Qt.PenStyle.DashLine)
    qtbot.addWidget(entry)
    entry.set_value("2884")
    assert entry.accessibleName() == "Read · A 2884"
    assert entry.value == "2884"
