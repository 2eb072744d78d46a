"""How a run is steered while it goes on: stop, skip, pause, hold, and questions."""

import threading
from dataclasses import dataclass
from enum import StrEnum

from instruments.errors import Aborted


class Interruption(StrEnum):
    """What ends the running step before its end."""

    ABORT = "abort"
    SKIP = "skip"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Question:
    """What the operator is asked, and is waited for.

    Attributes:
        number: Rises with each question of a run, so that no answer is taken for
            another one's.
        text: What is to be done.
        picture: File that shows it; "" for none.
        missing: What is still not as it should be, where it is asked again.
        action: What is done by the program where the operator says yes, such as
            "Switch off"; "" where something is to be done by hand.
        step_id: The step that asks.
    """

    number: int
    text: str
    picture: str = ""
    missing: str = ""
    action: str = ""
    step_id: int = 0


class Steering:
    """The one place where operator, interlocks and runner meet; any thread may call.

    Attributes:
        cancel: Set where the whole run is to end.
    """

    def __init__(self, cancel: threading.Event | None = None) -> None:
        self.cancel = cancel or threading.Event()
        self._changed = threading.Condition()
        self._never = threading.Event()
        self._step_id = 0
        self._skipped: set[int] = set()
        self._over: dict[int, str] = {}
        self._missed: tuple[str, ...] = ()
        self._paused = False
        self._tearing_down = False
        self._only_asks = False
        self._waits = False
        self._struck = ""
        self._holds: dict[str, tuple[str, str]] = {}
        self._ended = ""
        self._question: Question | None = None
        self._answer: str | None = None
        self._asked = 0

    def abort(self) -> None:
        """End the run: the running step, and all that come after but the teardown."""
        with self._changed:
            self.cancel.set()
            self._changed.notify_all()

    def end(self, reason: str) -> None:
        """End the run because the bench must not go on; the first reason is kept."""
        with self._changed:
            self._ended = self._ended or reason
            self._changed.notify_all()

    def skip(self, step_id: int) -> None:
        """End a step and go on with the next one.

        Args:
            step_id: The step that is meant, by its number in the session; where it has
                ended meanwhile no other one is skipped in its place, see `missed`.
        """
        with self._changed:
            if step_id in self._over:
                self._miss_skip(step_id)
            self._skipped.add(step_id)
            self._changed.notify_all()

    def pause(self) -> None:
        """Let the running step end, and start no other until `go_on`."""
        self._paused = True

    def go_on(self) -> None:
        """Go on after a pause."""
        self._paused = False

    def hold(self, name: str, reason: str, until: str = "") -> None:
        """End the running step at once; it is run again when nothing holds any more.

        A step that waits for the operator goes on: a question runs nothing that would
        have to end, and whoever answers it would have to answer it again.

        Args:
            name: Who holds: `release` takes the same name.
            reason: One line for the operator.
            until: When it no longer holds, for the operator.
        """
        with self._changed:
            self._holds[name] = (reason, until)
            if self._can_be_held:
                self._struck = self._struck or reason
            self._changed.notify_all()

    def release(self, name: str) -> None:
        """Hold no longer for this one."""
        with self._changed:
            self._holds.pop(name, None)

    @property
    def tearing_down(self) -> bool:
        """Whether only what tears down is still run."""
        return self._tearing_down

    @property
    def waker(self) -> threading.Event:
        """What ends a wait of the running step early; set only where it is to end."""
        return self._never if self._tearing_down else self.cancel

    @property
    def ended(self) -> str:
        """Why the bench must not go on; "" where it may."""
        with self._changed:
            return self._ended

    @property
    def paused(self) -> bool:
        """Whether the operator wants a pause."""
        return self._paused

    @property
    def held(self) -> str:
        """Why nothing may run just now; "" where it may."""
        with self._changed:
            return self._hold_reasons()

    @property
    def held_until(self) -> str:
        """When it may run again; "" where it may, or where nobody can say."""
        with self._changed:
            return "; ".join(until for _, until in self._holds.values() if until)

    def _hold_reasons(self) -> str:
        return "; ".join(reason for reason, _ in self._holds.values())

    @property
    def missed(self) -> tuple[str, ...]:
        """What came too late to have an effect, a sentence each, oldest first."""
        with self._changed:
            return self._missed

    @property
    def question(self) -> Question | None:
        """What the operator is being asked; None for nothing."""
        with self._changed:
            return self._question

    @property
    def struck(self) -> str:
        """Why the running step was held; it stays so when the cause is gone."""
        with self._changed:
            return self._struck

    @property
    def _can_be_held(self) -> bool:
        is_asking = self._only_asks or self._waits or self._question is not None
        return not (self._tearing_down or is_asking)

    @property
    def interruption(self) -> Interruption | None:
        """What ends the running step; the operator goes before an interlock.

        A hold ends the step for good, also where it is released while its load ends.
        """
        with self._changed:
            if (self.cancel.is_set() or self._ended) and not self._tearing_down:
                return Interruption.ABORT
            if self._step_id in self._skipped:
                return Interruption.SKIP
            if (self._holds or self._struck) and self._can_be_held:
                return Interruption.HOLD
            return None

    def begin_step(self, step_id: int, *, only_asks: bool = False) -> None:
        """Forget what was meant for the step before.

        Args:
            step_id: Its number in the session.
            only_asks: Whether it does nothing but wait for the operator.
        """
        with self._changed:
            self._step_id = step_id
            self._only_asks = only_asks
            self._waits = False
            self._struck = self._hold_reasons()

    def end_step(self, step_id: int, label: str, *, by_itself: bool) -> None:
        """Take note that a step has ended; what is meant for it from now on is missed.

        Args:
            step_id: Its number in the session.
            label: What it is called.
            by_itself: Whether nothing that steers ended it.
        """
        with self._changed:
            self._over[step_id] = label
            is_over = self.cancel.is_set() or self._ended
            if by_itself and step_id in self._skipped and not is_over:
                self._miss_skip(step_id)

    def _miss_skip(self, step_id: int) -> None:
        sentence = f"{self._over[step_id]} ended before it could be skipped"
        self._missed = (*self._missed, sentence)

    def begin_teardown(self) -> None:
        """From now on nothing but a skip interrupts: what tears down always runs."""
        with self._changed:
            self._tearing_down = True

    def ask(
        self,
        text: str,
        picture: str = "",
        missing: str = "",
        action: str = "",
        *,
        waits: bool = False,
    ) -> str:
        """Ask the operator and wait for the answer.

        Args:
            text: What is to be done.
            picture: File that shows it; "" for none.
            missing: What is still not as it should be, where it is asked again.
            action: What is done where the answer is yes.
            waits: Whether `await_free` follows: until then nothing holds the step.

        Raises:
            Aborted: The step was interrupted before there was one.
        """
        with self._changed:
            if self.interruption is not None:
                raise Aborted("the step was interrupted")
            self._asked += 1
            self._answer = None
            own = (picture, missing, action, self._step_id)
            self._question = Question(self._asked, text, *own)
        try:
            while self.interruption is None:
                given = self._given()
                if given is not None:
                    self._waits = waits
                    return given
            raise Aborted("the operator did not answer")
        finally:
            with self._changed:
                self._question = None

    def await_free(self) -> None:
        """Go on with an answer when nothing holds; it is not asked for again.

        Raises:
            Aborted: The step was interrupted meanwhile, or since the answer.
        """
        with self._changed:
            while self._holds and self.interruption is None and not self._tearing_down:
                self._changed.wait(0.1)
            if self.interruption is not None:
                raise Aborted("the step was interrupted")
            self._waits = False

    def _given(self) -> str | None:
        """Wait a moment for the answer; None where there is none yet."""
        with self._changed:
            if self._answer is None:
                # `cancel` may be set by somebody who knows of no condition.
                self._changed.wait(0.1)
            return self._answer

    def answer(self, number: int, text: str) -> None:
        """Answer a question; an answer to an earlier one is missed."""
        # A terminal of another encoding leaves halves of characters.
        said = text.encode("utf-8", "replace").decode()
        with self._changed:
            if self._question is not None and self._question.number == number:
                self._answer = said
                self._changed.notify_all()
            else:
                sentence = f'the answer "{said}" came when its question was closed'
                self._missed = (*self._missed, sentence)
