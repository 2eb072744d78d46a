"""The options of a pasted fio command, read as fio's getopt does, slips explained.

What fio does was tried with fio 3.33: getopt takes one dash for two, completes names
that begin only one option, stops at "--", and takes every other word for a job file.
"""

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from workloads.fio.paste.expand import Argument
from workloads.fio.paste.finding import Finding, Weight
from workloads.fio.paste.parsed import (
    KNOWN,
    PROGRAM_SWITCHES,
    SWITCHES,
    Pair,
    plain,
)
from workloads.fio.paste.script import FioCommand

_RUN_TOGETHER = re.compile(r"([A-Za-z_-]+?)(\d.*)")
_MEANT = {"rwmix": "rwmixread"}
"""Names that are none, with what older texts mean by them."""


@dataclass(slots=True)
class ReadOptions:
    """The options of one command in their order, and what was found.

    Attributes:
        pairs: Options, `name` among them.
        files: Words that are job files.
        findings: What is to be told.
    """

    pairs: list[Pair] = field(default_factory=list)
    files: list[Argument] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_options(
    command: FioCommand, usual: dict[str, str] | None = None
) -> ReadOptions:
    """Read the options of a command.

    Args:
        command: The command.
        usual: Values that other commands of the text give to an option, to tell what
            a slip of the fingers means.
    """
    reader = _Reader(command, usual or {})
    reader.run()
    return reader.found


class _Reader:
    def __init__(self, command: FioCommand, usual: dict[str, str]) -> None:
        self.found = ReadOptions()
        self._words = list(command.arguments)
        self._usual = usual
        self._ended = False

    def run(self) -> None:
        while self._words:
            word = self._words.pop(0)
            if word.text == "--":
                self._stop(word)
            elif word.text.startswith("-") and len(word.text) > 1 and not self._ended:
                self._dashes(word)
                self._option(word, word.text.lstrip("-"))
            elif self._ended and plain(word.text.partition("=")[0]) in KNOWN:
                self._option(word, word.text)
            else:
                self.found.files.append(word)

    def _dashes(self, word: Argument) -> None:
        if not word.text.startswith("--") and len(word.text) > 2:
            self._tell(
                word,
                word.raw,
                "fio takes one dash for two.",
                "So does Bayscope.",
            )

    def _stop(self, word: Argument) -> None:
        """See what stands behind a "--", where no more options may stand."""
        following = [w for w in self._words if plain(w.text.partition("=")[0]) in KNOWN]
        if not following:
            return
        raw = following[0].raw
        self._tell(
            word,
            f"-- {raw}",
            'At "--" the options of fio end, so it looks for a job file named '
            f'"{following[0].text}", finds none and runs nothing.',
            f'Taken as "--{raw}".',
            weight=Weight.TRAP,
            decide=True,
        )
        self._ended = True

    def _option(self, word: Argument, text: str) -> None:
        name, equals, value = text.partition("=")
        key = self._name(word, plain(name), value)
        if key is None:
            return
        if key[1] is not None:
            value, equals = key[1], "="
        found = key[0]
        alone = found in SWITCHES or found in PROGRAM_SWITCHES
        if not equals and not alone:
            if not self._words or self._words[0].text.startswith("-"):
                self._tell(
                    word,
                    word.raw,
                    f"fio refuses the command: {found} needs a value.",
                    "Left out.",
                    weight=Weight.LEFT_OUT,
                    decide=True,
                )
                return
            value = self._words.pop(0).text
        self.found.pairs.append(Pair(found, value, word.line))

    def _name(
        self, word: Argument, name: str, value: str
    ) -> tuple[str, str | None] | None:
        """Find the option that a word means, and the value that is stuck to it."""
        if name in KNOWN:
            return name, None
        if name.lower() in KNOWN:
            self._refused(word, f'Taken as "{name.lower()}".')
            return name.lower(), None
        begins = sorted(known for known in KNOWN if known.startswith(name))
        if len(begins) == 1:
            self._tell(
                word,
                word.raw,
                f"fio completes it to {begins[0]}; another version may know a second "
                "option that begins so.",
                f"Taken as {begins[0]}.",
            )
            return begins[0], None
        if name in _MEANT:
            meant = _MEANT[name]
            self._refused(word, f"Taken as {meant}={value}, the share of reads.")
            return meant, None
        match = _RUN_TOGETHER.fullmatch(name)
        if match and plain(match[1]) in KNOWN and not value:
            return self._run_together(word, plain(match[1]), match[2])
        close = difflib.get_close_matches(name, _job_names(), n=1, cutoff=0.75)
        hint = f" Perhaps {close[0]} is meant." if close else ""
        self._refused(word, f"Left out.{hint}", Weight.LEFT_OUT)
        return None

    def _run_together(
        self, word: Argument, name: str, digits: str
    ) -> tuple[str, str | None]:
        """Read "iodepth2566": the "=" is lost, and perhaps a key was hit twice."""
        usual = self._usual.get(name, "")
        value = digits
        if len(digits) > 1 and digits[:-1] == usual and digits[-1] == digits[-2]:
            value = usual
        more = (
            f", as in the other commands; the literal reading is {name}={digits}"
            if value != digits
            else ""
        )
        self._refused(word, f"Taken as {name}={value}{more}.")
        return name, value

    def _refused(self, word: Argument, made: str, weight: Weight = Weight.TRAP) -> None:
        self._tell(
            word,
            word.raw,
            "fio has no such option and runs nothing.",
            made,
            weight=weight,
            decide=True,
        )

    def _tell(
        self,
        word: Argument,
        quote: str,
        fio: str,
        made: str,
        *,
        weight: Weight = Weight.NOTE,
        decide: bool = False,
    ) -> None:
        finding = Finding((word.line,), quote, fio, made, weight, decide)
        if finding not in self.found.findings:
            self.found.findings.append(finding)


def _job_names() -> Collection[str]:
    return sorted(name for name in KNOWN if len(name) > 1)
