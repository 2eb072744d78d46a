"""The bar over all pages while a run goes on: how it stands, and what steers it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QWindow
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.campaign.run.progress import Progress
from app.ui.kit.context import Context
from app.ui.kit.labels import tone
from app.ui.kit.theme import tabular
from app.ui.kit.widgets import make_note, row
from app.ui.run.control import RunControl
from app.ui.run.standing import Standing, standing_of


@dataclass(frozen=True, slots=True)
class SteeringQuestion:
    """One question.

    Attributes:
        do: What a yes does.
        yes: What the button for it says.
        tip: What that means.
        words: The question, in place of how the run stands.
        closed: What is said where what it is about ends by itself before the answer.
        step_id: The step it is about, with which it goes; 0 for the whole run.
    """

    do: Callable[[], None]
    yes: str
    tip: str
    words: Standing
    closed: str
    step_id: int = 0


def stop_question(stop: Callable[[], None]) -> SteeringQuestion:
    """Ask whether the run is to end."""
    text = "Measured data is kept, and teardown steps still run."
    return SteeringQuestion(
        stop,
        "Stop the run",
        "End the run (Ctrl+Return)",
        Standing("Stop the run?", text, "triangle-alert", "warn"),
        "The run ended by itself before you answered; it was not stopped.",
    )


def skip_question(
    skip: Callable[[int], None], label: str, step_id: int
) -> SteeringQuestion:
    """Ask whether a step is to end.

    Args:
        skip: Ends the step with a number.
        label: What the step is called.
        step_id: Its number.
    """
    text = "Data measured so far is kept, but the run can no longer pass."
    return SteeringQuestion(
        partial(skip, step_id),
        "Skip it",
        "The table will have a hole, so the run cannot pass (Ctrl+Return)",
        Standing(f"Skip {label}?", text, "triangle-alert", "warn"),
        f"{label} ended by itself before you answered; nothing was skipped.",
        step_id,
    )


PANIC_KEYS = "Shift+Esc"
_ICON = 20


class SteeringBar(QWidget):
    """Pause, skip and stop; it asks in its own place, so no box lies over it.

    Attributes:
        pause: Pauses after the running step, or goes on.
        skip: Asks whether the running step is to end.
        panic: Ends the run at once.
        yes: Does what was asked about.
        no: Does not; where something came too late, closes what is said of it.
        look: Shows the page where the operator is asked.

    Signals:
        live_wanted: The page of the run is to be shown.
        needs_changed: Whether somebody should look at the run (bool).
    """

    live_wanted = Signal()
    needs_changed = Signal(bool)

    def __init__(self, context: Context, run: RunControl) -> None:
        super().__init__()
        self._icons = context.icons
        self._run = run
        self._progress: Progress | None = None
        self._standing = standing_of(None)
        self._drawn: object = None
        self._on_live = False
        self._question: SteeringQuestion | None = None
        self._late = ""
        self._missed = 0
        self._icon = QLabel()
        self.word = QLabel("")
        self.text = make_note(look="", name="State of the run")
        self.look = _button("Show", "Go to the page of the run (Ctrl+3)", self._show)
        self.yes = _button("", "", self._do)
        self.no = _button("", "", self._keep)
        self.no.setAutoDefault(True)  # Enter takes it where it has the focus
        self.pause = _button("", "", self._pause)
        self.pause.setShortcut("Ctrl+P")
        self.skip = _button(
            "Skip step",
            "End this step and continue with the next (Ctrl+K)",
            self.ask_skip,
        )
        self.skip.setShortcut("Ctrl+K")
        tip = f"End the run at once, without a question ({PANIC_KEYS})"
        self.panic = _button("Stop now", tip, run.stop)
        self.panic.setObjectName("panic")
        self._icons.put_on(self.skip, "skip-forward")
        self._icons.put_on(self.panic, "octagon-x", "accent_text")
        # It has its own key; a stray Space must not end a night's run.
        self.panic.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._build()
        context.theme.changed.connect(self.recolour)
        run.progressed.connect(self._take)
        run.changed.connect(self._show_run)
        self._show_run()

    def _build(self) -> None:
        buttons = (self.look, self.yes, self.no, self.pause, self.skip, self.panic)
        parts = (self._icon, self.word, self.text, *buttons)
        row(*parts, of=self, grows=self.text, margins=(14, 6, 10, 6), spacing=8)
        # A second line comes and goes: what is below the bar stays where it is.
        self.text.setMinimumHeight(2 * self.text.fontMetrics().lineSpacing())
        self.setObjectName("steering")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def title(self) -> str:
        """State of the run in a few words, such as "Running, 42%"."""
        progress = self._progress
        if self._standing.needs or progress is None or not progress.step:
            return self._standing.word
        return f"{self._standing.word}, {progress.fraction:.0%}"

    @property
    def is_asking(self) -> bool:
        """Whether it waits for a yes or a no."""
        return self._question is not None

    @Slot(str)
    def set_page(self, name: str) -> None:
        """Take note of which page is shown."""
        self._on_live = name == "Live"
        self._draw()

    @Slot()
    def ask_stop(self) -> None:
        """Ask whether the run is to end."""
        if self._run.is_running and not self._run.is_stopping:
            self._ask(stop_question(self._run.stop))

    @Slot()
    def ask_skip(self) -> None:
        """Ask whether the running step is to end."""
        steering, progress = self._run.steering, self._progress
        if steering is not None and progress is not None and self._can_skip:
            step = (progress.label, progress.step_id)
            self._ask(skip_question(steering.skip, *step))

    @Slot(str)
    def say_late(self, sentence: str) -> None:
        """Say what came too late, until somebody has seen it."""
        self._late = sentence
        self._draw()

    def _ask(self, question: SteeringQuestion) -> None:
        self._question, self._late = question, ""
        self.yes.setText(question.yes)
        self.yes.setToolTip(question.tip)
        self.yes.setShortcut("Ctrl+Return")  # another text takes it away
        self._draw()
        self.no.setFocus()

    @Slot()
    def _do(self) -> None:
        question, self._question = self._question, None
        if question is not None:
            question.do()
        self._draw()

    @Slot()
    def _keep(self) -> None:
        self._question, self._late = None, ""
        self._draw()

    @Slot()
    def _pause(self) -> None:
        steering = self._run.steering
        if steering is None:
            return
        if steering.paused:
            steering.go_on()
        else:
            steering.pause()
        self._draw()

    @Slot()
    def _show(self) -> None:
        self.live_wanted.emit()

    @property
    def _can_skip(self) -> bool:
        progress = self._progress
        return progress is not None and progress.step > 0

    @Slot(object)
    def _take(self, progress: Progress) -> None:
        if not self._run.is_running:
            return
        self._progress = progress
        asked = self._question
        if asked is not None and asked.step_id not in (0, progress.step_id):
            self._close(asked)
        self._draw()

    def _close(self, asked: SteeringQuestion) -> None:
        """Take a question back whose step or run is over, and say so."""
        self._question = None
        if not self._run.is_stopping:
            self._late = asked.closed

    @Slot()
    def _show_run(self) -> None:
        asked = self._question
        if not self._run.is_running:
            self._progress, self._missed = None, 0
            if asked is not None:
                self._close(asked)
        elif not self._run.is_stopping:
            self._late = ""  # of the run before
        self._draw()

    def _draw(self) -> None:
        run = self._run
        self._hear()
        self.setVisible(run.is_running or bool(self._late))
        standing = standing_of(self._progress, stopping=run.is_stopping)
        if self._late:
            standing = _with_late(standing if run.is_running else None, self._late)
        needs = standing.needs and run.is_running
        if run.is_stopping:
            self._question = None
        paused = run.steering is not None and run.steering.paused
        can = (paused, run.is_running, run.is_stopping, self._can_skip, self._on_live)
        state = (standing, self._question, can)
        if state != self._drawn:
            self._drawn, self._standing = state, standing
            self._write(self._asked(standing))
            self._offer(needs=needs, paused=paused)
            self.recolour()
        self.needs_changed.emit(needs)

    def _hear(self) -> None:
        """Take what the run says came too late."""
        steering = self._run.steering
        missed = steering.missed if steering is not None else ()
        if len(missed) > self._missed:
            self._missed, self._late = len(missed), f"{missed[-1]}."

    def _offer(self, *, needs: bool, paused: bool) -> None:
        """Offer what can be done now."""
        asking, stopping = self._question is not None, self._run.is_stopping
        running = self._run.is_running
        self.yes.setVisible(asking)
        self.no.setVisible(asking or bool(self._late))
        self.no.setText("Keep running" if asking else "OK")
        self.no.setToolTip("Change nothing (Escape)" if asking else "Close (Escape)")
        self.look.setVisible(needs and not asking and not self._on_live)
        self.pause.setText("Resume" if paused else "Pause after this step")
        self._icons.put_on(self.pause, "play" if paused else "pause")
        tip = "Start the next step" if paused else "Start no other step until Resume"
        self.pause.setToolTip(f"{tip} (Ctrl+P)")
        self.pause.setShortcut("Ctrl+P")  # another text takes it away
        for button in (self.pause, self.skip):
            button.setVisible(running and not asking)
        self.pause.setEnabled(not stopping)
        self.skip.setEnabled(self._can_skip and not stopping)
        self.panic.setVisible(running)
        self.panic.setEnabled(not stopping)

    def _asked(self, standing: Standing) -> Standing:
        """Get the question in place of how the run stands."""
        return standing if self._question is None else self._question.words

    def _write(self, shown: Standing) -> None:
        self.word.setText(shown.word)
        self.text.setText(shown.text)
        tone(self.word, shown.token)
        self.word.setFont(tabular(11, QFont.Weight.DemiBold))

    @Slot()
    def recolour(self) -> None:
        """Draw the icon in the colours of the theme."""
        shown = self._asked(self._standing)
        picture = self._icons.get(shown.icon, shown.token).pixmap(_ICON, _ICON)
        self._icon.setPixmap(picture)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape changes nothing."""
        if event.key() == Qt.Key.Key_Escape and (self.is_asking or self._late):
            self._keep()
        else:
            super().keyPressEvent(event)


def _with_late(standing: Standing | None, late: str) -> Standing:
    """Say what came too late over how the run stands, None where it has ended."""
    if standing is None:
        return Standing("Too late", late, "info", "warn")
    stands = ": ".join(filter(None, (standing.word, standing.text)))
    if standing.needs:
        return replace(standing, text=f"{late}\n{standing.text}")
    return Standing("Too late", f"{late}\n{stands}", "info", "warn")


def _button(text: str, tip: str, do: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(do)
    return button


class PanicKey(QObject):
    """Hears Shift+Escape in whichever window of the program has the keyboard.

    A shortcut would be dead under a modal dialog, and a filter on the application
    would see every event there is.
    """

    def __init__(self, run: RunControl, parent: QObject) -> None:
        super().__init__(parent)
        self._run = run
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._listen)
        self._listen(QGuiApplication.focusWindow())

    @Slot(QWindow)
    def _listen(self, window: QWindow | None) -> None:
        if window is not None:
            window.installEventFilter(self)  # once, however often it is asked

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End the run where it is the key; everything else goes its way."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            wanted = (
                event.key() == Qt.Key.Key_Escape
                and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
            )
            if wanted and self._run.is_running:
                self._run.stop()
                return True
        return super().eventFilter(watched, event)
