"""The words of a language: how the texts of a report are said in it."""

import re
from collections.abc import Iterator
from functools import cached_property

from app.report.numbers import PLAIN, NumberStyle
from app.report.table import Label

_NUMBER = re.compile(r"(?<![\w.])(?<!\w-)\d+\.\d+(?![\w.]|-\w)")
_PLACE = re.compile(r"\{(?:say|name)?\}")
_SAID = "{say}"


_FEW = 16
"""Letters of a sentence beside its places."""

_LONGEST, _MOST_PARTS, _DEEPEST = 1500, 60, 8
"""What is longer, or has more parts or more of them within each other, which somebody
made up, is not looked into."""


class Words(dict[str, str]):
    """Texts of a language by the English ones.

    In a sentence "{}" stands for a number or a name, in which decimals are marked,
    "{name}" for a name or a title that stays as it is, and "{say}" for what is said
    itself, part by part where commas divide it; all in the order of the English.
    """

    @cached_property
    def sentences(self) -> list[tuple[re.Pattern[str], list[str], str]]:
        """Each sentence with places: its pattern, these, its text.

        One that says little by itself comes last, as it would take most for a name.
        """
        found = []
        for text in sorted(self, key=lambda one: -min(_FEW, len(_PLACE.sub("", one)))):
            own = self[text]
            if places := _PLACE.findall(text):
                first, *parts = map(re.escape, _PLACE.split(text))
                each = ["(?:(?!; ).)+?" if one == "{}" else ".+?" for one in places]
                if not first:  # behind the names that stand before it
                    each[0] = "(?:(?!: |; ).)+?"
                pattern = first + "".join(
                    f"({a}){b}" for a, b in zip(each, parts, strict=True)
                )
                found.append((re.compile(pattern, re.DOTALL), places, own))
        return found


NO_WORDS = Words()


def said(text: str, words: Words = NO_WORDS, style: NumberStyle = PLAIN) -> str:
    """Say a text in the words and marks of a language; what it does not know stays.

    Where it does not know the whole, it says the parts that semicolons divide; what
    stands before a colon, where the name of something follows; or what stands before
    brackets, and each part within them, with a number before it or not. The name in a
    `Label` stays.
    """
    if isinstance(text, Label) and text.name:
        own = said(text.words, words, style) if text.words else ""
        return f"{own}{text.name}"
    if known := words.get(text) or _sentence(text, words, style):
        return known
    if not _is_short(text):
        return _marked(text, style)
    if "; " in text:
        return "; ".join(said(part, words, style) for part in _turns(text, words))
    name, mark, rest = text.partition(": ")
    if mark:
        return f"{said(name, words, style)}{mark}{say_all(rest, words, style)}"
    name, mark, rest = text.partition(" (")
    parts = [_part(one, words) for one in rest.removesuffix(")").split(", ")]
    end = ")" * rest.endswith(")")
    shown = f"{words.get(name, name)}{mark}{', '.join(parts)}{end}"
    return _marked(shown, style)


def say_all(text: str, words: Words = NO_WORDS, style: NumberStyle = PLAIN) -> str:
    """Say a sentence, or what follows the names before its colons; names stay."""
    if isinstance(text, Label):
        return said(text, words, style)
    if " " in text and text in words:
        return words[text]
    if found := _sentence(text, words, style):
        return found
    mark = min((": ", "; "), key=lambda one: f"{text}{one}".index(one))
    name, found, rest = text.partition(mark)
    if not found or not _is_short(text):
        return _marked(text, style)
    first = name if mark == ": " else say_all(name, words, style)
    return f"{first}{mark}{say_all(rest, words, style)}"


def _sentence(text: str, words: Words, style: NumberStyle, depth: int = 0) -> str:
    """Say a sentence that has places; "" where it is none of those."""
    is_short = _is_short(text)
    for pattern, kinds, own in words.sentences:
        if not is_short and pattern.pattern.startswith("("):
            continue  # one that begins with a place is sought all through the text
        match = pattern.fullmatch(text)
        if match and (kinds[0] != _SAID or _knows(match, words)):
            parts = zip(match.groups(), kinds, strict=True)
            places = iter(_placed(*one, words, style, depth) for one in parts)
            return _PLACE.sub(lambda _: next(places, ""), own)  # noqa: B023 - now
    return ""


def _knows(match: re.Match[str], words: Words) -> bool:
    """Tell whether what is to be said at the begin of a sentence has words of ours.

    Else it is a text of somebody that has a turn in common with it.
    """
    first = match[1]
    return match.start(1) > 0 or first in words or said(first, words) != first


def _placed(part: str, kind: str, words: Words, style: NumberStyle, depth: int) -> str:
    if kind == "{name}":
        return part
    if kind == _SAID:
        return _listed(part, words, style, depth + 1)
    return _marked(part, style)


def _is_short(text: str) -> bool:
    parts = sum(map(text.count, (", ", ": ", "; ")))
    return len(text) <= _LONGEST and parts <= _MOST_PARTS


def _listed(text: str, words: Words, style: NumberStyle, depth: int) -> str:
    if depth > _DEEPEST or not _is_short(text):
        return _marked(text, style)
    parts = text.split(", ")
    known = [words.get(one) or _sentence(one, words, style, depth) for one in parts]
    if all(known):
        return ", ".join(known)
    if whole := words.get(text) or _sentence(text, words, style, depth):
        return whole
    if "; " in text:
        turns = _turns(text, words)
        return "; ".join(_listed(one, words, style, depth + 1) for one in turns)
    return ", ".join(said(one, words, style) for one in parts)


def _turns(text: str, words: Words) -> Iterator[str]:
    """Divide a text by its semicolons, but for the one within a sentence of ours."""
    parts = text.split("; ")
    while parts:
        two = "; ".join(parts[:2])
        is_one = len(parts) > 2 and (two in words or _sentence(two, words, PLAIN))
        yield two if is_one else parts[0]
        del parts[: 2 if is_one else 1]


def _part(text: str, words: Words) -> str:
    if known := words.get(text) or _sentence(text, words, PLAIN):
        return known
    number, space, rest = text.partition(" ")
    if space and number.replace(".", "", 1).isdigit():
        return f"{number} {words.get(rest, rest)}"
    return text


def _marked(text: str, style: NumberStyle) -> str:
    """Write decimals and days in a text as a language has them."""
    text = style.dated(text)
    return _NUMBER.sub(lambda one: one[0].replace(".", style.point), text)
