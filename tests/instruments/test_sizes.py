import pytest

from instruments.sizes import (
    counted,
    describe_size,
    format_size,
    listed,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [("4k", 4096), ("2M", 2**21), ("1g", 2**30), ("1.5g", 3 * 2**29), ("512", 512)],
)
def test_sizes_are_fios(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize("text", ["", "four", "-1k", "0", "4q", "9" * 400])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


def test_people_read_powers_of_1024() -> None:
    assert describe_size(1.5 * 2**30) == "1.5 GiB"
    assert describe_size(100) == "100 B"
    assert describe_size(1020 * 2**20) == "1020 MiB"
    assert describe_size(2000 * 2**40) == "2000 TiB"


def test_one_of_a_thing_is_no_plural() -> None:
    told = [counted(count, "note") for count in (0, 1, 2)]
    assert told == ["0 notes", "1 note", "2 notes"]


def test_of_many_parts_the_first_are_listed() -> None:
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
