"""What a view says while it has nothing to show: what is missing, what to do."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.widgets import make_heading, make_note

_WIDTH = 420


class EmptyState(QWidget):
    """An icon, a sentence, an advice, and the button that helps.

    Signals:
        wanted: The button was pressed.
    """

    wanted = Signal()

    def __init__(
        self,
        icons: Icons,
        icon: str,
        title: str,
        advice: str,
        *,
        button: str = "",
        tip: str = "",
    ) -> None:
        super().__init__()
        self._icons = icons
        self._name = icon
        self._advice = advice
        self._picture = QLabel()
        self._title = make_heading(title)
        self._text = make_note(advice)
        self._text.setFixedWidth(_WIDTH)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._button = QPushButton(button)
        self._button.setToolTip(tip)
        self._button.setDefault(True)
        if not button:
            self._button.hide()
        self._button.clicked.connect(self.wanted)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addStretch(2)
        centre = Qt.AlignmentFlag.AlignHCenter
        for widget in (self._picture, self._title, self._text, self._button):
            layout.addWidget(widget, 0, centre)
        layout.addStretch(3)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.say("")
        self._recolour()
        icons.changed.connect(self._recolour)

    @Slot()
    def _recolour(self) -> None:
        self._picture.setPixmap(
            self._icons.get(self._name, "muted").pixmap(QSize(48, 48))
        )

    def say(self, text: str) -> None:
        """Say something else for a while; "" goes back to the advice."""
        self._text.setText(text or self._advice)
        self._text.setMinimumHeight(self._text.heightForWidth(_WIDTH))
        self._button.setVisible(not text and bool(self._button.text()))

    def advise(self, text: str) -> None:
        """Give other advice, now and whenever there is nothing else to say."""
        self._advice = text
        self.say("")

    @property
    def text(self) -> str:
        """What it says below the title."""
        return self._text.text()

    def set_title(self, title: str) -> None:
        """Replace the sentence."""
        self._title.setText(title)
