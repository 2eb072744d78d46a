"""What a view says while it has nothing to show."""

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.ui.kit.empty import EmptyState
from app.ui.kit.icons import Icons
from app.ui.kit.labels import break_words


def test_a_path_is_shown_as_it_is_and_broken_only_where_it_is_too_long(
    icons: Icons, qtbot: QtBot
) -> None:
    found = EmptyState(icons, "gauge", "Nothing", "Look elsewhere.")
    qtbot.addWidget(found)
    found.resize(800, 500)
    found.show()
    short, long = (
        "There are none in /srv/lab_1/Bayscope.",
        "/srv/" + "a_long_name/" * 20,
    )
    for text in (short, long):
        found.say(text)
        label = next(one for one in found.findChildren(QLabel) if "/srv" in one.text())
        assert found.text == label.text() == text
        lines = break_words(text, label.fontMetrics(), label.width())
        assert lines.replace("\n", "") == text
        assert ("\n" in lines) == (text == long)
        width = label.fontMetrics()
        assert all(
            width.horizontalAdvance(line) <= label.width()
            for line in lines.splitlines()
            if text == long
        )
        assert label.height() >= width.lineSpacing() * len(lines.splitlines())
