"""Values from TOML: types, ranges, and where a mistake stands."""

import pytest

from app.plan.toml_file import parse_toml
from instruments.errors import BadInput

TEXT = '''
title = "a"
long = """
key = "not a key"
"""
[dut]
size = 3
[[step]]
label = "one"
[[step]]
label = "two"
[step.fio]
bs = "4k"
'''


def test_lines_are_found_past_long_strings_and_in_numbered_tables() -> None:
    top = parse_toml(TEXT, "x.toml")
    second = top.tables("step")[1]
    with pytest.raises(BadInput, match=r"x\.toml, line 13, \[\[step\]\] 2 fio\.bs: no"):
        second.table("fio").fail("bs", "no", "")
    with pytest.raises(BadInput, match=r"x\.toml, line 7, dut\.size: no"):
        top.table("dut").fail("size", "no", "")


def test_a_key_that_is_not_there_is_placed_at_its_table() -> None:
    step = parse_toml(TEXT, "x.toml").tables("step")[0]
    with pytest.raises(BadInput, match=r"line 8, \[\[step\]\] 1 engine: engine is mis"):
        step.text("engine")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k = true", "Expected a number from 0 to 10"),
        ("k = 11", "k is 11"),
        ("k = 'x'", 'k is "x"'),
        ("k = [1]", "k is a list"),
    ],
)
def test_numbers_are_checked(text: str, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        parse_toml(text, "x.toml").number("k", high=10)


def test_defaults_stand_in_and_unknown_keys_are_told() -> None:
    top = parse_toml("flg = true", "x.toml")
    assert top.flag("flag", True)
    assert top.duration("runtime", 2.5) == 2.5
    assert top.texts("limits") == []
    with pytest.raises(BadInput, match='did you mean "flag"'):
        top.finish()
