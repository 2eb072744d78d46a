"""The form of a step: drawn from the groups of fields that its engine has."""

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea

from app.operations.editing.check import Mistake
from app.operations.editing.field import Group
from app.operations.editing.fields import groups, other_keys
from app.plan.edit import Path
from app.ui.campaign.fio_advice import Advice
from app.ui.campaign.form.chosen import Chosen
from app.ui.campaign.form.page import FormPage
from app.ui.kit.icons import Icons
from app.ui.kit.option_field import OptionField

_LEAST_WIDTH = 366
"""Pixels: a limit in one line, with its unit."""


class CampaignForm(QScrollArea):
    """Shows the chosen steps and emits every change at once.

    Its page is made again for another step or engine, and never for another value: a
    field that is being typed in stays.

    Signals:
        edited: A key (Path) is to have another value (None for none); the last part
            tells changes of one field apart from the next (str).
    """

    edited = Signal(object, object, str)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._chosen = Chosen()
        self._key: object = None
        self._shape: tuple[object, ...] = ()
        self._asked: list[Path] = []
        self._turn = 0
        self._mistakes: Sequence[Mistake] = ()
        self._advice: Mapping[Path, Advice] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("What the selected step does")
        self.setMinimumWidth(_LEAST_WIDTH)
        self.page = self._make_page()

    @property
    def fields(self) -> dict[Path, OptionField]:
        """Its fields by the path of their key."""
        return self.page.fields

    def show_steps(self, steps: Sequence[Mapping[str, object]], key: object) -> None:
        """Show the chosen steps; all of them take what is entered.

        Args:
            steps: What stands in the file of them; none where none is chosen.
            key: Tells steps apart: fields that were asked for stay while it does.
        """
        if key != self._key:
            self._asked = []
        chosen = self._chosen = Chosen(tuple(steps))
        self._key = key
        engine = chosen.engine
        found = groups(engine)
        self._ask_given(found)
        tables = tuple((g.table, chosen.share(g.table)) for g in found if g.is_optional)
        shape = (key, len(steps), engine, tuple(self._asked), tables)
        if shape != self._shape:
            self._shape = shape
            # Another page would begin at its top, under the hands of the user.
            scroll = self.verticalScrollBar().value()
            self.page = self._make_page()
            self.verticalScrollBar().setValue(scroll)
        self.page.show_values(chosen)
        self.page.show_mistakes(self._mistakes)
        self.page.show_advice(self._advice)

    def _ask_given(self, found: Sequence[Group]) -> None:
        """Show the fields that are given, though they are not usual."""
        usual = {field.path for group in found for field in group.fields if field.shown}
        for path in _given(self._chosen):
            if path not in self._asked and path not in usual:
                self._asked.append(path)

    def _make_page(self) -> FormPage:
        before = self.takeWidget()
        if before is not None:
            before.hide()
            before.deleteLater()  # it may be one of its editors that has us here
        page = FormPage(self._icons, self._chosen, tuple(self._asked))
        page.entered.connect(self._emit)
        page.left.connect(self._next_turn)
        page.asked.connect(self.ask)
        self.setWidget(page)
        return page

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Say beside the fields what is wrong with this step."""
        self._mistakes = mistakes
        self.page.show_mistakes(mistakes)

    def show_runs(self, count: int, duration: str) -> None:
        """Say how many rows the step makes."""
        if self.page.sweep is not None:
            runs = f"{count} runs, {duration}" if count > 1 else ""
            self.page.sweep.note.setText(runs)

    def show_advice(self, advice: Mapping[Path, Advice]) -> None:
        """Say beside the fields what fio would do with this step."""
        self._advice = advice
        self.page.show_advice(advice)

    @Slot(object)
    def ask(self, path: Path) -> None:
        """Show a field for a key that has none yet."""
        if not path[-1].strip() or path in self.fields:
            return
        self._asked.append(path)
        self.show_steps(self._chosen.steps, self._key)
        self.fields[path].editor.setFocus()
        self.ensureWidgetVisible(self.fields[path])

    @Slot()
    def _next_turn(self) -> None:
        self._turn += 1

    @Slot(object, object)
    def _emit(self, path: Path, value: object) -> None:
        self.edited.emit(path, value, f"{path} {self._turn}")


def _given(chosen: Chosen) -> Iterator[Path]:
    """Yield the keys that stand in steps of one engine."""
    engine = chosen.engine
    for step in chosen.steps if engine else ():
        options = step.get(engine)
        if isinstance(options, Mapping):
            yield from ((engine, name) for name in options)
        yield from other_keys(step, engine)
