"""What differs from run to run: numbers, times, ids, pictures, and what chance adds.

What each row has is kept from JSON and CSV; of the tables of texts, whose blank cells
and verdicts of gates follow from what else the machine does, titles and heads are kept.
"""

import csv
import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_ROOT = str(Path(__file__).parents[2])
_PICTURE = re.compile(r"data:[\w/+-]+;base64,[\w+/=]+")
_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_CODE = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_DIGEST = re.compile(r"(?<=sha256-)[\w+/=]+")
_COMPUTER = re.compile(
    r"<dl><dt>Computer</dt>.*?</dl>"
    r"|^- (?:Computer|Cpus|Cpu governor|Fio|Hostname|Kernel|Machine|Memory|Python"
    r"|System): .*$",
    re.MULTILINE,
)
_HIGHEST = re.compile(r"(Highest: [^(\n]*) \([^)\n]*\)")
# A letter or a dash tells an id from a plain number of so many digits.
_ID = re.compile(r"(?<![\w.])(?!\d+(?![\w-]))[0-9a-f]{8}(?:[0-9a-f-]{4,})?\b")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)*(?:e[+-]?\d+)?")
_SIGN = re.compile(r"[+-](?=#)")
_RULE = re.compile(r"-{3,}|={3,}|\u2500{3,}")
_UNDER_HEADS = re.compile(r"[-:| ]*---[-:| ]*")
_ENERGY_GATE = "Mean power x time against energy (within # %) "
"""Is a column where a row has all readings of power."""

_BLANKS = re.compile(r"[ \t]+")
_NOTE = re.compile(r"- |<li>")
# What else runs on the machine takes samples from rows and moves their disks.
_CHANCE = re.compile(
    r"from other processes|did not run at once|is based on only # of #|itself is busy"
    r"|other processes used|too few I/Os|is not (?:at most|at least|within|#)"
    r"|of what its disk moved was not the load's|K/h is within|integrator covers #"
)
_CHANCE_MARK = re.compile(r"(?<=#)\*|, (?:# rows? )?not clean")
_CHANCE_KEY = re.compile(
    r"thin|thin_percentiles|quality_worst|(?:foreign|outside)_\w+"
    r"|Thin values|Of others \(%\)"
)
_NAMES_ALONE = ("gates", "quality_parts")
"""Of these JSON has what was judged; how is a matter of chance."""


def masked(text: str, folder: Path) -> str:
    """Mask a text so that two runs of one campaign give the same one."""
    text = text.replace(str(folder), "FOLDER").replace(_ROOT, "ROOT")
    text = text.replace("<li>", "\n<li>")
    text = _SVG.sub("<svg/>", _PICTURE.sub("data:", text.replace("</ul>", "\n</ul>")))
    text = _COMPUTER.sub("", _DIGEST.sub("", _CODE.sub("", text)))
    text = _HIGHEST.sub(r"\1", text)
    text = _NUMBER.sub("#", _ID.sub("ID", text))
    text = _RULE.sub("---", _SIGN.sub("", text))
    text = _CHANCE_MARK.sub("", text.replace("# from # readings only", "# ± #"))
    lines = (_by_line(line) for line in text.splitlines())
    blocks = itertools.groupby(filter(None, _without_rows(lines)), _is_note)
    kept = (_notes(block) if is_note else list(block) for is_note, block in blocks)
    return "\n".join(itertools.chain.from_iterable(kept))


def _by_line(line: str) -> str:
    text = _BLANKS.sub(" ", line).strip()
    if _UNDER_HEADS.fullmatch(text):
        return "---"
    return text.replace(_ENERGY_GATE, "")


def _without_rows(lines: Iterable[str]) -> Iterator[str]:
    """Leave out the rows of tables, of texts and Markdown up to a blank line."""
    is_row = False
    for line in lines:
        is_row = is_row and bool(line)
        if not is_row and not line.startswith(("<tr>", "<tr ")):
            yield line
        is_row = is_row or _UNDER_HEADS.fullmatch(line) is not None


def masked_csv(text: str, folder: Path) -> str:
    """Mask a CSV cell by cell: the comma between two numbers is no part of them."""
    head, *rows = csv.reader(io.StringIO(text))
    by_chance = [_CHANCE_KEY.fullmatch(title) is not None for title in head]
    out = io.StringIO()
    for row in (head, *rows):
        cells = zip(by_chance, row, strict=True)
        kept = (
            _value(masked(cell, folder)) for is_chance, cell in cells if not is_chance
        )
        csv.writer(out, lineterminator="\n").writerow(kept)
    return out.getvalue().rstrip()


def masked_json(text: str, folder: Path) -> str:
    """Mask the values of a JSON document; keys and their order stay."""
    try:
        document = json.loads(text)
    except ValueError:
        return masked(text, folder)

    def mask(value: object) -> object:
        if isinstance(value, dict):
            kept = [key for key in value if not _CHANCE_KEY.fullmatch(key)]
            return {
                key: [*value[key]] if key in _NAMES_ALONE else mask(value[key])
                for key in kept
            }
        if isinstance(value, list):
            found = [mask(item) for item in value]
            texts = [item for item in found if isinstance(item, str)]
            return _notes(texts) if len(texts) == len(found) else found
        if isinstance(value, str):
            return _value(masked(value, folder))
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return "#" if is_number else value

    return json.dumps(mask(document), indent=1, ensure_ascii=False)


def _is_note(line: str) -> bool:
    return _NOTE.match(line) is not None


def _notes(lines: Iterable[str]) -> list[str]:
    """Sort notes, each kind once: they come as rows ran, and rows run as is drawn."""
    return sorted({line for line in lines if line and not _CHANCE.search(line)})


def _value(text: str) -> str:
    return "" if _CHANCE.search(text) else text
