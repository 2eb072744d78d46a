"""What a report is made of: sections of facts, tables, charts, texts and pictures.

Every format is written from these values alone, so all of them say the same.
"""

from dataclasses import dataclass, field

from app.report.chart.plot import Plot
from app.report.figures.figure import Figure
from app.report.numbers import PLAIN, NumberStyle
from app.report.pages.words import Words, said
from app.report.table import Label, Table
from instruments.errors import one_line

UNSHOWN = "(This picture cannot be shown here: it is damaged or of an unknown kind.)"
"""Stands where a picture was kept that the library of a format cannot read."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they are."""

    rows: tuple[tuple[str, str], ...]
    kind: str = "facts"

    @property
    def keys(self) -> tuple[tuple[str, Label], ...]:
        """Those that a page shows large: a value, and by its name what it is of."""
        return tuple((name, to) for name, to in self.rows if isinstance(to, Label))

    @property
    def own(self) -> tuple[tuple[str, str], ...]:
        """The others."""
        return tuple(one for one in self.rows if not isinstance(one[1], Label))


@dataclass(frozen=True, slots=True)
class Notes:
    """Sentences, each of its own; `alarm` where they are to be read first."""

    lines: tuple[str, ...]
    alarm: bool = False
    kind: str = "notes"


@dataclass(frozen=True, slots=True)
class Figures:
    """A table with its title."""

    title: str
    table: Table
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts on one time axis, and by their titles the anchors that tell of them."""

    plots: tuple[Plot, ...]
    anchors: dict[str, str] = field(default_factory=dict)
    kind: str = "charts"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure that is not over time; its values are in tables or in `--json`."""

    figure: Figure
    kind: str = "drawing"


@dataclass(frozen=True, slots=True)
class Script:
    """A text that a program reads, as it was used."""

    title: str
    text: str
    kind: str = "script"

    @property
    def is_narrow(self) -> bool:
        """Whether two columns of it fit beside each other on a page."""
        lines = self.text.splitlines()
        return len(lines) > 8 and sum(len(one) > 56 for one in lines) * 10 < len(lines)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it was kept, JPEG or PNG."""

    title: str
    media_type: str
    content: bytes = field(repr=False)
    kind: str = "picture"


_NAMING = ("step", "device", "name", "part")
"""Keys of columns that hold the names of others."""

_SAID = ("of", "reason")
"""Keys of columns that hold phrases, with decimals in them."""

Block = Facts | Notes | Figures | Charts | Drawing | Script | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A section.

    Attributes:
        name: What templates know it by, such as "results".
        title: What it is called.
        blocks: What is in it.
        part: What its title begins with, such as "Appendix"; "" for nothing.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]
    part: str = ""

    @property
    def heading(self) -> str:
        """What stands above it."""
        return ": ".join(filter(None, (self.part, self.title)))


@dataclass(frozen=True, slots=True)
class Report:
    """A report, in the words and marks of its language.

    Attributes:
        title: Of the session.
        subject: The device under test.
        moment: When it was started.
        verdict: As one line.
        outcome: PASS, FAIL, ERROR, ABORTED or "", "warn" of a PASS that is not clean.
        label: What of it was not an instrument, "" where all was one.
        alarms: Sentences to be read first.
        sections: In their order.
        footer: The session's hash and the program's version.
        made_at: When the run ended, in seconds since 1970: what is made of the same
            session again says the same.
        language: As in HTML, such as "en".
        style: How numbers are written.
        words: Words of the report in its language, by the English ones.
        head: The title block of the template: organisation, author and the like.
        logo: As a data URL, "" for none.
    """

    title: str
    subject: str
    moment: str
    verdict: str
    outcome: str
    label: str
    alarms: tuple[str, ...]
    sections: tuple[Section, ...]
    footer: str
    made_at: int = 0
    language: str = "en"
    style: NumberStyle = PLAIN
    words: Words = field(default_factory=Words)
    head: tuple[tuple[str, str], ...] = ()
    logo: str = ""

    def say(self, text: str) -> str:
        """Say a word in the report's language; what it does not know stays."""
        return said(text, self.words, self.style)

    def heads(self, table: Table) -> list[str]:
        """Write the heads of a table; names in them stay."""
        return [self.say(head) for head in table.heads]

    def texts(self, table: Table) -> list[list[str]]:
        """Write the cells of a table; what rows of the session are called stays.

        A point is a decimal one in sentences alone: a version has points, too.
        """
        return [
            [
                self._cell(text, cell, column.key) if isinstance(cell, str) else text
                for text, cell, column in zip(texts, cells, table.columns, strict=True)
            ]
            for texts, cells in zip(
                table.texts(self.style, self.say), table.rows, strict=True
            )
        ]

    def _cell(self, text: str, cell: str, key: str) -> str:
        if isinstance(cell, Label):
            return one_line(self.say(cell)) + text.removeprefix(one_line(cell))
        style = self.style if key in _SAID else PLAIN
        return text if key in _NAMING else said(text, self.words, style)
