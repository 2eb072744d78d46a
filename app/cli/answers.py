"""Answers to operator prompts: from the command line, or typed at the terminal."""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from app.campaign.progress import Progress
from app.campaign.steering import Question, Steering
from app.plan.campaign import Campaign
from app.plan.passes import first_name
from app.terminal import say
from instruments.errors import BadInput


def parse_answers(words: Sequence[str], campaign: Campaign) -> dict[str, str]:
    """Read the words of `--answer LABEL=TEXT`; "*" stands for every label.

    Raises:
        BadInput: A word is none, there is no such prompt, or nobody is there to
            answer one.
    """
    asking = [label for label, step in campaign.runs if step.asks]
    found: dict[str, str] = {}
    for word in words:
        label, equals, text = word.partition("=")
        if not equals or (label != "*" and label not in asking):
            raise BadInput(
                f'"{word}" answers no prompt',
                where="--answer",
                way_out=f"Expected LABEL=TEXT, LABEL being * or {_listed(asking)}.",
            )
        found[label] = text
    unanswered = [label for label in asking if label not in found and "*" not in found]
    if unanswered and not sys.stdin.isatty():
        raise BadInput(
            f'the step "{unanswered[0]}" asks the operator, and nobody can answer here',
            where=campaign.name,
            way_out=f'Add --answer "{unanswered[0]}=done", or run it in a terminal.',
        )
    return found


class Answers:
    """Answers each question once: as given, else as typed.

    Where the bench does not agree with a given answer the run is ended, rather than
    asked for ever; so it is where nobody can type any more, for silence is no consent.
    """

    def __init__(self, steering: Steering, given: Mapping[str, str]) -> None:
        self._steering = steering
        self._given = given
        self._answered = 0
        self._lock = threading.Lock()

    def watch(self, show: Callable[[Progress], None]) -> Callable[[Progress], None]:
        """Get what takes snapshots: questions are answered, all goes on to `show`."""

        def take(progress: Progress) -> None:
            show(progress)
            if progress.question is not None:
                self._take(progress.label, progress.question)

        return take

    def _take(self, label: str, question: Question) -> None:
        with self._lock:
            if question.number <= self._answered:
                return
            self._answered = question.number
        given = self._given.get(label, self._given.get(first_name(label)))
        text = given if given is not None else self._given.get("*")
        if text is None:
            thread = threading.Thread(
                target=self._type, args=(question,), name="answer", daemon=True
            )
            thread.start()
        elif question.missing:
            self._give_up(f"{label}: {question.missing}")
        else:
            say(f"{question.text}\n> {text}")
            self._steering.answer(question.number, text)

    def _type(self, question: Question) -> None:
        """Ask at the terminal; a daemon, since nothing ends a read of it."""
        missing = f"\nStill not so: {question.missing}" if question.missing else ""
        say(f"\n{question.text}{missing}\nEnter when it is done, or Ctrl-C to stop.")
        text = sys.stdin.readline()
        if text:
            self._steering.answer(question.number, text.strip())
        else:
            self._give_up(f"nobody answered, the input has ended: {question.text}")

    def _give_up(self, reason: str) -> None:
        """End the run; what tears it down goes on without the answer."""
        self._steering.end(reason)
        self._steering.skip()


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels) if labels else "no prompt, this campaign has none"
