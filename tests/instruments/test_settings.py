"""Options: what is given is checked, what is not gets its default."""

import pytest

from instruments.errors import BadInput
from instruments.settings import Kind, Option, Settings, Value, complete

OPTIONS = (
    Option("resource", "Where.", required=True, example="TCPIP::192.0.2.5::INSTR"),
    Option("range", "Range.", Kind.NUMBER, 10.0, choices=(5.0, 10.0), unit="A"),
    Option("period", "Beat.", Kind.NUMBER, 1.0, low=0.1, high=60.0, unit="s"),
    Option("element", "Input.", Kind.INTEGER, 1, low=1, high=4),
    Option("mode", "Mode.", Kind.CHOICE, "ac", choices=("ac", "dc")),
    Option("insecure", "Trust.", Kind.FLAG),
    Option("functions", "What.", Kind.TEXTS, (), choices=("P", "S")),
)


def test_defaults_are_filled_in() -> None:
    values = complete(OPTIONS, {"resource": "x", "range": 5})
    assert values == {
        "resource": "x",
        "range": 5.0,
        "period": 1.0,
        "element": 1,
        "mode": "ac",
        "functions": (),
    }
    settings = Settings("mains", values)
    assert settings.text("resource") == "x"
    assert settings.number("range") == 5.0
    assert settings.integer("element") == 1
    assert settings.flag("insecure") is False
    assert settings.texts("functions") == ()


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("resource", 3, "resource is 3. Expected a text in quotes such as"),
        ("resource", " ", "Expected a text in quotes"),
        ("range", 7, "Expected one of 5, 10 A."),
        ("range", True, "range is true"),
        ("period", 0.01, "Expected a number from 0.1 to 60 s."),
        ("element", 1.5, "Expected a whole number from 1 to 4."),
        ("mode", "dcc", 'did you mean "dc"?'),
        ("insecure", "yes", "Expected true or false."),
        ("functions", ["P", "X"], "Expected one of P, S."),
        ("functions", {"a": 1}, "functions is a table"),
        ("rang", 5, 'unknown key (did you mean "range"?)'),
    ],
)
def test_a_wrong_value_names_its_key(key: str, value: object, expected: str) -> None:
    given: dict[str, object] = {"resource": "x", key: value}
    with pytest.raises(BadInput) as caught:
        complete(OPTIONS, given)
    assert caught.value.where == key
    assert expected in str(caught.value)


def test_a_required_key_must_be_there() -> None:
    with pytest.raises(BadInput, match="resource is missing"):
        complete(OPTIONS, {})


def test_a_list_of_words_is_kept_in_order() -> None:
    given: dict[str, Value] = {"resource": "x", "functions": ("S", "P")}
    assert complete(OPTIONS, given)["functions"] == ("S", "P")
