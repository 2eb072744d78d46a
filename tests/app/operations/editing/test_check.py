"""Mistakes of a campaign, each with the field it is in."""

from app.operations.editing.check import check_campaign

GOOD = """name = "Mine"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1m"

# About reading.
[[step]]
label = "Read"
engine = "fio"
runtime = "1m"
limits = ["power_w <= 800"]
[step.fio]
rw = "randread"
bs = "4k"
"""


def found(text: str) -> list[tuple[object, tuple[str, ...], int]]:
    return [
        (mistake.item, mistake.path, mistake.line)
        for mistake in check_campaign(text).mistakes
    ]


def test_a_campaign_without_mistakes_has_none() -> None:
    checked = check_campaign(GOOD)
    assert checked.mistakes == ()
    assert checked.campaign is not None
    assert checked.text == GOOD


def test_a_mistake_is_told_with_its_field() -> None:
    text = GOOD.replace('bs = "4k"', 'bs = "4q"')
    checked = check_campaign(text)
    assert checked.campaign is None
    assert found(text) == [(("step", 1), ("fio", "bs"), 15)]
    assert checked.mistakes[0].sentence.startswith('bs is "4q". Expected sizes')
    assert checked.mistakes[0].words.startswith("step 2, fio.bs: ")
    assert found(GOOD.replace("power_w", "powr")) == [(("step", 1), ("limits",), 12)]
    assert found(GOOD.replace('name = "Mine"', "")) == [(None, ("name",), 0)]


def test_every_step_tells_its_first_mistake() -> None:
    text = GOOD.replace('"1m"', '"soon"')
    assert found(text) == [
        (("step", 0), ("runtime",), 5),
        (("step", 1), ("runtime",), 11),
    ]


def test_every_mistake_of_a_step_is_told_at_its_line() -> None:
    text = GOOD.replace('bs = "4k"', 'iodepht = 3\nbs = "4q"').replace('"1m"', '"-5s"')
    assert found(text) == [
        (("step", 0), ("runtime",), 5),
        (("step", 1), ("runtime",), 11),
        (("step", 1), ("fio", "iodepht"), 15),
        (("step", 1), ("fio", "bs"), 16),
    ]


def test_a_swept_step_tells_the_option_and_not_the_sweep() -> None:
    text = f"{GOOD}iodepht = 8\n[step.sweep]\nnumjobs = [1, 2]\n"
    (mistake,) = check_campaign(text).mistakes
    assert mistake.path == ("fio", "iodepht")
    assert text.splitlines()[mistake.line - 1] == "iodepht = 8"
    text = f'{GOOD}[step.sweep]\n"iodepth" = [1, 1]\n'
    assert found(text)[0][1] == ("sweep", "iodepth")


def test_labels_that_are_used_twice_are_told() -> None:
    assert found(GOOD.replace('"Read"', '"Idle"')) == [(("step", 1), ("label",), 9)]


def test_what_is_not_toml_tells_its_line() -> None:
    ((item, path, line),) = found("name = \n")
    assert (item, path, line) == (None, (), 1)


def test_a_campaign_without_steps_is_told() -> None:
    (mistake,) = check_campaign('name = "Mine"\n').mistakes
    assert "no step to run" in mistake.sentence


def test_a_text_that_does_not_end_has_its_last_line_named() -> None:
    [mistake] = check_campaign('name = "x"\nnotes = """\nand so on\n').mistakes
    assert mistake.line == 3
