"""The look: contrast of every colour, the stored choice, fonts."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QStyle,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.ui.kit.palette import Tokens, load_tokens
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Choice, Theme, tabular


def _luminance(colour: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Compute the WCAG contrast ratio of two colours."""
    high, low = sorted((_luminance(QColor(one)), _luminance(QColor(other))))[::-1]
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(params=["light", "dark"])
def tokens(request: pytest.FixtureRequest) -> Tokens:
    return load_tokens(request.param)


@pytest.mark.parametrize("ground", ["surface", "window", "raised", "accent_soft"])
def test_text_is_readable_on_every_ground(tokens: Tokens, ground: str) -> None:
    assert contrast(tokens.text, getattr(tokens, ground)) >= 7
    assert contrast(tokens.muted, getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("token", ["ok", "warn", "error", "accent"])
def test_words_of_state_are_readable(tokens: Tokens, token: str) -> None:
    for ground in ("surface", "raised", "window"):
        assert contrast(getattr(tokens, token), getattr(tokens, ground)) >= 4.5


def test_traces_and_edges_stand_out(tokens: Tokens) -> None:
    assert len(tokens.traces) == 4
    for colour in (*tokens.traces, *tokens.lanes, tokens.edge, tokens.cursor):
        assert contrast(colour, tokens.surface) >= 3


def test_text_on_the_accent_is_readable(tokens: Tokens) -> None:
    assert contrast(tokens.accent_text, tokens.accent) >= 4.5


def test_choice_is_applied_and_remembered(
    qapp: QApplication, settings: Settings, theme: Theme, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.choose(Choice.DARK)
    dark = load_tokens("dark")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == dark.window
    assert Theme(qapp, Settings(settings.path)).choice is Choice.DARK
    theme.choose(Choice.LIGHT)
    light = load_tokens("light")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == light.window


def test_the_style_sheet_names_pictures_that_exist(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    for choice in (Choice.DARK, Choice.LIGHT):
        theme.choose(choice)
        named = re.findall(r"url\((.*?)\)", window.styleSheet())
        assert len(set(named)) == 2
        assert all(Path(one).is_file() for one in named)
    assert "$" not in window.styleSheet()


@pytest.mark.parametrize("is_shown", [True, False], ids=["over a window", "alone"])
def test_dialogs_and_what_is_put_into_them_look_as_their_window(
    is_shown: bool, qapp: QApplication, theme: Theme, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setVisible(is_shown)
    dialog = QDialog(window)
    label, other = QLabel("Some"), QLabel("more")
    layout = QVBoxLayout(dialog)
    for one in (label, other):
        one.setObjectName("muted")
    layout.addWidget(label)
    theme.choose(Choice.LIGHT)
    dialog.show()
    layout.addWidget(other)  # as a page that is made when it is first wanted
    qtbot.waitUntil(other.isVisible)
    for choice in (Choice.LIGHT, Choice.DARK):
        theme.choose(choice)
        muted = {one.palette().windowText().color().name() for one in (label, other)}
        assert muted == {theme.tokens.muted}
    # One of the application is matched again whenever a widget is put into another.
    assert not qapp.styleSheet()


def test_unknown_stored_choice_counts_as_system(
    qapp: QApplication, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('theme = "pink"\n')
    assert Theme(qapp, Settings(file)).choice is Choice.SYSTEM


def test_inter_is_loaded_with_tabular_figures(theme: Theme) -> None:
    assert QApplication.font().family().startswith("Inter")
    font = tabular(12)
    assert font.pointSizeF() == 12
    metrics = QFontMetricsF(font)
    widths = {
        round(metrics.horizontalAdvance(str(digit) * 8), 2) for digit in range(10)
    }
    assert len(widths) == 1


@pytest.mark.parametrize("sign", "°µΩΔλ·±→")
def test_the_font_has_the_signs_we_print(theme: Theme, sign: str) -> None:
    assert QFontMetrics(QApplication.font()).inFontUcs4(ord(sign))


def test_buttons_of_dialogs_have_no_icons_of_qt(theme: Theme) -> None:
    """Those are dark in the dark theme, too."""
    style = QApplication.style()
    kinds = QStyle.StandardPixmap
    for kind in (kinds.SP_DialogCloseButton, kinds.SP_DialogYesButton):
        assert style.standardIcon(kind).isNull()
    assert not style.standardIcon(kinds.SP_DirIcon).isNull()


def test_arrows_of_the_dialog_for_files_are_seen_on_light_and_dark(
    theme: Theme,
) -> None:
    kinds = QStyle.StandardPixmap
    for kind in (
        kinds.SP_ArrowBack,
        kinds.SP_ArrowForward,
        kinds.SP_FileDialogToParent,
    ):
        image = QApplication.style().standardIcon(kind).pixmap(24, 24).toImage()
        pixels = [image.pixelColor(x, y) for x in range(24) for y in range(24)]
        lit = [one.lightness() for one in pixels if one.alpha() == 255]
        assert len(lit) > 20
        assert 100 < min(lit) <= max(lit) < 180
