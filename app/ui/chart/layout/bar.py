"""What arranges the charts of a pane: buttons, the list of channels, what lacks."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QInputDialog, QLabel, QMenu, QToolButton, QWidget

from app.report.chart.layout import Arranger, Layout, OwnCurve
from app.ui.chart.chart import Chart
from app.ui.chart.layout.channels import ChannelList
from app.ui.chart.layout.drag import CHANNELS, channels_in
from app.ui.chart.layout.editor import LayoutEditor
from app.ui.chart.layout.layouts import Layouts
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.widgets import column, make_button, named, row
from instruments.errors import one_line

_LIST_WIDTH = 240


class ChannelPanel(QFrame):
    """The channels of the session, beside its charts.

    Attributes:
        list: The channels.
    """

    def __init__(self, context: Context, editor: LayoutEditor) -> None:
        super().__init__()
        self._editor = editor
        self.list = ChannelList(context, "Channels")
        tip = "Drag channels onto a chart; Enter makes a new chart of them"
        self.list.table.setToolTip(tip)
        self.list.wanted.connect(self._make_chart)
        into = make_button("Add to...", "Put what is chosen into a chart")
        self._menu = QMenu(into)
        self._menu.aboutToShow.connect(self._offer)
        into.setMenu(self._menu)
        new = QLabel("Drop here for a new chart")
        new.setObjectName("muted")
        computed = make_button(
            "Compute...", "A sum, a ratio, a moving mean... as a curve", self._ask
        )
        buttons = row(into, computed, spacing=6)
        parts = (self.list, new, buttons)
        column(*parts, of=self, grows=self.list, margins=(10, 6, 6, 8), spacing=6)
        self.setFixedWidth(_LIST_WIDTH)
        self.setAcceptDrops(True)

    @property
    def _curves(self) -> list[OwnCurve]:
        return [OwnCurve((channel.name,)) for channel in self.list.chosen]

    @Slot()
    def _offer(self) -> None:
        self._menu.clear()
        charts = [*map(one_line, self._editor.charts), "New chart"]
        for number, name in enumerate(charts):
            action = self._menu.addAction(name.replace("&", "&&"))
            action.setEnabled(bool(self._curves))
            action.triggered.connect(partial(self._add, number))

    def _add(self, number: int) -> None:
        self._editor.add(self._curves, number)

    @Slot()
    def _make_chart(self) -> None:
        self._add(len(self._editor.charts))

    @Slot()
    def _ask(self) -> None:
        self._editor.ask(len(self._editor.charts), self.list.chosen)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take channels back."""
        if event.mimeData().hasFormat(CHANNELS):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Make a chart of what was dropped here."""
        event.acceptProposedAction()
        curves = [OwnCurve((name,)) for name in channels_in(event.mimeData())]
        self._editor.add(curves, len(self._editor.charts))


class LayoutTools:
    """The parts that a pane shows where its charts can be arranged.

    Args:
        context: What the parts of the window share.
        chart: The charts.
        layouts: What they are arranged by.
        pane: The pane.

    Attributes:
        editor: What changes the layout.
        toggle: Shows the list of channels, or hides it.
        channels: The list beside the charts; hidden until it is wanted.
        note: What of the layout this session lacks.
        buttons: For the bar of the pane.
        restore: Back to the charts of every session; hidden while these are shown.
    """

    def __init__(
        self, context: Context, chart: Chart, layouts: Layouts, pane: QWidget
    ) -> None:
        self._chart, self._layouts, self._pane = chart, layouts, pane
        self._looked: tuple[Arranger | None, Layout | None] | None = None
        self.editor = LayoutEditor(context, chart, layouts, pane)
        self.channels = ChannelPanel(context, self.editor)
        self.channels.hide()
        self.note = named(ElidedLabel(), "What the layout lacks", look="warn")
        self.note.setContentsMargins(12, 2, 12, 2)
        self.note.hide()
        self.restore = self._button(
            context, "undo-2", "Standard charts", "Ctrl+Alt+0", self._restore
        )
        self.restore.hide()
        self.menu_button = self._button(
            context, "columns-2", "Layout of the charts", "Ctrl+Alt+L", None
        )
        menu = QMenu(self.menu_button)
        menu.aboutToShow.connect(partial(self._offer, menu))
        self.menu_button.setMenu(menu)
        self.menu_button.setObjectName("more")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.toggle = QAction("&Channels beside the charts", pane)
        self.toggle.setShortcut(QKeySequence("Ctrl+Alt+C"))
        self.toggle.setCheckable(True)
        self.toggle.toggled.connect(self._show_channels)
        pane.addAction(self.toggle)
        self.buttons = (self.restore, self.menu_button)
        self.editor.attempt(layouts.begin)
        layouts.changed.connect(self.show)
        self.show()

    def _button(
        self,
        context: Context,
        icon: str,
        name: str,
        keys: str,
        act: Callable[[], object] | None,
    ) -> QToolButton:
        button = named(QToolButton(), name, f"{name} ({keys})")
        context.icons.put_on(button, icon)
        button.setShortcut(QKeySequence(keys))
        if act is not None:
            button.clicked.connect(act)
        return button

    def show(self) -> None:
        """Show the charts of the layout, and say what of it the session lacks."""
        current = self._layouts.current
        self._chart.set_layout(current)
        self.restore.setVisible(current is not None)
        self.look()

    def look(self) -> None:
        """See which session is shown now."""
        arranger, current = self.editor.arranger, self._layouts.current
        if (arranger, current) == self._looked:
            return
        self._looked = arranger, current
        if not self.channels.isHidden():
            self.channels.list.show_channels(arranger)
        lacking: tuple[str, ...] = ()
        if arranger is not None and current is not None:
            lacking = arranger.arrange(current).lacking
        said = "; ".join(one.rstrip(".") for one in lacking)
        text = f"Left out of the layout, not in this session: {said}" if said else ""
        self.note.setText(one_line(text))
        self.note.setToolTip("\n".join(map(one_line, lacking)))
        self.note.setVisible(bool(lacking))

    def _show_channels(self, shown: bool) -> None:
        self.channels.setVisible(shown)
        if shown:
            self.channels.list.show_channels(self.editor.arranger)
            self.channels.list.search.setFocus()

    def _restore(self) -> None:
        self._layouts.show(None)

    def _offer(self, menu: QMenu) -> None:
        """Offer the layouts that are saved, and to save this one."""
        menu.clear()
        menu.addAction(self.toggle)
        menu.addSeparator()
        current = self._layouts.current
        standard = menu.addAction("&Standard charts", self._restore)
        standard.setCheckable(True)
        standard.setChecked(current is None)
        names: list[str] = []
        self.editor.attempt(lambda: names.extend(self._layouts.names))
        for name in names:
            action = menu.addAction(one_line(name).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(current is not None and current.name == name)
            choose = partial(self._layouts.choose, name)
            action.triggered.connect(partial(self.editor.attempt, choose))
        menu.addSeparator()
        save = menu.addAction("Save &as...", self._save)
        save.setEnabled(current is not None)
        if current is not None and current.name in names:
            again = partial(self._layouts.save, current.name)
            text = f'Sa&ve "{one_line(current.name)}"'
            menu.addAction(text, partial(self.editor.attempt, again))
        deleting = menu.addMenu("&Delete")
        deleting.setEnabled(bool(names))
        for name in names:
            delete = partial(self._layouts.delete, name)
            text = one_line(name).replace("&", "&&")
            deleting.addAction(text, partial(self.editor.attempt, delete))

    def _save(self) -> None:
        """Ask for a name, and keep the layout by it."""
        current = self._layouts.current
        name, is_meant = QInputDialog.getText(
            self._pane,
            "Save layout",
            "Name of the layout; one of that name is replaced:",
            text=current.name if current is not None else "",
        )
        name = one_line(name.strip())[:80]
        if is_meant and name:
            self.editor.attempt(partial(self._layouts.save, name))
