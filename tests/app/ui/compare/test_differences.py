"""How a cell of the table of sessions side by side is painted."""

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView
from pytestqt.qtbot import QtBot

from app.ui.compare.differences import CompareDelegate
from app.ui.compare.model import PARTS_ROLE, Parts
from app.ui.kit.theme import Choice, Theme

WIDTH, HEIGHT = 160, 42


def inked(qtbot: QtBot, theme: Theme, item: QStandardItem) -> tuple[float, float]:
    """Paint a cell; get the first and the last row of pixels that is not ground."""
    view, model = QTableView(), QStandardItemModel(1, 1)
    qtbot.addWidget(view)
    view.setModel(model)
    model.setItem(0, 0, item)
    option = QStyleOptionViewItem()
    option.initFrom(view)
    option.widget = view
    option.rect = QRect(0, 0, WIDTH, HEIGHT)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.tokens.surface))
    painter = QPainter(image)
    CompareDelegate(theme, view).paint(painter, option, model.index(0, 0))
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(HEIGHT, WIDTH)
    rows = np.flatnonzero((pixels != pixels[0, 0]).any(axis=1))
    return float(rows[0]), float(rows[-1])


def of_parts(change: str) -> QStandardItem:
    item = QStandardItem()
    item.setData(Parts(("100", "200"), change), PARTS_ROLE)
    return item


@pytest.mark.parametrize("mode", [Choice.LIGHT, Choice.DARK])
def test_one_line_alone_stands_beside_the_label(
    qtbot: QtBot, theme: Theme, mode: Choice
) -> None:
    theme.choose(mode)
    top, bottom = inked(qtbot, theme, of_parts(""))
    assert (top + bottom) / 2 == pytest.approx(HEIGHT / 2, abs=2)
    upper, lower = inked(qtbot, theme, of_parts("+100  +100.0 %"))
    assert upper < top
    assert lower > bottom
