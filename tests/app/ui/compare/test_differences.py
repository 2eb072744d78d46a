"""How a cell of the table of sessions side by side is painted."""

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView
from pytestqt.qtbot import QtBot

from app.ui.compare.differences import CompareDelegate
from app.ui.compare.model import PARTS_ROLE, CompareModel, Parts
from app.ui.kit.theme import Choice, Theme

WIDTH, HEIGHT = 160, 42


def inked(
    qtbot: QtBot, theme: Theme, item: QStandardItem, *, lines: int
) -> tuple[float, float]:
    """Paint a cell; get the first and the last row of pixels that is not ground.

    Args:
        qtbot: Keeps the view.
        theme: Its colours.
        item: The cell.
        lines: How many lines a cell of the table has below its values, at most.
    """
    view, model, compared = QTableView(), QStandardItemModel(1, 1), CompareModel()
    compared._lines = lines
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
    CompareDelegate(theme, compared, view).paint(painter, option, model.index(0, 0))
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(HEIGHT, WIDTH)
    rows = np.flatnonzero((pixels != pixels[0, 0]).any(axis=1))
    return float(rows[0]), float(rows[-1])


def of_parts(change: str) -> QStandardItem:
    item = QStandardItem()
    item.setData(Parts(("100", "200"), change), PARTS_ROLE)
    return item


@pytest.mark.parametrize("mode", [Choice.LIGHT, Choice.DARK])
def test_values_and_labels_stand_on_one_line(
    qtbot: QtBot, theme: Theme, mode: Choice
) -> None:
    theme.choose(mode)
    label = QStandardItem("1002")
    top, bottom = inked(qtbot, theme, of_parts(""), lines=0)
    assert (top + bottom) / 2 == pytest.approx(HEIGHT / 2, abs=2)
    alone = inked(qtbot, theme, of_parts(""), lines=1)
    assert inked(qtbot, theme, label, lines=1) == pytest.approx(alone, abs=1)
    upper, lower = inked(qtbot, theme, of_parts("+100  +100.0 %"), lines=1)
    assert upper == alone[0] < top
    assert lower > bottom
