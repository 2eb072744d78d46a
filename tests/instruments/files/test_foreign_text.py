"""Text of others: whatever is in it, there are values or one sentence, soon."""

import os
import socket
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.files.foreign_text import (
    MOST_LEVELS,
    MOST_TEXT,
    cell,
    home_path,
    lines_of,
    parsed_json,
    parsed_toml,
    read_content,
    read_text,
    why_no_file,
)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 500 + "]" * 500,
        "a = " + "{b = " * 500 + "1" + "}" * 500,
        "a = " + "[" * 100_000,
        "a" + ".a" * 200_000 + " = 1",
        "[a" + ".a" * 200_000 + "]",
        "a = " + "9" * 5000,
        "a = 0x" + "f" * 5000,
        "a = 9223372036854775808",
        "a" * (MOST_TEXT + 1),
        '"""' * 100_000,
        '\\"""' * 100_000,
        "a = 2026-02-30",
        'a = "\\u001b[2J"',
        'a = "\\u202e"',
        f"a = '{'x' * 20_000}'",
    ],
    ids=lambda text: text[:12],
)
def test_toml_that_cannot_be_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parsed_toml(text, "bench.toml")
    assert caught.value.where.startswith("bench.toml")


def test_toml_tells_the_line_that_is_nested_too_deeply() -> None:
    with pytest.raises(BadInput) as caught:
        parsed_toml(f"a = 1\nb = {'[' * 70}{']' * 70}\n", "bench.toml")
    assert caught.value.where == "bench.toml, line 2"


@pytest.mark.parametrize(
    "wrong",
    [
        "b = 9223372036854775808",
        "b = " + "9" * 5000,
        "b = 0x" + "f" * 5000,
        'b = "\\u202e"',
        "b = 'x\u202ex'",
        f"b = '{'x' * 20_000}'",
        "b = 2026-02-30",
        'b = "no end',
    ],
    ids=lambda text: text[:12],
)
def test_toml_tells_the_line_of_what_cannot_be_taken(wrong: str) -> None:
    before = "# \u202e 9223372036854775808\na = ['\\u202e', \"x\"]\n"
    with pytest.raises(BadInput) as caught:
        parsed_toml(f"{before}{wrong}\nc = 1\n", "bench.toml")
    assert caught.value.place is not None
    assert caught.value.place.line == 3


def test_brackets_that_nest_nothing_are_no_levels() -> None:
    many = "[" * 500
    text = f'a = "{many}"\n# {many}\nb = """\n{many}"""\nc = \'\'\'{many}\'\'\'\n'
    numbers = ", ".join(["1.5"] * 500)
    assert parsed_toml(f"{text}d = [{numbers}]\n", "x")["a"] == many
    deep = "[" * MOST_LEVELS + "]" * MOST_LEVELS
    assert parsed_json(deep)
    assert parsed_toml(f"a = {deep[1:-1]}", "x")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 5000, "[" * 70 + "]" * 70])
def test_json_that_is_nested_too_deeply_is_no_document(text: str) -> None:
    with pytest.raises(ValueError, match="deep"):
        parsed_json(text)


def test_numbers_that_are_none_are_no_values() -> None:
    text = f"[NaN, -Infinity, 1e999, {'9' * 5000}, {'9' * 40}, 1.5, {2**64}]"
    assert parsed_json(text) == [None, None, None, None, None, 1.5, 2**64]


def test_half_a_character_does_not_get_through() -> None:
    for text in ('{"\\ud800": "\\udfff\\ud83d\\ude00"}', '["\udc80"]'):
        assert str(parsed_json(text)).encode()
    assert parsed_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    "content", [b"\xff\xfea\0", b"a = 1\nb = '\xe4'", b"a\0b", b"\xed\xa0\x80"]
)
def test_a_file_in_no_utf_8_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="UTF-8"):
        read_text(path)


def test_a_mark_at_the_begin_is_none_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_text(path) == "a = 1"


def test_what_is_no_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe, link, bound = tmp_path / "pipe", tmp_path / "link", tmp_path / "socket"
    os.mkfifo(pipe)
    link.symlink_to(link)
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)
        server.bind("socket")
        for path in (pipe, link, bound, tmp_path, Path("/dev/zero"), Path("/dev/tty")):
            with pytest.raises(BadInput):
                read_content(path, 100)
    with pytest.raises(BadInput):
        read_content(Path("a\0b"), 100)


def test_what_is_no_file_says_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dangling").symlink_to("nowhere")
    Path("loop").symlink_to("loop")
    Path("file").touch()
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        names = [path.name for path in tmp_path.iterdir()]
        names += ["/", "/dev/null", "a\0", "none"]
        told = {name: why_no_file(Path(name)) for name in names}
    assert told.pop("file") == ""
    assert len(set(told.values())) == len(told)
    assert all(told.values())
    assert "points to" in told["dangling"]


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    assert len(read_content(path, 100)) == 100
    with pytest.raises(BadInput, match="longer"):
        read_content(path, 99)
    os.truncate(path, 2**40)  # a hole, which takes no room
    with pytest.raises(BadInput, match="longer"):
        read_content(path, 2**20)


def test_a_line_without_an_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a\n" + b"b" * 50 + b"\n" + b"c" * 10 + b"\nd")
    with path.open("rb") as file:
        assert list(lines_of(file, 10)) == [b"a\n", b"b" * 10, b"c" * 10, b"d"]


def test_a_cell_is_no_formula() -> None:
    assert [cell(text) for text in ("=cmd|' /C calc'!A0", "@SUM", "-1+1", "4k")] == [
        "'=cmd|' /C calc'!A0",
        "'@SUM",
        "'-1+1",
        "4k",
    ]


def test_a_link_that_leads_nowhere_can_be_removed(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    with pytest.raises(BadInput, match="Remove the link"):
        read_content(link, 100)
    with pytest.raises(BadInput, match="Give the path"):
        read_content(tmp_path / "nowhere", 100)


@pytest.mark.parametrize("date", ["2026-13-41", "2026-02-30", "2026-1-1", "31-03-2026"])
def test_a_date_that_is_none_is_told(date: str) -> None:
    with pytest.raises(BadInput) as caught:
        parsed_toml(f'name = "x"\ncalibrated = {date}\n', "bench.toml")
    assert "line 2" in caught.value.where
    assert (f"{date} is not a date" in caught.value.what) is (date[:4] == "2026")


def test_a_path_is_in_no_home_that_nobody_has() -> None:
    assert home_path("~/x") == Path.home() / "x"
    with pytest.raises(BadInput, match="unknown user"):
        home_path("~nobody-knows-me/x")
