"""Edits of a campaign's text: what is asked for changes, and nothing else does."""

import tomllib
from pathlib import Path

import pytest

from app.plan.blocks import items, join, read, split
from app.plan.campaign import parse_campaign
from app.plan.edit import (
    NEW,
    copied,
    duplicate,
    free_name,
    insert,
    move,
    pasted,
    put,
    remove,
    value_at,
)
from instruments.errors import BadInput

TEXT = """# A lab's own campaign.
name = "Mine"   # short

# The baseline, taken first.
[[step]]
label = "Idle"
engine = "idle"
runtime = "5m"   # as in the report

# Reads only: nothing is lost.
[[step]]
label = "Read"
engine = "fio"
runtime = "1m"
limits = [
    "power_w <= 800",  # the feed
]

# What fio is told.
[step.fio]
rw = "randread"   # not write
bs = "4k"

[step.sweep]
iodepth = [1, 8]

# The end.
[[step]]
label = "Cool"
engine = "cooldown"
runtime = "10m"
"""
SHIPPED = sorted(Path("resources/campaigns").glob("*.toml"))


def labels(text: str) -> list[object]:
    return [one["label"] for one in items(read(text), "step")]


def test_a_text_in_blocks_is_the_text_again() -> None:
    assert join(split(TEXT)) == TEXT
    assert [block.path for block in split(TEXT)][1:4] == [
        ("step",),
        ("step",),
        ("step", "fio"),
    ]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_campaigns_survive_every_edit(path: Path) -> None:
    text = path.read_text()
    assert join(split(text)) == text
    count = len(labels(text))
    assert labels(move(text, "step", [0], count)) == [
        *labels(text)[1:],
        labels(text)[0],
    ]
    assert remove(duplicate(text, "step", [count - 1]), "step", [count]) == text
    moved = move(move(text, "step", [0], count), "step", [count - 1], 0)
    assert parse_campaign(moved, "x").steps == parse_campaign(text, "x").steps


def test_a_value_is_changed_and_its_comment_stays() -> None:
    text = put(TEXT, ("step", 0), ("runtime",), "2m")
    assert text == TEXT.replace('"5m"   # as', '"2m"   # as')
    text = put(TEXT, ("step", 1), ("fio", "rw"), "read")
    assert text == TEXT.replace('"randread"   # not', '"read"   # not')
    assert put(TEXT, None, ("name",), "Other") == TEXT.replace('"Mine"', '"Other"')


def test_a_new_key_stands_with_its_table() -> None:
    text = put(TEXT, ("step", 1), ("ramp",), "5s")
    assert ']\nramp = "5s"\n\n# What fio is told.' in text
    text = put(TEXT, ("step", 1), ("fio", "iodepth"), 8)
    assert 'bs = "4k"\niodepth = 8\n\n[step.sweep]' in text
    text = put(TEXT, None, ("description",), "Two\nlines")
    assert read(text)["description"] == "Two\nlines"
    assert "# The baseline, taken first.\n[[step]]" in text


def test_a_new_table_stands_with_its_step() -> None:
    text = put(TEXT, ("step", 0), ("steady", "rule"), "window")
    assert items(read(text), "step")[0]["steady"] == {"rule": "window"}
    assert '[step.steady]\nrule = "window"\n\n# Reads only' in text
    text = put(text, ("step", 0), ("steady", "rule"), None)
    assert text == TEXT
    text = put(TEXT, None, ("ranging", "seconds"), 5)
    assert read(text)["ranging"] == {"seconds": 5}
    assert labels(text) == labels(TEXT)
    assert put(text, None, ("ranging",), None) == TEXT


def test_a_table_within_a_table_stays_with_its_step() -> None:
    text = put(TEXT, ("step", 0), ("novel", "deep", "key"), 3)
    assert items(read(text), "step")[0]["novel"] == {"deep": {"key": 3}}
    text = put(text, ("step", 0), ("novel", "deep", "other"), "x")
    assert items(read(text), "step")[0]["novel"] == {"deep": {"key": 3, "other": "x"}}
    assert items(read(text), "step")[1:] == items(read(TEXT), "step")[1:]


def test_a_whole_table_is_replaced_in_the_order_given() -> None:
    sweep = {"bs": ["4k", "1m"], "iodepth": [1]}
    text = put(TEXT, ("step", 1), ("sweep",), sweep)
    found = value_at(items(read(text), "step")[1], ("sweep",))
    assert isinstance(found, dict)
    assert list(found) == ["bs", "iodepth"]
    assert "[step.sweep]" not in put(TEXT, ("step", 1), ("sweep",), None)
    assert "[step.sweep]" not in put(TEXT, ("step", 1), ("sweep", "iodepth"), None)


