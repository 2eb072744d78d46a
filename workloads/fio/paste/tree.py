"""The statements of a pasted script: commands, and the loops around them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from instruments.errors import BadInput
from workloads.fio.paste.lines import Line
from workloads.fio.paste.words import Word, words

NEWLINE = "\n"
_MOST_DEPTH = 50
_ENDS = frozenset((NEWLINE, ";", ";;", "&&", "||", "&", "|", "(", ")"))
_CLOSERS = frozenset(("done", "fi", "then", "else", "do", ")", "}"))


@dataclass(slots=True)
class Command:
    """A command as it stands, and the mark that ends it."""

    words: list[Word]
    end: str = NEWLINE


@dataclass(slots=True)
class Loop:
    """Statements that a shell runs more than once, or perhaps.

    Attributes:
        head: "for", "while", "until", "if" or "for ((".
        line: Where it begins.
        variable: Of a for loop.
        values: Of a for loop.
        body: What is run.
        counts: Whether the values are cmd.exe's start, step and end.
    """

    head: str
    line: int
    variable: str = ""
    values: list[Word] = field(default_factory=list)
    body: "list[Command | Loop]" = field(default_factory=list)
    counts: bool = False


def read_tree(lines: Sequence[Line]) -> list[Command | Loop]:
    """Put the statements of a script in order.

    Raises:
        BadInput: Loops are nested too deep.
    """
    tokens: list[Word] = []
    for line in lines:
        tokens.extend(words(line))
        tokens.append(Word(NEWLINE, line.pieces[-1][0], "", True, line.batch))
    return _Reader(tokens).statements(frozenset())


class _Reader:
    def __init__(self, tokens: list[Word]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def statements(self, until: frozenset[str]) -> list[Command | Loop]:
        if self._depth > _MOST_DEPTH:
            raise BadInput(
                "its loops are nested too deep", way_out="Paste the commands of fio."
            )
        self._depth += 1
        found: list[Command | Loop] = []
        while self._at < len(self._tokens):
            word = self._tokens[self._at]
            if word.is_operator and word.text in _ENDS:
                self._at += 1
                continue
            if word.text in until:
                self._at += 1
                break
            loop = self._loop(word)
            if loop is not None:
                found.append(loop)
            elif word.text in _CLOSERS or word.text in ("(", "{"):
                self._at += 1
            else:
                found.append(self._command())
        self._depth -= 1
        return found

    def _command(self) -> Command:
        found: list[Word] = []
        while self._at < len(self._tokens):
            word = self._tokens[self._at]
            self._at += 1
            if word.is_operator and word.text in _ENDS:
                return Command(found, word.text)
            found.append(word)
        return Command(found)

    def _loop(self, word: Word) -> Loop | None:
        head = word.text.lower() if word.batch else word.text
        if head == "for":
            return self._batch_for(word) if word.batch else self._for(word)
        if word.batch or head not in ("while", "until", "if"):
            return None
        self._at += 1
        self._skip("then" if head == "if" else "do")
        closer = frozenset(("fi",)) if head == "if" else frozenset(("done",))
        return Loop(head, word.line, body=self.statements(closer))

    def _for(self, word: Word) -> Loop | None:
        """Read `for x in a b; do ... done`."""
        following = self._tokens[self._at + 1 : self._at + 3]
        if len(following) < 2:
            return None
        self._at += 1
        if following[1].text != "in":
            self._skip("do")
            body = self.statements(frozenset(("done",)))
            return Loop("for ((", word.line, body=body)
        self._at += 2
        values = self._until_end()
        self._skip("do")
        body = self.statements(frozenset(("done",)))
        return Loop("for", word.line, following[0].text, values, body)

    def _batch_for(self, word: Word) -> Loop | None:
        """Read `for %%x in (a b) do ...`, all in one line or in round brackets."""
        self._at += 1
        options = []
        while self._here().startswith("/"):
            options.append(self._tokens[self._at].text.lower())
            self._at += 1
        variable = self._here()
        self._at += 1
        if self._here().lower() != "in":
            return None
        self._at += 1
        values: list[Word] = []
        while self._at < len(self._tokens) and self._here() != NEWLINE:
            one = self._tokens[self._at]
            if one.text.lower() == "do":
                break
            values.append(one)
            self._at += 1
        self._at += 1
        loop = Loop("for", word.line, variable, _unbracketed(values))
        loop.counts = "/l" in options
        if self._here() == "(":
            self._at += 1
            loop.body = self.statements(frozenset((")",)))
        else:
            loop.body = [self._command()]
        return loop

    def _here(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else NEWLINE

    def _until_end(self) -> list[Word]:
        found: list[Word] = []
        while self._at < len(self._tokens) and not self._tokens[self._at].is_operator:
            found.append(self._tokens[self._at])
            self._at += 1
        return found

    def _skip(self, word: str) -> None:
        """Go behind a word; what stands before it is a condition."""
        for at in range(self._at, len(self._tokens)):
            if self._tokens[at].text == word and not self._tokens[at].is_operator:
                self._at = at + 1
                return


def _unbracketed(values: list[Word]) -> list[Word]:
    found = []
    for one in values:
        text = one.text.strip("()")
        found += [
            Word(part, one.line, one.raw, False, True)
            for part in text.split(",")
            if part
        ]
    return found
