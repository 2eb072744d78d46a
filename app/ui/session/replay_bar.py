"""Replay controls: play and pause, steps, loop, a slider, the speed."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSlider,
    QToolButton,
    QWidget,
)

from app.ui.kit.clock import clock, seconds_between
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.theme import tabular
from app.ui.session.playhead import SPEEDS, Playhead

_TICKS = 10_000


class ReplayBar(QWidget):
    """Moves a playhead, and shows where it is.

    Signals:
        clicked: The mouse pressed a button; the keys shall be those of the replay.
    """

    clicked = Signal()

    def __init__(self, context: Context, playhead: Playhead) -> None:
        super().__init__()
        self._icons = context.icons
        self._playhead = playhead
        self._play = self._button("play", "Play", "Space", self._toggle)
        back = self._button("step-back", "Back 1 s", "Left", lambda: playhead.step(-1))
        on = self._button(
            "step-forward", "Forward 1 s", "Right", lambda: playhead.step(1)
        )
        before = self._button(
            "chevrons-left", "Previous step", "Page Up", playhead.stop_before
        )
        after = self._button(
            "chevrons-right", "Next step", "Page Down", playhead.stop_after
        )
        self._loop = self._button("repeat", "Loop", "L", self._set_loop)
        self._loop.setCheckable(True)
        first = self._button(
            "skip-back", "To the start", "Home", lambda: playhead.seek(playhead.start)
        )
        last = self._button(
            "skip-forward", "To the end", "End", lambda: playhead.seek(playhead.end)
        )
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, _TICKS)
        self._slider.setPageStep(_TICKS // 20)
        self._slider.setAccessibleName("Playhead")
        self._slider.setToolTip("Drag to a moment of the session")
        self._slider.valueChanged.connect(self._drag)
        self._time = QLabel("0:00 / 0:00")
        self._time.setFont(tabular())
        self._time.setAccessibleDescription("Time of the playhead")
        self._speed = ComboBox()
        for speed in SPEEDS:
            self._speed.addItem(f"{speed}x", speed)
        self._speed.setAccessibleName("Replay speed")
        self._speed.setToolTip("Seconds of the session in one second (Up, Down)")
        self._speed.activated.connect(self._choose_speed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 12, 6)
        layout.setSpacing(4)
        buttons = (first, before, back, self._play, on, after, last, self._loop)
        for button in buttons:
            layout.addWidget(button)
        layout.addSpacing(6)
        layout.addWidget(self._slider, 1)
        layout.addSpacing(6)
        layout.addWidget(self._time)
        layout.addSpacing(6)
        layout.addWidget(self._speed)
        playhead.moved.connect(self._show)
        playhead.changed.connect(self._show)
        self._show()

    def _button(self, icon: str, text: str, keys: str, action: object) -> QToolButton:
        button = QToolButton()
        self._icons.put_on(button, icon)
        button.setAccessibleName(text)
        button.setToolTip(f"{text} ({keys})")
        button.clicked.connect(action)
        button.clicked.connect(partial(self._tell_click, button))
        return button

    def _tell_click(self, button: QToolButton) -> None:
        if not button.hasFocus():  # Else it was the keyboard.
            self.clicked.emit()

    @Slot()
    def _toggle(self) -> None:
        if self._playhead.is_playing:
            self._playhead.pause()
        else:
            self._playhead.play()

    @Slot()
    def _set_loop(self) -> None:
        self._playhead.loops = self._loop.isChecked()

    def press(self, key: int, *, shift: bool) -> bool:
        """Act on a key of the chart; tell whether it meant anything."""
        seconds = 10.0 if shift else 1.0
        head = self._playhead
        actions: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Space: self._toggle,
            Qt.Key.Key_Left: lambda: head.step(-seconds),
            Qt.Key.Key_Right: lambda: head.step(seconds),
            Qt.Key.Key_Home: lambda: head.seek(head.start),
            Qt.Key.Key_End: lambda: head.seek(head.end),
            Qt.Key.Key_PageUp: head.stop_before,
            Qt.Key.Key_PageDown: head.stop_after,
            Qt.Key.Key_L: self._toggle_loop,
            Qt.Key.Key_Up: lambda: self._change_speed(1),
            Qt.Key.Key_Down: lambda: self._change_speed(-1),
        }
        act = actions.get(key)
        if act is not None:
            act()
        return act is not None

    def _toggle_loop(self) -> None:
        self._loop.toggle()
        self._set_loop()

    def _change_speed(self, step: int) -> None:
        index = SPEEDS.index(self._playhead.speed) + step
        self._playhead.set_speed(SPEEDS[min(max(index, 0), len(SPEEDS) - 1)])

    @Slot(int)
    def _choose_speed(self, index: int) -> None:
        self._playhead.set_speed(SPEEDS[index])

    @Slot(int)
    def _drag(self, tick: int) -> None:
        length = self._playhead.end - self._playhead.start
        self._playhead.seek(self._playhead.start + length * tick // _TICKS)

    @Slot()
    def _show(self) -> None:
        head = self._playhead
        length = max(head.end - head.start, 1)
        self._slider.blockSignals(True)
        self._slider.setValue((head.position - head.start) * _TICKS // length)
        self._slider.blockSignals(False)
        self._speed.setCurrentIndex(SPEEDS.index(head.speed))
        now = clock(seconds_between(head.start, head.position))
        whole = clock(seconds_between(head.start, head.end))
        self._time.setText(f"{now} / {whole}")
        icon, text = ("pause", "Pause") if head.is_playing else ("play", "Play")
        if self._play.accessibleName() != text:
            self._icons.put_on(self._play, icon)
            self._play.setAccessibleName(text)
            self._play.setToolTip(f"{text} (Space)")
