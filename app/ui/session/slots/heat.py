"""Colours for temperatures: blue is cold, red is hot, whatever the colour vision."""

from PySide6.QtGui import QColor

_STOPS = ("#3b4cc0", "#8db0fe", "#dddcdc", "#f4987a", "#b40426")
"""Moreland, Diverging Color Maps for Scientific Visualization (2009), cool to warm."""


def heat(share: float) -> QColor:
    """Get the colour for a share of the span, 0 (cold) to 1 (hot)."""
    place = min(max(share, 0.0), 1.0) * (len(_STOPS) - 1)
    index = min(int(place), len(_STOPS) - 2)
    low, high = QColor(_STOPS[index]), QColor(_STOPS[index + 1])
    part = place - index
    return QColor(
        *(
            round(a + (b - a) * part)
            for a, b in zip(low.getRgb()[:3], high.getRgb()[:3], strict=True)  # type: ignore[index]
        )
    )


def ink_on(ground: QColor) -> QColor:
    """Get black or white, whichever reads better on a ground (WCAG luminance)."""

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (
        linear(part) for part in (ground.redF(), ground.greenF(), ground.blueF())
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return QColor("#000000" if luminance > 0.179 else "#ffffff")
