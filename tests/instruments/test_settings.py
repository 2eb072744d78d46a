"""Options: what is given is checked, what is not gets its default."""

import pytest

from instruments.errors import BadInput, OptionError
from instruments.settings import (
    Kind,
    Option,
    Settings,
    Value,
    closest,
    complete,
    read_step,
    some_of,
    written,
)

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


STEP = (
    Option("bs", "Bytes", Kind.SIZE, "1m", low=4096, high=2**30),
    Option("window", "Time", Kind.DURATION, "5m", low=2),
    Option("until", "Temperature", Kind.NUMBER, low=-40, high=150, unit="C"),
    Option("passes", "Count", Kind.INTEGER, 1, low=0),
    Option("direct", "Flag", Kind.FLAG, default=True),
    Option("host", "Where", default="lab"),
    Option("text", "Task", Kind.LINES, required=True),
)


def test_options_of_a_step_are_read_from_texts() -> None:
    given = {"text": "one\ntwo", "bs": "64k", "direct": "0", "until": "35"}
    found = read_step("copy", STEP, given)
    assert (found.integer("bs"), found.number("window")) == (65536, 300.0)
    assert (found.optional("until"), found.integer("passes")) == (35.0, 1)
    assert not found.flag("direct")
    assert found.text("text") == "one\ntwo"
    assert read_step("copy", STEP, {"text": "x"}).optional("until") is None


def test_an_option_of_a_step_without_a_value_is_left_out() -> None:
    assert read_step("copy", STEP, {"text": "x", "host": " "}).text("host") == "lab"
    with pytest.raises(OptionError, match="text is missing"):
        read_step("copy", STEP, {"text": " "})


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("bs", "1k", "from 4 KiB to 1 GiB"),
        ("bs", "wide", 'bs is "wide"'),
        ("window", "1s", "of 2s or more"),
        ("until", "nan", "from -40 to 150 C"),
        ("passes", "1.5", "passes is 1.5"),
        ("direct", "maybe", "true or false"),
        ("host", "a\nb", "Expected a text"),
        ("byts", "1", "unknown key"),
        ("runtime", "1", "Set runtime of the step."),
    ],
)
def test_a_mistake_in_a_step_names_its_option(
    key: str, value: str, expected: str
) -> None:
    ours = {"runtime": "Set runtime of the step"}
    with pytest.raises(OptionError) as caught:
        read_step("copy", STEP, {"text": "x", key: value}, ours)
    assert caught.value.option == caught.value.where == key
    assert expected in str(caught.value)


def test_what_takes_no_options_says_so() -> None:
    with pytest.raises(OptionError, match="Remove it"):
        read_step("idle", (), {"a": "1"})


def test_the_nearest_word_begins_as_the_slip_does() -> None:
    assert closest("bss", ("ss", "bs")) == "bs"
    assert closest("nothing", ("bs",)) == ""


def test_a_number_that_is_typed_stays_as_it_was_typed() -> None:
    number = Option("until", "", Kind.NUMBER)
    assert [written(number.typed(one)) for one in ("35", "2.5", "x")] == [
        "35",
        "2.5",
        "x",
    ]


def test_a_number_with_a_comma_is_told_of_the_point() -> None:
    option = Option("price", "A price", Kind.NUMBER, low=0.0)
    with pytest.raises(OptionError, match=r"of 0 or more, with a point: 0\.30\."):
        option.take("0,30")


def test_of_many_names_the_first_are_listed() -> None:
    assert some_of([]) == "none"
    assert some_of(["a", "b"], 2) == "a, b"
    assert some_of(["a", "b", "c"], 2) == "a, b and 1 more"
