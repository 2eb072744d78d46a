"""Files that were cut, overwritten or mixed up: read, or refused with a sentence."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.record.imports.answers import parse_answers
from app.record.imports.gather import gather
from app.record.imports.placing import place
from app.record.imports.recognise import read_file
from instruments.errors import BadInput
from tests.app.record.imports.results import DATA, meter_log

ENGINES = DATA.parent / "engines"
ROUNDS = 8
ANSWERS = parse_answers(zone="UTC", day="2020-01-01", offsets=("0",), fio_version="3.1")
FILES = [
    path
    for folder in (DATA, ENGINES)
    for path in sorted(folder.rglob("*"))
    if path.is_file() and path.suffix != ".md" and "warp" not in path.name
]


def cut(content: bytearray, rng: random.Random) -> None:
    del content[rng.randrange(len(content)) :]


def hole(content: bytearray, rng: random.Random) -> None:
    begin = rng.randrange(len(content))
    del content[begin : begin + rng.randrange(1, 200)]


def noise(content: bytearray, rng: random.Random) -> None:
    for _ in range(10):
        content[rng.randrange(len(content))] = rng.randrange(256)


def numbers(content: bytearray, rng: random.Random) -> None:
    digits = [at for at, mark in enumerate(content) if 48 <= mark < 58]
    odd = [b"-", b"9999999999999", b"", b"1e400", b"null", b'"x"', b"nan"]
    for at in sorted(rng.sample(digits, 5), reverse=True):
        content[at : at + 1] = rng.choice(odd)


def lines(content: bytearray, rng: random.Random) -> None:
    parts = bytes(content).split(b"\n")
    rng.shuffle(parts)
    content[:] = b"\n".join(parts)


PYTHONS = re.compile(
    r"codec|literal for|convert|NoneType|' object|Err|subscript|unpack\b|argum"
)
"""Words of Python about a mistake, which tell a person nothing."""


@pytest.mark.parametrize("damage", [cut, hole, noise, numbers, lines])
@pytest.mark.parametrize("name", [*(path.name for path in FILES), "LOG0.CSV"])
def test_damage_is_never_a_traceback(
    tmp_path: Path, name: str, damage: Callable[[bytearray, random.Random], None]
) -> None:
    whole = next((path for path in FILES if path.name == name), tmp_path / name)
    if not whole.exists():
        meter_log(whole, 1_700_000_000, 20)
    rng = random.Random(f"{name} {damage.__name__}")
    path = tmp_path / "damaged" / name
    path.parent.mkdir()
    sentences = []
    for number in range(ROUNDS):
        content = bytearray(whole.read_bytes())
        damage(content, rng)
        path.write_bytes(content)
        try:
            read = read_file(path, keep_rest=bool(number % 2))
            place(gather([read], ANSWERS), ANSWERS)
        except BadInput as error:
            sentences.append(str(error))
    assert all(str(path) in sentence for sentence in sentences)
    assert not [sentence for sentence in sentences if PYTHONS.search(sentence)]
