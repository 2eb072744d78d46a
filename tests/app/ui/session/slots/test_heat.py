"""Colours of temperatures."""

import pytest
from PySide6.QtGui import QColor

from app.ui.session.slots.heat import heat, ink_on


def test_cold_is_blue_and_hot_is_red() -> None:
    cold, hot = heat(0.0), heat(1.0)
    assert cold.blue() > cold.red()
    assert hot.red() > hot.blue()
    assert heat(-3.0) == cold
    assert heat(7.0) == hot
    assert heat(0.5) == QColor("#dddcdc")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0])
def test_ink_can_be_read_on_every_colour(share: float) -> None:
    ground = heat(share)
    light, dark = sorted((_luminance(ground), _luminance(ink_on(ground))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def _luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
