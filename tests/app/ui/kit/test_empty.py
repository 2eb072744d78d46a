"""What a view says while it has nothing to show."""

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.ui.kit.empty import EmptyState
from app.ui.kit.icons import Icons


def test_a_path_is_shown_as_it_is_and_broken_only_where_it_is_too_long(
    icons: Icons, qtbot: QtBot
) -> None:
    found = EmptyState(icons, "gauge", "Nothing", "Look elsewhere.")
    qtbot.addWidget(found)
    short, long = (
        "There are none in /srv/lab_1/Bayscope.",
        "/srv/" + "a_long_name/" * 20,
    )
    for text in (short, long):
        found.say(text)
        label = next(one for one in found.findChildren(QLabel) if "/srv" in one.text())
        assert found.text == text
        assert label.text().replace("\n", "") == text
        assert ("\n" in label.text()) == (text == long)
        width = label.fontMetrics()
        lines = label.text().splitlines()
        assert all(width.horizontalAdvance(line) <= label.width() for line in lines)
