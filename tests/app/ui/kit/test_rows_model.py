"""The one item model behind the lists."""
# mypy: disallow-untyped-calls=False

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import look_of
from app.ui.kit.theme import Choice

Pair = tuple[str, str]


def make(context: Context) -> RowsModel[Pair]:
    columns = [
        Column[Pair]("Name", lambda pair: pair[0], tip=lambda pair: f"tip {pair[0]}"),
        Column[Pair]("State", lambda pair: pair[1], lambda pair: look_of(pair[1])),
        Column[Pair]("Length", lambda pair: str(len(pair[0])), right=True),
    ]
    return RowsModel(columns, context)


def test_it_keeps_the_rules_of_item_models(
    context: Context, qtmodeltester: ModelTester
) -> None:
    model = make(context)
    qtmodeltester.check(model)
    model.set_records([("a", "PASS"), ("b", "FAIL")])
    model.set_records([("a", "PASS"), ("b", "VOID"), ("c", "running")])
    model.set_records([("c", "DONE")])
    qtmodeltester.check(model)
    assert [model.index(0, column).data() for column in range(3)] == ["c", "done", "1"]


def test_a_state_is_a_word_a_shape_and_a_colour(context: Context) -> None:
    model = make(context)
    model.set_records([("a", "FAIL")])
    cell = model.index(0, 1)
    assert cell.data() == "FAIL"
    icon = cell.data(Qt.ItemDataRole.DecorationRole)
    assert isinstance(icon, QIcon)
    assert not icon.isNull()
    colour = cell.data(Qt.ItemDataRole.ForegroundRole)
    assert colour == QColor(context.theme.tokens.error)
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "tip a"
    assert model.headerData(2, Qt.Orientation.Horizontal) == "Length"


def test_more_of_the_same_are_inserted(context: Context, qtbot: QtBot) -> None:
    model = make(context)
    model.set_records([("a", "PASS")])
    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.assertNotEmitted(model.dataChanged),
        qtbot.waitSignal(model.rowsInserted),
    ):
        model.set_records([("a", "PASS"), ("b", "PASS")])
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.set_records([("a", "PASS"), ("b", "FAIL")])
    assert changed.args[0].row() == 1
    with qtbot.assertNotEmitted(model.dataChanged):
        model.set_records([("a", "PASS"), ("b", "FAIL")])


def test_another_theme_colours_again(context: Context, qtbot: QtBot) -> None:
    model = make(context)
    model.set_records([("a", "PASS")])
    before = model.index(0, 1).data(Qt.ItemDataRole.ForegroundRole)
    with qtbot.waitSignal(model.dataChanged):
        context.theme.choose(Choice.DARK)
    assert model.index(0, 1).data(Qt.ItemDataRole.ForegroundRole) != before


def test_the_very_same_records_are_not_compared(context: Context) -> None:
    class Costly:
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = None  # type: ignore[assignment]

    model = RowsModel([Column[object]("One", lambda _: "")], context)
    records = [Costly() for _ in range(3)]
    model.set_records(records[:2])
    model.set_records(records)
    assert model.rowCount() == 3
