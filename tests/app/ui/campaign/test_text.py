"""The text of a campaign: colours, numbers of lines, the cursor."""
# mypy: disallow-untyped-calls=False

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ui.campaign.text import CampaignText
from app.ui.kit.marks import without_marks
from app.ui.kit.theme import Choice, Theme

TEXT = """# mine
name = "a # b"  # told
description = \"\"\"
[no header]
\"\"\"
[[step]]
"obj.size" = ["1m", 'x']
"""


@pytest.fixture
def text(qtbot: QtBot, theme: Theme) -> CampaignText:
    found = CampaignText(theme)
    qtbot.addWidget(found)
    found.show_text(TEXT)
    found.show()
    return found


def colours(text: CampaignText, line: int) -> dict[str, str]:
    """Get the colour of each part of a line, counted from 1."""
    block = text.document().findBlockByNumber(line - 1)
    parts = {}
    for one in block.layout().formats():
        part = block.text()[one.start : one.start + one.length]
        parts[part] = one.format.foreground().color().name()
    return parts


def test_headers_keys_texts_and_comments_have_colours(
    text: CampaignText, theme: Theme
) -> None:
    for choice in (Choice.LIGHT, Choice.DARK):
        theme.choose(choice)
        tokens = theme.tokens
        muted, accent = QColor(tokens.muted).name(), QColor(tokens.accent).name()
        key, quoted = tokens.trace(0).name(), tokens.trace(2).name()
        assert colours(text, 1) == {"# mine": muted}
        assert colours(text, 2) == {"name": key, '"a # b"': quoted, "# told": muted}
        assert colours(text, 4) == {"[no header]": quoted}
        assert colours(text, 6) == {"[[step]]": accent}
        assert colours(text, 7) == {
            '"obj.size"': key,
            '"1m"': quoted,
            "'x'": quoted,
        }


def test_only_what_differs_is_replaced(text: CampaignText) -> None:
    text.go_to(6)
    text.show_text(TEXT.replace("# mine", "# mine, and longer"))
    assert text.textCursor().block().text() == "[[step]]"
    text.show_text("")
    assert text.toPlainText() == ""


@pytest.mark.parametrize(
    "hostile",
    [
        'name = "a\u202eb\u200f"\n# \x07 \u2028 \u2029 \u00a0',
        '# \U0001f600 \u27e6 \u27e6U+202E\u27e7\nname = "x"',
    ],
)
def test_what_is_not_seen_is_shown_as_a_mark_and_stays_what_it_is(
    text: CampaignText, qtbot: QtBot, hostile: str
) -> None:
    text.show_text(hostile)
    text.go_to(1)
    shown = text.toPlainText()
    assert all(one.isprintable() or one == "\n" for one in shown)
    with qtbot.waitSignal(text.edited) as told:
        qtbot.keyClicks(text, "#")
    assert told.args == [f"#{hostile}"]
    longer = hostile.replace("name", "# \U0001f600\nname")
    text.show_text(longer)
    assert without_marks(text.toPlainText()) == longer


@pytest.mark.parametrize("number", ["D800", "DCFF", "DFFF", "110000"])
def test_a_mark_of_what_is_no_character_stays_what_was_typed(number: str) -> None:
    typed = f"# \u27e6U+{number}\u27e7"
    assert without_marks(typed) == typed
    assert without_marks(typed).encode().decode() == typed


def test_wrong_lines_are_marked(text: CampaignText) -> None:
    text.mark_lines((2, 6))
    assert len(text.extraSelections()) == 2
    width = text.numbers_width()
    text.show_text("x = 1\n" * 2000)
    assert text.numbers_width() > width
