"""Answers to operator prompts: from the command line, or typed at the terminal."""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from app.campaign.progress import Progress
from app.campaign.steering import Question, Steering
from app.plan.campaign import Campaign
from app.terminal import say
from instruments.errors import BadInput


def parse_answers(words: Sequence[str], campaign: Campaign) -> dict[str, str]:
    """Read the words of `--answer LABEL=TEXT`; "*" stands for every label.

    Raises:
        BadInput: A word is none, there is no such prompt, or nobody is there to
            answer one.
    """
    asking = [label for label, step in campaign.runs if step.engine == "prompt"]
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

    A given answer is tried once a question; where the bench does not agree with it,
    the run is ended rather than asked for ever.
    """

    def __init__(self, steering: Steering, given: Mapping[str, str]) -> None:
        self._steering = steering
        self._given = given
        self._answered = 0
        self._tried: set[str] = set()
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
        text = self._given.get(label, self._given.get("*"))
        if text is None:
            thread = threading.Thread(
                target=self._type, args=(question,), name="answer", daemon=True
            )
            thread.start()
        elif label in self._tried:
            self._steering.end(f"{label}: {question.missing}")
        else:
            self._tried.add(label)
            say(f"{question.text}\n> {text}")
            self._steering.answer(question.number, text)

    def _type(self, question: Question) -> None:
        """Ask at the terminal; a daemon, since nothing ends a read of it."""
        missing = f"\nStill not so: {question.missing}" if question.missing else ""
        say(f"\n{question.text}{missing}\nEnter when it is done, or Ctrl-C to stop.")
        text = sys.stdin.readline()
        self._steering.answer(question.number, text.strip())


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels) if labels else "no prompt, this campaign has none"
