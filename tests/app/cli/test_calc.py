"""The command `calc`: words, inputs, measured values, mistakes."""

import json
from pathlib import Path

import pytest

from app.calc.catalogue import CALCULATORS
from app.cli import run
from app.cli.calc import manual_page
from app.plan.verdict import Outcome
from app.record.store import Result, Writer
from instruments.settings import Kind
from tests.app.ui.sample import write_sample
from tests.session_info import session_info

MANUAL = Path(__file__).parents[3] / "docs" / "calculators.md"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("calc") / "sample.bayscope")


def test_all_calculators_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calc"]) == 0
    shown = capsys.readouterr().out
    assert all(f"{word} " in shown for word in CALCULATORS)


def test_the_manuals_page_is_made_from_the_calculators() -> None:
    assert MANUAL.read_text(encoding="utf-8") == manual_page()


@pytest.mark.parametrize("word", CALCULATORS)
def test_every_word_answers_in_both_forms(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["calc", word]) == 0
    text = capsys.readouterr().out
    assert CALCULATORS[word].title in text
    assert run(["calc", word, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["calculator"] == word
    assert set(shown["results"]) == {one.key for one in CALCULATORS[word].outputs}
    with pytest.raises(SystemExit) as ended:
        run(["calc", word, "--help"])
    assert ended.value.code == 0


def test_json_is_understood_before_the_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["calc", "--json", "raid"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]["gross_tb"] == 1200


def test_measured_values_come_from_a_session(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of_row = ["--session", str(session), "--step", "Random read 4k"]
    assert run(["show", str(session), "--json"]) == 0
    rows = {row["step"]: row for row in json.loads(capsys.readouterr().out)["steps"]}
    row = rows["Random read 4k"]
    assert run(["calc", "cost", *of_row, "--capacity", "1200", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["inputs"]["power"] == row["power_w"]
    assert shown["inputs"]["idle"] == rows["Idle"]["power_w"]
    assert shown["inputs"]["capacity"] == 1200
    results = shown["results"]
    assert results["iops_per_w"] == pytest.approx(row["iops"] / row["power_w"])
    assert results["w_per_tb"] == pytest.approx(row["power_w"] / 1200)
    assert run(["calc", "intake", *of_row, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["inputs"]["hottest"] == row["drive_max_c"]


def test_a_printed_figure_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["calc", "cost", "--power", "860", "--capacity", "840", "--printed", "1.12"]
    assert run([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["printed"]
    assert (printed["result"], printed["fit"]) == ("w_per_tib", "cut off")
    assert printed["or"] == []
    assert run(words) == 0
    assert "Printed 1.12: It is" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["calc", "nothing"], "nothing"),
        (["calc", "raid", "--drives", "many"], "drives"),
        (["calc", "raid", "--level", "raid7"], "raid7"),
        (["calc", "raid", "--drves", "8"], "--drves"),
        (["calc", "raid", "--drives", "3"], "raid6 has 3 drives"),
        (["calc", "raid", "--size", "nan"], "size"),
        (["calc", "raid", "--drives", "0"], "bayscope: drives is 0. Expected"),
        (["calc", "raid", "--group", "x"], 'bayscope: group is "x". Expected'),
        (["calc", "cost", "--session", "none.bayscope"], "--step is missing"),
        (["calc", "cost", "--step", "Idle"], "--session is missing"),
        (["calc", "crossover", "--rates-a", "4:x"], "4:x"),
        (["calc", "throughput", "--blocks", "4q"], "4q"),
        (["calc", "throughput", "--blocks", "4k/30:64k/60"], "sum to 90 %"),
        (["calc", "throughput", "--blocks", "4k/120:64k"], "sum to 120 %"),
        (["calc", "link", "--sas", "none", "--pcie", "none"], "no link"),
        (["calc", "cost", "--printed", "much"], "much"),
        (["calc", "cost", "--printed", "1e999"], "1e999"),
        (["calc", "crossover", "--rates-a", "4:nan"], "4:nan"),
        (["calc", "crossover", "--rates-b", "0:1"], "0:1"),
        (["calc", "zfs", "--size", "1e300"], "size"),
        (["calc", "zfs", "--spares", "99"], "99 of 60 drives cannot be spares"),
        (["calc", "raid", "--drives", "1"], "raid6 has 1 drive without its spares"),
        (["calc", "raid", "--fill", "101"], "from 1 to 100 %"),
        (["calc", "crossover", "--rates-a", "4:-5"], "none of them negative"),
        (["calc", "crossover", "--rates-a", "4:5,4:6"], "rates_a has 4 twice"),
        (["calc", "intake", "--hottest", "30", "--coldest", "31"], "30 °C or less"),
        (["calc", "cost", "--currency", ""], 'currency is "". Expected a text.'),
    ],
)
def test_a_mistake_is_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert len(shown.err.strip().splitlines()) == 1


def test_a_row_that_is_none_and_a_file_that_is_none_are_said(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["calc", "cost", "--step", "Idel", "--session"]
    assert run([*words, str(session)]) == 2
    assert 'did you mean "Idle"?' in capsys.readouterr().err
    assert run([*words, str(tmp_path / "none.bayscope")]) == 2
    assert "none.bayscope" in capsys.readouterr().err


def test_rates_of_a_sweep_come_from_its_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = """
name = "Sizes"
[[step]]
label = "Random {bs}"
engine = "fio"
runtime = "10s"
[step.fio]
rw = "randread"
[step.sweep]
bs = ["4k", "64k"]
"""
    path = tmp_path / "sizes.bayscope"
    writer = Writer.create(path, session_info(campaign=campaign))
    for number, (size, rate) in enumerate((("4k", 45.0), ("64k", 518.0)), 1):
        label = f"Random {size}"
        step = writer.add_step(number, label, "fio", f'label = "{label}"')
        writer.update_step(step, outcome=Outcome.DONE)
        writer.result(step, Result("bandwidth_mb_s", rate, "MB/s", 0, 1, 1, 1))
    writer.finish()
    words = ["calc", "crossover", "--session", str(path), "--step", "Random 4k"]
    assert run([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["inputs"]["rates_a"] == "4:45, 64:518"


def test_what_has_no_part_in_a_layout_is_not_among_its_inputs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["calc", "zfs"]) == 0
    assert "Data drives" not in capsys.readouterr().out
    assert run(["calc", "zfs", "--layout", "draid2", "--group", "20"]) == 0
    assert "Data drives                            8" in capsys.readouterr().out
    assert run(["calc", "zfs", "--data", "3"]) == 0
    told = (
        "- Data drives: not used, as it counts for layout draid1, draid2, draid3 alone."
    )
    assert told in capsys.readouterr().out
    assert run(["calc", "zfs", "--json"]) == 0
    inputs = json.loads(capsys.readouterr().out)["inputs"]
    assert (inputs["data"], inputs["group"]) == (None, 10)


def test_a_printed_price_is_found_in_its_currency(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--power", "1000", "--price-per-kwh", "0.1", "--pue", "1"]
    assert run(["calc", "cost", *words, "--currency", "CHF", "--printed", "876"]) == 0
    told = 'Printed 876: It is "Cost of energy in a year", 876 CHF, rounded.'
    assert capsys.readouterr().out.splitlines()[-1] == told


def test_a_printed_figure_that_is_far_off_is_said_without_all_its_digits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["calc", "zfs", "--printed", "1e300"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.endswith("from which it differs by +8e+298 %.")
    assert (
        run(["calc", "raid", "--level", "raid0", "--printed", "1e308", "--json"]) == 0
    )
    printed = json.loads(capsys.readouterr().out)["printed"]
    assert printed["percent_off"] is None or printed["percent_off"] > 1e300


@pytest.mark.parametrize(
    "text", ["0", "-1", "1e300", "nan", "inf", "", "1 TB", "150", "9" * 400]
)
@pytest.mark.parametrize("word", CALCULATORS)
def test_no_input_ends_in_anything_but_numbers_or_a_sentence(
    word: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in CALCULATORS[word].options:
        if option.kind is Kind.TEXT:
            continue
        flag = f"--{option.key.replace('_', '-')}={text}"
        code = run(["calc", word, flag])
        shown = capsys.readouterr()
        assert code in (0, 2), flag
        assert shown.err.count("bayscope: ") == (code == 2), flag
        assert not {"nan", "inf", "-inf"} & set(shown.out.split()), flag
