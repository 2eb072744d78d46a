"""How foreign texts come about: real ones damaged, and trees that nobody wrote."""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_ODD_NUMBERS = (
    b"0 -1 1e999 -1e999 1e308 1e-400 NaN nan inf -Infinity 18446744073709551615 "
    b"9223372036854775808 99999999999999999999999999 1.7976931348623157e308 0x10 1_000 "
    b"-0 00 1e5 .5 5. 1,5 +3 12345678901234567890123456789012345678901234567890"
).split()
_ODD_NUMBERS += [b"9" * 60_000, "\u0663\u0664".encode(), b"", b"0x" + b"f" * 5000]
_ODD_BYTES = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[2J", b"\r", b"\n", b'"', b"'", b"\\"),
    *(b"[", b"]", b"{", b"}", b",", b";", b":", b"=", b"<", b"|", b"%", b"$", b"`"),
    *("\u202e".encode(), "\U0001f4a9".encode(), b"\xed\xa0\x80", b"\\ud800", b"\t"),
    *(b"[" * 500, b"{" * 500, b'{"a":' * 500, b"[" * 5000, b"a." * 500, b"(" * 500),
    *(b" " * 60_000, b"\t " * 30_000, b"a=1," * 15_000, b"<" * 60_000, b"a" * 60_000),
    *(b'"' * 30_000, b"\\\\" * 30_000, b"{}" * 30_000, b"\n" * 60_000),
    *(b"null", b"true", b"[]", b"{}", b'""', b"-", b"/", b".."),
)


def mutated(files: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Damage real texts: flipped bits, cuts, splices, lines twice, odd numbers."""
    made = st.builds(_damage, st.sampled_from(list(files)), st.integers(0, 2**48))
    return made.filter(bool)


def _damage(content: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        content = chance.choice(_WAYS)(content, chance)
    return content[: 2**18]


def _flip(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return content
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 4, 32))):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def _cut(content: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(content))
    return content[:at] if chance.random() < 0.7 else content[at:]


def _splice(content: bytes, chance: random.Random) -> bytes:
    at, start = chance.randint(0, len(content)), chance.randint(0, len(content))
    end = min(len(content), start + chance.choice((1, 10, 100, 2000)))
    keep = chance.choice((0, 1, 20))
    return content[:at] + content[start:end] + content[at + keep :]


def _line(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    at = chance.randrange(len(lines))
    to = chance.randrange(len(lines))
    action = chance.randrange(4)
    if action == 0:
        lines[at:at] = [lines[at]] * chance.choice((1, 2, 50))
    elif action == 1:
        del lines[at]
    elif action == 2:
        lines[at], lines[to] = lines[to], lines[at]
    else:
        lines[to] = lines[at]
    return b"".join(lines)


def _number(content: bytes, chance: random.Random) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    one = chance.choice(found)
    new = chance.choice((*_ODD_NUMBERS, chance.choice(found)[0]))
    return content[: one.start()] + new + content[one.end() :]


def _odd(content: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(content))
    keep = chance.choice((0, 0, 1, 5))
    return content[:at] + chance.choice(_ODD_BYTES) + content[at + keep :]


def _word(content: bytes, chance: random.Random) -> bytes:
    """Put one word of the text, or one value of its JSON, in place of another."""
    words = list(re.finditer(rb'"[^"\n]*"|[\w.+-]+', content))
    if not words:
        return content
    one, other = chance.choice(words), chance.choice(words)
    return content[: one.start()] + other[0] + content[one.end() :]


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _cut, _splice, _line, _number, _number, _odd, _word, _word),
)

_NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.integers(-3, 100),
    st.sampled_from((10**400, -(10**25), 2**63, 2**64)),
)
_LEAVES: SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), _NUMBERS, st.text(max_size=20)
)


def json_near(files: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Documents like real ones, with some of their values of another kind."""
    documents = []
    for each in files:
        try:
            documents.append(json.loads(each))
        except ValueError:
            continue
    trees = st.recursive(
        _LEAVES,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner)
        ),
        max_leaves=8,
    )
    picked = st.sampled_from(documents)
    seeds = st.integers(0, 2**48)
    values = st.lists(trees, min_size=1, max_size=3)
    return st.builds(_replaced, picked, seeds, values)


def _replaced(document: Any, seed: int, values: Sequence[Any]) -> bytes:
    chance = random.Random(seed)
    copy = json.loads(json.dumps(document))
    for value in values:
        places = list(_places(copy))
        if not places:
            break
        parent, key = chance.choice(places)
        if chance.random() < 0.2:
            del parent[key]
        else:
            parent[key] = value
    return json.dumps(copy, indent=chance.choice((None, 2))).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, dict | list):
        return
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        yield from _places(inner)
