"""Steps of the other engines in a plan: their tables, and what is wrong with them."""

import pytest

from app.plan.campaign import parse_campaign
from app.plan.writing import campaign_text
from instruments.errors import BadInput

WARP = 'host = "10.0.0.1:9000"\nbucket = "bench"\nerase = "bench"\n'


def plan(engine: str, table: str = "", more: str = "") -> str:
    return (
        f'name = "plan"\n[[step]]\nlabel = "one"\nengine = "{engine}"\n'
        f'runtime = "60s"\n{more}\n[step.{engine}]\n{table}'
    )


@pytest.mark.parametrize(
    ("engine", "table", "writes"),
    [
        ("vdbench", "rdpct = 100", False),
        ("vdbench", "rdpct = 70", True),
        ("vdbench", 'rdpct = 100\nmode = "files"', True),
        ("iozone", "t = 4", True),
        ("copy", "", True),
        ("warp", WARP, False),
    ],
)
def test_a_table_of_each_engine_is_read_and_written(
    engine: str, table: str, writes: bool
) -> None:
    campaign = parse_campaign(plan(engine, table), "plan.toml")
    assert campaign.steps[0].engine == engine
    assert campaign.writes is writes
    again = parse_campaign(campaign_text(campaign), "again.toml")
    assert again.steps == campaign.steps


@pytest.mark.parametrize(
    ("engine", "table", "line", "expected"),
    [
        ("vdbench", "rdpct = 101", "line 8", "0 to 100"),
        ("vdbench", 'xfersize = "(4k,50,64k,40)"', "line 8", "sum to 90 %"),
        ("vdbench", 'xfersize = "4q"', "line 8", "Expected 64k"),
        ("vdbench", 'lun = "/dev/sdb"', "line 8", "Set target of [dut]"),
        ("vdbench", 'startcmd = "rm"', "line 8", "No commands are run"),
        ("vdbench", "thread = 3", "line 8", 'did you mean "threads"?'),
        ("vdbench", "depth = 3", "line 8", 'mode = "files"'),
        ("vdbench", 'iorate = "fast"', "line 8", "max or a number"),
        ("iozone", 'i = "write,sing"', "line 8", "sing is not a test"),
        ("iozone", 'r = "5"', "line 8", "is not a record size"),
        ("iozone", 't = 2\nr = "4k,64k"', "line 9", "one record size"),
        ("iozone", 's = "4k"', "line 8", "smaller than a record"),
        ("copy", 'source = "here"', "line 8", "is not an absolute path"),
        ("copy", 'source = "~nobody-knows-me/x"', "line 8", "unknown user"),
        ("copy", 'target = "/dev"', "line 8", "Name one on a disk"),
        ("copy", 'verify = "md5"', "line 8", "size, sha256"),
        ("copy", "direct = true\nbs = 5000", "line 9", "multiples of 4k"),
        ("warp", WARP.replace('erase = "bench"', 'erase = "b"'), "line 10", "deletes"),
        ("warp", WARP.replace('erase = "bench"\n', ""), "line 7", "erase is missing"),
        ("warp", WARP + "get-distrib = 50", "line 11", "sum to 105"),
        ("warp", WARP + 'secret-key = "x"', "line 11", "WARP_SECRET_KEY"),
        ("warp", WARP + 'operation = "list"', "line 11", "get, put, mixed"),
    ],
)
def test_a_mistake_names_file_line_and_key(
    engine: str, table: str, line: str, expected: str
) -> None:
    with pytest.raises(BadInput) as caught:
        parse_campaign(plan(engine, table), "plan.toml")
    sentence = str(caught.value)
    assert sentence.startswith("plan.toml")
    assert line in sentence
    assert f"{engine}" in sentence
    assert expected in sentence


@pytest.mark.parametrize("engine", ["iozone", "copy"])
def test_an_engine_without_a_ramp_says_so(engine: str) -> None:
    with pytest.raises(BadInput, match="no ramp"):
        parse_campaign(plan(engine, "", 'ramp = "5s"'), "plan.toml")


def test_options_of_other_engines_can_be_swept() -> None:
    text = plan("warp", WARP) + '[step.sweep]\n"obj.size" = ["1m", "64m"]\n'
    runs = parse_campaign(text, "plan.toml").runs
    assert [run.options["obj.size"] for _, run in runs] == ["1m", "64m"]