def test_names_with_dots_are_quoted() -> None:
    text = put(TEXT, ("step", 1), ("sweep", "obj.size"), ["1m"])
    assert '"obj.size" = ["1m"]' in text


def test_steps_move_with_their_comments() -> None:
    text = move(TEXT, "step", [1], 0)
    assert labels(text) == ["Read", "Idle", "Cool"]
    assert text.index("# Reads only") < text.index("# The baseline")
    assert move(text, "step", [0], 2) == TEXT
    assert labels(move(TEXT, "step", [0, 2], 2)) == ["Read", "Idle", "Cool"]
    assert move(TEXT, "step", [1], 1) == TEXT


def test_copies_have_labels_of_their_own() -> None:
    text = duplicate(TEXT, "step", [0, 1])
    assert labels(text) == ["Idle", "Read", "Idle 2", "Read 2", "Cool"]
    assert labels(duplicate(text, "step", [2])) == [
        *("Idle", "Read", "Idle 2", "Idle 3", "Read 2", "Cool")
    ]
    parse_campaign(text, "copies")
    assert free_name("Idle", {"Idle", "Idle 2"}) == "Idle 3"


def test_copied_steps_are_pasted_with_labels_of_their_own() -> None:
    piece = copied(TEXT, "step", [0, 1])
    assert piece.startswith("# The baseline")
    assert "# What fio is told." in piece
    text = pasted(TEXT, "step", 1, piece)
    assert labels(text) == ["Idle", "Idle 2", "Read 2", "Read", "Cool"]
    assert text.count("# Reads only") == 2
    assert labels(pasted(TEXT, "step", 9, piece))[-1] == "Read 2"
    assert labels(pasted('name = "x"\n', "step", 0, piece)) == ["Idle", "Read"]
    with pytest.raises(BadInput, match=r"has no \[\[step\]\]"):
        pasted(TEXT, "step", 0, "a = 1")
    with pytest.raises(BadInput, match="not TOML"):
        pasted(TEXT, "step", 0, "lorem ipsum")


def test_a_step_without_a_label_is_pasted_without_one() -> None:
    text = '[[step]]\nengine = "idle"\n'
    assert "label" not in pasted(text, "step", 1, text)
    assert "label" not in duplicate(text, "step", [0])


def test_steps_come_and_go() -> None:
    step = {"label": "New", "engine": "fio", "runtime": "1m", "fio": {"rw": "read"}}
    text = insert(TEXT, "step", 1, step)
    assert labels(text) == ["Idle", "New", "Read", "Cool"]
    assert remove(text, "step", [1]) == TEXT
    assert labels(insert(TEXT, "step", 3, step))[-1] == "New"
    text = remove(TEXT, "step", [0, 1, 2])
    assert labels(text) == []
    assert labels(insert(text, "step", 0, step)) == ["New"]


def test_configurations_stand_before_the_steps() -> None:
    layout = {"name": "layout", "values": ["raidz2", "mirror"], "prompt": "Do it."}
    text = insert(TEXT, "configuration", 0, layout)
    assert items(read(text), "configuration") == [layout]
    assert text.index("[[configuration]]") < text.index("# The baseline")
    assert remove(text, "configuration", [0]) == TEXT


def test_brackets_and_headers_in_texts_are_no_headers() -> None:
    text = 'name = "x"\ndescription = """\n[[step]]\n"""\n'
    text += '[[step]]\nlabel = "a [b"\nengine = "idle"\nvalues = [\n  ["a"],\n]\n'
    assert [block.path for block in split(text)] == [(), ("step",)]
    assert read(put(text, ("step", 0), ("runtime",), "1s"))["name"] == "x"


def test_values_in_one_line_are_changed_too() -> None:
    text = '[[step]]\nlabel = "a"\nfio = { rw = "read" }\n'
    assert '{ rw = "write" }' in put(text, ("step", 0), ("fio", "rw"), "write")
    assert '"new"' in put(text, None, ("name",), "new")


def test_what_is_not_toml_is_said() -> None:
    with pytest.raises(BadInput, match="this is not TOML"):
        put("name = ", None, ("name",), "x")
    with pytest.raises(BadInput, match="there is no step 9"):
        put(TEXT, ("step", 8), ("label",), "x")
    with pytest.raises(BadInput, match=r"below a header \[\[step\]\]"):
        split('step = [{label = "a"}]')


def test_a_new_campaign_is_one() -> None:
    assert parse_campaign(NEW, "new").steps[0].label == "Idle"
    assert tomllib.loads(NEW)["name"] == "New campaign"
