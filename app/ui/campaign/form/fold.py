"""Fields below a heading that opens and folds them."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget


class Fold(QWidget):
    """Hides its content until the heading is clicked, or somebody opens it.

    Args:
        title: The heading.
        content: What is hidden.
        is_open: Whether it is shown from the start.
    """

    def __init__(self, title: str, content: QWidget, *, is_open: bool) -> None:
        super().__init__()
        self.content = content
        self.button = QToolButton()
        self.button.setText(title)
        self.button.setObjectName("fold")
        self.button.setCheckable(True)
        self.button.setChecked(is_open)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setToolTip(f"Show or hide the options for {title.lower()} (Space)")
        self.button.setAccessibleName(f"{title} options")
        self.button.toggled.connect(self._show)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.button)
        layout.addWidget(content)
        self._show()

    def open(self) -> None:
        """Show the content."""
        self.button.setChecked(True)

    @Slot()
    def _show(self) -> None:
        is_open = self.button.isChecked()
        arrow = Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)
        self.content.setVisible(is_open)
