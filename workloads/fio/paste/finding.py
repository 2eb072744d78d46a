"""Findings on a text with fio jobs: what it has, and what was made of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from instruments.errors import printable


class Weight(StrEnum):
    """How much a finding matters.

    A NOTE is what was carried over in another form, a TRAP what does not do what it
    seems to, EXCLUDED what is in no step.
    """

    NOTE = "note"
    TRAP = "trap"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the user should know about a job.

    Attributes:
        lines: Lines of the text, none where it is about all of it.
        quote: The words of the text.
        fio: What fio, or the shell before it, does with that.
        made: What was made of it.
        weight: How much it matters.
        decide: Whether the user has to decide: the step is not what fio would do, or
            is not clear from the text.
        option: The option it is about, "" where it is about the job.
    """

    lines: tuple[int, ...]
    quote: str
    fio: str
    made: str
    weight: Weight = Weight.NOTE
    decide: bool = False
    option: str = ""

    def __str__(self) -> str:
        """Say it in one line."""
        place = f"{_places(self.lines)}: " if self.lines else ""
        quote = f"`{self.quote}`: " if self.quote else ""
        end = " Review it." if self.decide else ""
        return printable(f"{place}{quote}{self.fio} {self.made}{end}".strip())


class Notes:
    """Findings as they are made."""

    def __init__(self) -> None:
        self.found: list[Finding] = []

    def tell(
        self,
        lines: int | Sequence[int],
        quote: str,
        fio: str,
        made: str,
        *,
        weight: Weight = Weight.NOTE,
        decide: bool = False,
    ) -> None:
        """Add a finding, but none twice; see Finding for what the words are."""
        at = (lines,) if isinstance(lines, int) else tuple(lines)
        finding = Finding(at, quote, fio, made, weight, decide)
        # A loop reads the same line again in each of its turns.
        if finding not in self.found[-1:]:
            self.found.append(finding)

    def trap(self, lines: int | Sequence[int], quote: str, fio: str, made: str) -> None:
        """Tell of what does not do what it seems to, so that the user decides."""
        self.tell(lines, quote, fio, made, weight=Weight.TRAP, decide=True)

    def drop(self, lines: int | Sequence[int], quote: str, fio: str, made: str) -> None:
        """Tell of what is in no step, so that the user decides."""
        self.tell(lines, quote, fio, made, weight=Weight.EXCLUDED, decide=True)


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Join findings that say the same of several lines, in the order of the text."""
    lines_of: dict[Finding, set[int]] = {}
    for finding in findings:
        lines_of.setdefault(replace(finding, lines=()), set()).update(finding.lines)
    joined = (replace(text, lines=tuple(sorted(at))) for text, at in lines_of.items())
    return tuple(sorted(joined, key=lambda finding: finding.lines or (0,)))


def _places(lines: tuple[int, ...]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    shown = ", ".join(str(line) for line in lines[:6])
    return f"lines {shown}{' ...' if len(lines) > 6 else ''}"
