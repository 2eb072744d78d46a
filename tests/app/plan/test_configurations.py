"""Configuration axes: what changes, who changes it, and mistakes."""

import pytest
import tomlkit

from app.plan.configurations import (
    Configurations,
    configuration_tables,
    parse_configurations,
)
from app.plan.toml_file import parse_toml
from instruments.errors import BadInput

POOLS = """
[[configuration]]
name = "layout"
values = ["raidz2", "mirror"]
prompt = "Make the pool as {layout}."

[[configuration]]
name = "cache"
values = ["on", "off"]
command = ["set-cache", "--layout={layout}", "{cache}"]
"""


def parsed(text: str) -> Configurations:
    found = parse_configurations(parse_toml(text, "plan.toml"))
    assert found is not None
    return found


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parsed(text)
    return str(caught.value)


def test_the_product_with_what_has_to_be_done() -> None:
    first, second, third, _ = parsed(POOLS).all()
    assert first.label("Idle") == "raidz2, cache on: Idle"
    assert [change.name for change in first.changes] == ["layout", "cache"]
    assert first.changes[0].prompt == "Make the pool as raidz2."
    assert first.changes[1].command == ("set-cache", "--layout=raidz2", "on")
    # Only what differs from the configuration before is changed.
    assert [(c.name, c.values) for c in second.changes] == [("cache", ("off",))]
    changes = [(c.name, c.values) for c in third.changes]
    assert changes == [("layout", ("mirror",)), ("cache", ("on",))]


def test_orders() -> None:
    labels = [one.label("x") for one in parsed(POOLS).all()]
    backwards = parsed(POOLS + '[configurations]\norder = "reversed"\n')
    assert [one.label("x") for one in backwards.all()] == labels[::-1]
    text = POOLS + '[configurations]\norder = "shuffled"\nseed = 3\n'
    shuffled = [one.label("x") for one in parsed(text).all()]
    assert sorted(shuffled) == sorted(labels)
    assert shuffled == [one.label("x") for one in parsed(text).all()]


@pytest.mark.parametrize("order", ["fixed", "reversed", "shuffled"])
def test_text_out_is_text_in(order: str) -> None:
    whole = parsed(POOLS + f'[configurations]\norder = "{order}"\n')
    assert parsed(tomlkit.dumps(configuration_tables(whole))) == whole
    assert configuration_tables(None) == {}


def test_a_campaign_may_have_none() -> None:
    assert parse_configurations(parse_toml('name = "x"', "plan.toml")) is None
    with pytest.raises(BadInput, match="belongs to configurations"):
        parsed('[configurations]\norder = "fixed"\n')


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'name = "layout"',
            'name = "a b"',
            "line 3, [[configuration]] 1 name: name is",
        ),
        ('name = "cache"', 'name = "layout"', '"layout" appears twice'),
        ('["on", "off"]', "[]", "values are missing"),
        ('["on", "off"]', '["on", "on"]', "a value appears twice"),
        ("{layout}.", "{pool}.", '"{pool}" is not a configuration'),
        ('prompt = "Make the pool as {layout}."', "", "nothing sets layout"),
        ("command =", "comand =", "unknown key"),
    ],
)
def test_mistakes_name_file_line_and_key(old: str, new: str, expected: str) -> None:
    told = refusal(POOLS.replace(old, new))
    assert told.startswith("plan.toml, line ")
    assert expected in told


def test_too_many_are_a_mistake() -> None:
    many = ", ".join(f'"{number}"' for number in range(101))
    told = refusal(POOLS.replace('"raidz2", "mirror"', many))
    assert "there are 202 configurations" in told
