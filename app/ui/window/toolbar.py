"""The tools above the pages."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolBar

from app.ui.kit.context import Context


class Tools(QToolBar):
    """Start run, Stop, Mark event, Report; none has a menu.

    What drops down from here would cover the buttons that stop a run.

    Attributes:
        start: Starts a run.
        queue: Lets another one wait; offered while a run goes on.
        repeat: Asks for the last run again; offered once there was one.
        stop: Ends it.
        mark: Notes something where the mouse or the playhead is.
        report: Shows the report table.
    """

    def __init__(self, context: Context) -> None:
        super().__init__("Tools")
        self._has_run = False
        self.start = self._tool("Start run", "Ctrl+R", "Run a campaign on this bench")
        self.queue = self._tool(
            "Queue run...", "Ctrl+Shift+Q", "Queue a run behind the one in progress"
        )
        self.repeat = self._tool(
            "Repeat...",
            "Ctrl+Alt+R",
            "Run the last campaign again with the same choices",
        )
        self.stop = self._tool("Stop...", "Ctrl+.", "Ask whether to end the run")
        self.mark = self._tool("Mark event", "Ctrl+M", "Note something at this moment")
        self.report = self._tool("Report", "Ctrl+T", "The table of the session shown")
        icons = context.icons
        icons.put_on(self.start, "play", "accent_text")
        icons.put_on(self.queue, "plus")
        icons.put_on(self.repeat, "redo-2")
        icons.put_on(self.stop, "square")
        self.queue.setVisible(False)
        self.repeat.setVisible(False)
        icons.put_on(self.mark, "circle-dot")
        icons.put_on(self.report, "file-text")
        self.widgetForAction(self.start).setObjectName("primary")
        self.setMovable(False)
        self.setIconSize(QSize(17, 17))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def _tool(self, text: str, keys: str, tip: str) -> QAction:
        action = QAction(text, self)
        action.setIconText(f" {text}")  # room between the icon and the text
        action.setShortcut(keys)
        action.setToolTip(f"{tip} ({keys})")
        self.addAction(action)
        button = self.widgetForAction(action)
        button.setAccessibleName(text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return action

    def set_running(self, *, running: bool, stopping: bool) -> None:
        """Offer what can be done now."""
        self.start.setEnabled(not running)
        self.queue.setVisible(running)
        self._has_run = self._has_run or running
        self.repeat.setVisible(self._has_run and not running)
        self.stop.setEnabled(running and not stopping)
        self.stop.setIconText(" Stopping" if stopping else " Stop...")

    def set_session(self, *, shown: bool, can_mark: bool) -> None:
        """Offer the report while a session is shown, marks where they make sense."""
        self.mark.setEnabled(can_mark)
        self.report.setEnabled(shown)
