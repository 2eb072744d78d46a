"""Braces in the words of a shell, such as dm-{2..4}, and the words they make."""

import re

_BRACES = re.compile(r"\{([^{}\s]*)\}")
_SEQUENCE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?")
MOST_WORDS = 4096
"""Words that braces may make of one; more are a mistake."""


def braced(text: str) -> list[str]:
    """Expand braces as bash does, such as dm-{2..4} or {4k,8k}.

    Raises:
        OverflowError: They make more than MOST_WORDS words.
    """
    if len(text) > MOST_WORDS and "{" in text:
        raise OverflowError
    done, todo = [], [text]
    while todo:
        one = todo.pop(0)
        match = next((m for m in _BRACES.finditer(one) if _alternatives(m[1])), None)
        if match is None:
            done.append(one)
            continue
        found = _alternatives(match[1])
        if len(done) + len(todo) + len(found) > MOST_WORDS:
            raise OverflowError
        todo[:0] = [
            f"{one[: match.start()]}{word}{one[match.end() :]}" for word in found
        ]
    return done


def _alternatives(inner: str) -> list[str]:
    match = _SEQUENCE.fullmatch(inner)
    if match is None:
        return inner.split(",") if "," in inner else []
    first, last = int(match[1]), int(match[2])
    step = max(1, abs(int(match[3] or 1)))
    zeros = any(re.match(r"-?0\d", end) for end in (match[1], match[2]))
    width = max(len(match[1]), len(match[2])) if zeros else 0
    way = step if last >= first else -step
    if abs(last - first) // step > MOST_WORDS:
        raise OverflowError
    return [
        f"{one:0{width}}" for one in range(first, last + (way > 0) - (way < 0), way)
    ]
