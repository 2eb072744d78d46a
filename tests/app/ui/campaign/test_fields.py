"""Fields of a step and of a campaign: options, tables, sweeps, limits, interlocks."""
# mypy: disallow-untyped-calls=False

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
)
from pytestqt.qtbot import QtBot

from app.plan.blocks import items
from app.ui.campaign.form.page import LimitsEditor
from app.ui.campaign.form.sweep import SweepEditor, format_values, parse_values
from app.ui.campaign.form.tables import TableRow
from app.ui.campaign.view import SETTINGS, CampaignView
from app.ui.kit.theme import Choice, Theme
from instruments.errors import printable
from tests.app.ui.campaign.campaigns_page import IDLE, enter, field, step


def test_typing_in_the_form_changes_the_text(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    enter(view, qtbot, "64k", "fio", "bs")
    assert step(view, 1)["fio"]["bs"] == "64k"  # type: ignore[index]
    assert 'bs = "64k"' in view.file.text
    assert view.head.unsaved.isVisible()
    assert "64k" in str(view.model.index(1, 3).data())
    view.file.stack.undo()
    assert field(view, "fio", "bs").entered() == "4m"
    assert not view.file.has_changes


def test_a_field_that_was_left_out_keeps_the_cursor(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.edits.set([0], ("engine",), "copy")
    view.table.choose_rows([0])
    for path in (("copy", "bs"), ("repeat",)):
        editor = field(view, *path).editor
        editor.setFocus()
        qtbot.keyClicks(editor, "42")
        assert field(view, *path).editor is editor
        assert field(view, *path).entered() == "42"
    view.table.choose_rows([1])
    editor = field(view, "fio", "rate_iops").editor
    qtbot.keyClicks(editor, "100")
    assert field(view, "fio", "rate_iops").editor is editor
    assert step(view, 1)["fio"]["rate_iops"] == 100  # type: ignore[index]


def test_tables_are_switched_on_and_off_by_a_tick(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.table.choose_rows([1])
    assert ("steady", "method") not in view.form.fields
    view.form.page.checkboxes["steady"].click()
    qtbot.waitUntil(lambda: ("steady", "method") in view.form.fields)
    assert step(view, 1)["steady"] == {"method": "sss-pts"}
    method = field(view, "steady", "method").editor
    assert isinstance(method, QComboBox)
    method.setCurrentText("5x30min")
    enter(view, qtbot, "iops, power", "steady", "quantities")
    assert step(view, 1)["steady"] == {
        "method": "5x30min",
        "quantities": ["iops", "power"],
    }
    assert view.campaign is not None
    view.form.page.checkboxes["steady"].click()
    qtbot.waitUntil(lambda: ("steady", "method") not in view.form.fields)
    assert "steady" not in step(view, 1)
    view.form.page.checkboxes["repeats"].click()
    qtbot.waitUntil(lambda: ("repeats", "of") in view.form.fields)
    assert view.campaign is not None


def test_a_mistake_stands_beside_its_field(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    with qtbot.waitSignal(view.file.checked):
        enter(view, qtbot, "4q", "fio", "bs")
    assert "Expected sizes" in field(view, "fio", "bs").mistake.text()
    assert field(view, "fio", "bs").mistake.isVisible()
    assert view.model.index(1, 1).data(Qt.ItemDataRole.DecorationRole) is not None
    assert view.trouble.isVisible()
    view.table.choose_rows([0])
    assert field(view, "label").mistake.text() == ""
    view.trouble.show_button.click()
    assert view.table.rows() == [1]
    assert view.text.wrong == (17,)
    view.start()  # leads to the mistake, and asks for nothing
    assert QApplication.activeModalWidget() is None
    with qtbot.waitSignal(view.file.checked):
        view.file.stack.undo()
    assert not view.trouble.isVisible()


def test_another_engine_brings_its_own_keys(view: CampaignView) -> None:
    view.table.choose_rows([1])
    combo = field(view, "engine").editor
    assert isinstance(combo, QComboBox)
    combo.setCurrentText("idle")
    assert "fio" not in step(view, 1)
    assert "ramp" not in step(view, 1)
    assert view.campaign is not None
    view.file.stack.undo()
    assert not view.file.has_changes


def test_a_sweep_is_made_and_its_runs_are_counted(
    view: CampaignView, qtbot: QtBot
) -> None:
    view.table.choose_rows([4])
    sweep = view.form.page.sweep
    assert isinstance(sweep, SweepEditor)
    qtbot.mouseClick(sweep.more, Qt.MouseButton.LeftButton)
    row = sweep.rows[0]
    row.option.setCurrentText("numjobs")
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(row.values, "1, 2, 4")
    assert step(view, 4)["sweep"] == {"numjobs": [1, 2, 4]}
    assert "set in the step and swept" in sweep.mistake.text()
    with qtbot.waitSignal(view.file.checked):
        enter(view, qtbot, "", "fio", "numjobs")
        qtbot.keyClick(field(view, "fio", "numjobs").editor, Qt.Key.Key_Backspace)
    assert view.campaign is not None
    assert len(view.campaign.runs) == 9
    assert sweep.note.text() == "3 runs, 48s"
    assert sweep.order.isVisible()
    assert not sweep.seed.isVisible()
    sweep.order.setCurrentText("shuffled")
    assert sweep.seed.isVisible()
    assert view.form.page.sweep is sweep
    qtbot.keyClicks(sweep.seed, "7")
    assert step(view, 4)["sweep"]["seed"] == 7  # type: ignore[index]
    row.removed.emit()
    assert "sweep" not in step(view, 4)


def test_values_with_commas_stand_in_quotes() -> None:
    values: list[object] = ["4k/50:8k/50,1m", 8, "a b"]
    assert format_values(values) == '"4k/50:8k/50,1m", 8, a b'
    assert parse_values(format_values(values)) == values
    assert parse_values(" 1,, 02 ,") == [1, "02"]


def test_limits_are_entered_with_their_unit(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    limits = view.form.page.limits
    assert isinstance(limits, LimitsEditor)
    limits.more.click()
    row = limits.rows[0]
    assert row.unit.text() == "W"
    row.result.setCurrentText("drive_max_c")
    assert "C" in row.unit.text()
    row.result.setCurrentText("iops")
    assert row.sign.currentText() == ">="
    row.result.setCurrentText("drive_max_c")
    assert row.sign.currentText() == "<="
    assert "limits" not in step(view, 1)
    qtbot.keyClicks(row.value, "60")
    assert step(view, 1)["limits"] == ["drive_max_c <= 60"]
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(row.value, "x")
    assert "is not a limit" in limits.mistake.text()
    row.removed.emit()
    assert "limits" not in step(view, 1)


def test_a_further_option_is_asked_for(view: CampaignView, qtbot: QtBot) -> None:
    view.table.choose_rows([1])
    asker = view.form.page.asker
    assert asker is not None
    asker.setCurrentText("thinktime_spin")
    asker.activated.emit(asker.currentIndex())
    qtbot.waitUntil(lambda: ("fio", "thinktime_spin") in view.form.fields)
    enter(view, qtbot, "500", "fio", "thinktime_spin")
    assert str(step(view, 1)["fio"]["thinktime_spin"]) == "500"  # type: ignore[index]
    view.table.choose_rows([2])
    assert ("fio", "thinktime_spin") not in view.form.fields
    view.table.choose_rows([1])
    assert field(view, "fio", "thinktime_spin").entered() == "500"


def test_a_key_nobody_knows_is_shown(view: CampaignView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.file.checked):
        view.edits.set([0], ("novelty", "depth"), 3)
    assert field(view, "novelty", "depth").entered() == "3"
    assert "unknown key" in view.form.page.general.text().lower()


def test_the_campaign_itself_is_edited(view: CampaignView, qtbot: QtBot) -> None:
    view.tabs.setCurrentIndex(SETTINGS)
    fields = view.settings.fields
    name = fields[("name",)].editor
    assert isinstance(name, QLineEdit)
    name.selectAll()
    qtbot.keyClicks(name, "Mine")
    ranging = fields[("ranging", "seconds")].editor
    assert isinstance(ranging, QLineEdit)
    qtbot.keyClicks(ranging, "5")
    assert view.file.values["name"] == "Mine"
    assert view.file.values["ranging"] == {"seconds": 5}
    assert view.head.title.text() == "Mine *"
    grid = view.settings.grids["configuration"]
    grid.more.click()
    lines = grid.rows[0].editors
    for line, text in zip(
        lines,
        ("cache", "on, off", "Set it to {cache}.", "set-it '{cache}'"),
        strict=True,
    ):
        qtbot.keyClicks(line, text)
    assert items(view.file.values, "configuration") == [
        {
            "name": "cache",
            "values": ["on", "off"],
            "prompt": "Set it to {cache}.",
            "command": ["set-it", "{cache}"],
        }
    ]
    qtbot.waitUntil(lambda: "2 configurations" in grid.note.text())
    assert view.campaign is not None
    grid.rows[0].removed.emit()
    assert "configuration" not in view.file.values


def test_interlocks_are_edited_in_a_grid(view: CampaignView, qtbot: QtBot) -> None:
    view.tabs.setCurrentIndex(SETTINGS)
    grid = view.settings.grids["interlock"]
    grid.more.click()
    (table,) = items(view.file.values, "interlock")
    assert (table["name"], table["above"], table["until"]) == ("Drive too hot", 60, 55)
    assert view.campaign is not None
    row = grid.rows[0]
    assert isinstance(row, TableRow)
    above = row._cells["above"][1]
    assert isinstance(above, QLineEdit)
    above.selectAll()
    with qtbot.waitSignal(view.file.checked):
        qtbot.keyClicks(above, "50")
    assert items(view.file.values, "interlock")[0]["above"] == 50
    assert "trips it again" in grid.mistake.text()
    view.edits.set_tables("interlock", [{**table, "novel": 1}], "")
    assert row.table()["novel"] == 1
    row.removed.emit()
    assert "interlock" not in view.file.values


def test_further_options_are_offered_with_fios_own_help(view: CampaignView) -> None:
    view.table.choose_rows([1])
    assert view.form.page.asker is not None
    told = {one.path[-1]: one.option.help for one in view.form.page.asker.fields}
    assert told["thinktime_spin"].startswith("Start think time by spinning")
    row = view.form.page.asker.findText("thinktime_spin")
    assert view.form.page.asker.itemData(row, Qt.ItemDataRole.ToolTipRole)


def test_icons_of_a_form_follow_the_theme(view: CampaignView, theme: Theme) -> None:
    theme.choose(Choice.LIGHT)
    limits = view.form.findChild(LimitsEditor)
    assert limits is not None
    limits.add_row()

    def colours() -> list[int]:
        buttons = (limits.more, limits.rows[0]._remove)
        icons = [button.icon().pixmap(16, 16).toImage() for button in buttons]
        return [
            max(
                image.pixelColor(x, y).lightness()
                for x in range(image.width())
                for y in range(image.height())
                if image.pixelColor(x, y).alpha() > 200
            )
            for image in icons
        ]

    light = colours()
    theme.choose(Choice.DARK)
    assert all(b > a for a, b in zip(light, colours(), strict=True))


def test_no_label_of_the_form_shows_an_escape(
    campaigns: CampaignView, qtbot: QtBot
) -> None:
    """A label that breaks at "_" has nothing in it that the style writes out."""
    text = IDLE.replace('"idle"', '"fio"')
    options = 'rw = "randread"\nio_submit_mode = "offload"\n'
    campaigns.file.begin(f'name = "Up"\n{text}[step.fio]\n{options}')
    qtbot.waitUntil(lambda: campaigns.model.rowCount() == 1)
    labels = [label.text() for label in campaigns.form.findChildren(QLabel)]
    assert any("_" in text for text in labels)
    assert [text for text in labels if printable(text, "\n") != text] == []


def test_a_mistake_of_two_lines_moves_nothing(
    in_window: CampaignView, qtbot: QtBot
) -> None:
    view = in_window
    view.table.choose_row(1)
    qtbot.waitUntil(lambda: ("fio", "bssplit") in view.form.fields)
    split, below = field(view, "fio", "bssplit"), field(view, "fio", "iodepth")
    QApplication.processEvents()
    place = below.pos()
    enter(view, qtbot, "4q", "fio", "bssplit")
    label = split.mistake
    qtbot.waitUntil(label.isVisible)
    QApplication.processEvents()
    assert label.minimumHeight() > label.fontMetrics().lineSpacing()
    assert below.pos() == place


def test_words_of_a_flag_do_not_widen_the_form(
    in_window: CampaignView, qtbot: QtBot
) -> None:
    form = in_window.form
    in_window.table.choose_row(1)
    qtbot.waitUntil(lambda: ("fio", "direct") in form.fields)
    form.ask(("fio", "ignore_zone_limits"))
    assert form.page.minimumSizeHint().width() <= form.viewport().width()
