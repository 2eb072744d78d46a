"""Answers to the prompts of a run: given on the command line, or typed."""

import contextlib
import sys
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from app.campaign.phases.steering import Question, Steering
from app.campaign.run.progress import Progress
from app.plan.campaign import Campaign
from app.plan.passes import in_first_pass
from app.terminal import say
from instruments.errors import BadInput
from instruments.settings import did_you_mean

_HOW = "Enter when it is done, no if it is not, or Ctrl-C to stop."
_WHETHER = "{action}? y/N (Ctrl-C stops the run)"


def parse_answers(words: Sequence[str], campaign: Campaign) -> dict[str, str]:
    """Read the words of `--answer LABEL=TEXT`; "*" stands for every label.

    Raises:
        BadInput: A word is none, there is no such prompt, or nobody is there to
            answer one.
    """
    asking = [label for label, step in campaign.runs if step.asks]
    answers: dict[str, str] = {}
    for word in words:
        label, equals, text = word.partition("=")
        if not equals or (label != "*" and label not in asking):
            raise BadInput(
                f'"{word}" answers no prompt{did_you_mean(label, asking)}',
                where="--answer",
                way_out=f"Expected LABEL=TEXT, LABEL being * or {_listed(asking)}.",
            )
        answers[label] = text
    unanswered = [
        label for label in asking if label not in answers and "*" not in answers
    ]
    if unanswered and not sys.stdin.isatty():
        raise BadInput(
            f'the step "{unanswered[0]}" asks the operator, and nobody can answer here',
            where=campaign.name,
            way_out=f'Add --answer "{unanswered[0]}=done", or run it in a terminal.',
        )
    return answers


class Answers:
    """Answers each question once: as given, else as typed.

    Where the bench does not agree with a given answer the run is ended, rather than
    asked for ever; so it is where nobody can type any more, for silence is no consent.

    One thread reads the terminal from the first question on. A line answers what is
    asked when it comes: what was typed before, or for a question that was taken back,
    answers nothing.
    """

    def __init__(self, steering: Steering, given: Mapping[str, str]) -> None:
        self._steering = steering
        self._given = given
        self._answered = 0
        self._lock = threading.Lock()
        self._asked: Question | None = None
        self._reader: threading.Thread | None = None

    def watch(self, show: Callable[[Progress], None]) -> Callable[[Progress], None]:
        """Get what takes snapshots: questions are answered, all goes on to `show`."""

        def take(progress: Progress) -> None:
            show(progress)
            if progress.question is not None:
                self._take(progress, progress.question)
            else:
                self._close()

        return take

    def _take(self, progress: Progress, question: Question) -> None:
        with self._lock:
            if question.number <= self._answered:
                return
            self._answered = question.number
        label = progress.label
        planned = in_first_pass(label, progress.pass_number)
        given = self._given.get(label, self._given.get(planned))
        text = given if given is not None else self._given.get("*")
        if text is None:
            self._ask(question)
        elif question.missing:
            self._give_up(f"{label}: {question.missing}", question)
        else:
            say(f"{question.text}\n> {text}")
            self._steering.answer(question.number, text)

    def _ask(self, question: Question) -> None:
        """Ask at the terminal."""
        missing = f"\nNot yet: {question.missing}" if question.missing else ""
        how = _WHETHER.format(action=question.action) if question.action else _HOW
        say(f"\n{question.text}{missing}\n{how}")
        _forget_typed()
        with self._lock:
            self._asked = question
            if self._reader is None:
                # A daemon, since nothing ends a read of the terminal.
                self._reader = threading.Thread(
                    target=self._read, name="answers", daemon=True
                )
                self._reader.start()

    def _close(self) -> None:
        """Say that nothing is asked any more, where nobody has answered."""
        with self._lock:
            asked, self._asked = self._asked, None
        if asked is not None:
            say("The question is closed: its step has ended.")

    def _read(self) -> None:
        for line in _lines():
            with self._lock:
                asked, self._asked = self._asked, None
            if asked is not None:
                self._steering.answer(asked.number, line.strip())
        with self._lock:
            self._reader = None  # The next question tries again.
            asked, self._asked = self._asked, None
        if asked is not None and asked == self._steering.question:
            text = f"nobody answered, the input has ended: {asked.text}"
            self._give_up(text, asked)

    def _give_up(self, reason: str, asked: Question) -> None:
        """End the run; what tears it down goes on without the answer."""
        self._steering.end(reason)
        self._steering.skip(asked.step_id)


def _lines() -> Iterator[str]:
    """Read the terminal to its end; one that is gone, or no text, is an end, too."""
    with contextlib.suppress(OSError, ValueError):
        yield from iter(sys.stdin.readline, "")


def _forget_typed() -> None:
    """Drop what was typed before a question, which cannot have been its answer."""
    with contextlib.suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels) if labels else "no prompt, this campaign has none"


def answers_for(words: Sequence[str], campaign: Campaign) -> list[str]:
    """Get the answers that are meant for a campaign: other labels are another's."""
    labels = {label for label, step in campaign.runs if step.asks} | {"*"}
    return [word for word in words if word.partition("=")[0] in labels]


def check_answers(words: Sequence[str], given: Mapping[str, str]) -> None:
    """Make sure that every answer is one to some prompt; raises BadInput."""
    for word in words:
        if word.partition("=")[0] not in given:
            raise BadInput(
                f'"{word}" answers no prompt of these campaigns',
                where="--answer",
                way_out="Expected LABEL=TEXT with the label of one.",
            )
