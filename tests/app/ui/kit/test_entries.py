"""Sizes and paths as users type them."""

from pathlib import Path

import pytest

from app.ui.kit.entries import read_path, read_size
from instruments.errors import BadInput


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("16m", 16 * 2**20),
        (" 64MiB ", 64 * 2**20),
        ("16777217", 16 * 2**20),
        ("0.0303g", int(0.0303 * 2**30) // 4096 * 4096),
    ],
)
def test_a_size_is_read_as_fio_does_and_rounded_down(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1g", "9" * 400])
def test_what_is_no_size_is_said(text: str) -> None:
    with pytest.raises(BadInput, match=f'"{text}" is not a size'):
        read_size(text)


def test_a_size_too_small_for_a_load_is_said_as_it_was_typed() -> None:
    with pytest.raises(BadInput) as caught:
        read_size(" 4k ")
    assert str(caught.value) == 'the size is "4k". Expected at least 16m.'


def test_a_path_may_begin_at_home(home: Path) -> None:
    assert read_path(" ~/scratch.dat ", "the scratch file") == home / "scratch.dat"


def test_a_path_must_lead_somewhere() -> None:
    with pytest.raises(BadInput, match="the folder is missing"):
        read_path("  ", "the folder")
    with pytest.raises(BadInput, match="home folder of an unknown user"):
        read_path("~nobody-of-that-name/x", "the folder")
