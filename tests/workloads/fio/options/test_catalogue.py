"""The catalogue of options, asked of the real fio."""

import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BenchError
from workloads.fio.options import ask as fio_catalogue_ask
from workloads.fio.options.ask import (
    described,
    kept_catalogue,
    listed,
    load_catalogue,
    read_catalogue,
)
from workloads.fio.options.catalogue import COMMON, Catalogue, ValueKind
from workloads.fio.options.check import check
from workloads.fio_access import OPTIONS, Kind


@pytest.fixture(scope="module")
def asked() -> Iterator[list[str]]:
    """All that fio was asked; what it has answered once it is not started for again."""
    questions: list[str] = []
    answer = functools.cache(fio_catalogue_ask._ask)

    def ask(argument: str) -> str:
        questions.append(argument)
        return answer(argument)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fio_catalogue_ask, "_ask", ask)
        yield questions


@pytest.fixture(scope="module")
def catalogue(asked: list[str], tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    found = load_catalogue(tmp_path_factory.mktemp("cache"))
    assert len(asked) > 200
    return found


def test_every_option_of_fio_is_in_it(catalogue: Catalogue) -> None:
    done = subprocess.run(
        ["fio", "--cmdhelp=all"], capture_output=True, text=True, check=True
    )
    names = [line.split(":")[0].strip() for line in done.stdout.splitlines()]
    assert len(names) > 200
    assert set(names) <= set(catalogue.options)


def test_types_ranges_and_words_are_fios_own(catalogue: Catalogue) -> None:
    share = catalogue.options["rwmixread"]
    assert (share.kind, share.low, share.high) == (ValueKind.INTEGER, 0, 100)
    assert share.default == "50"
    size = catalogue.options["bs"]
    assert (size.alias, size.low, size.high) == ("blocksize", 1, None)
    assert catalogue.find("blocksize") is size
    rw = catalogue.options["rw"]
    assert rw.kind is ValueKind.CHOICE
    assert ("randread", "Random read") in [(c.value, c.help) for c in rw.choices]
    assert catalogue.options["direct"].kind is ValueKind.FLAG
    assert catalogue.options["runtime"].kind is ValueKind.DURATION
    assert catalogue.options["percentile_list"].kind is ValueKind.NUMBERS
    assert catalogue.options["size"].kind is ValueKind.SIZE


def test_options_of_an_engine_say_which(catalogue: Catalogue) -> None:
    assert "io_uring" in catalogue.options["fixedbufs"].engines
    libaio = {option.name for option in catalogue.for_plan("libaio")}
    assert "userspace_reap" in libaio
    assert "fixedbufs" not in libaio
    assert "bs" in libaio
    assert "exec_prerun" not in libaio


def test_every_option_the_guard_allows_is_reachable(catalogue: Catalogue) -> None:
    """Whatever this fio knows of the open options is in the catalogue."""
    lost = []
    for name, found in OPTIONS.items():
        if found.kind not in (Kind.OPEN, Kind.ARMED) or catalogue.find(name):
            continue
        argv = ["fio", f"--cmdhelp={name}"]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        known = "type:" in done.stdout and "closest match" not in done.stdout
        lost += [name] if known else []
    assert lost == []


def test_every_common_option_is_there_and_open(catalogue: Catalogue) -> None:
    for name in (name for group in COMMON.values() for name in group):
        option = catalogue.find(name)
        assert option is not None, name
        assert option.is_open, name


def test_its_own_defaults_are_taken(catalogue: Catalogue) -> None:
    told = {
        option.name: check(catalogue, option.name, option.default)
        for option in catalogue.for_plan()
        if option.default
    }
    assert len(told) > 40
    assert {name: problem for name, problem in told.items() if problem} == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rw", "randread:8"),
        ("bs", "4k,64k"),
        ("bs", "4k,"),
        ("bsrange", "4k-64k,1m-2m"),
        ("bssplit", "4k/20:64k/80"),
        ("percentile_list", "50:99.9"),
        ("random_distribution", "zipf:1.2"),
        ("nice", "-20"),
        ("hipri", ""),
        ("blocksize", "8k"),
        ("max_open_zones", "4"),
        ("thinktime", "2ms"),
    ],
)
def test_what_fio_takes_is_taken(catalogue: Catalogue, name: str, value: str) -> None:
    assert check(catalogue, name, value) is None


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("rwmixread", "170", "from 0 to 100"),
        ("rw", "rundread", "Expected one of"),
        ("direct", "2", "0 or 1"),
        ("iodepth", "0", "whole number from 1"),
        ("bs", "four", "sizes such as 4k"),
        ("bs", "1k,2k,3k,4k", "more than 3 parts"),
        ("bsrange", "4k", "range such as"),
        ("percentile_list", "50:x", "numbers such as"),
        ("percentile_list", "50:101", "101"),
        ("nice", "-30", "from -20 to 19"),
        ("bssplit", "4k/20:64k/50", "sum to 70 %"),
        ("rwmix", "90", 'Did you mean "rwmixread"?'),
        ("exec_prerun", "id", "runs a command"),
        ("filename", "/dev/sda", "target"),
        ("ioengine", "exec", "runs a program"),
        ("refill_buffers", "1;rw=write", "; in it"),
        ("rate", "", "needs a value"),
        ("thinkcycles", "5", "no option thinkcycles"),
        ("lat_percentiles", "maybe", "0 or 1"),
        ("cmdprio_class", "9", "from 1 to 3"),
    ],
)
def test_what_fio_or_the_guard_refuses_is_told(
    catalogue: Catalogue, name: str, value: str, says: str
) -> None:
    assert says in (check(catalogue, name, value) or "")


def test_it_is_kept_and_not_asked_again(
    catalogue: Catalogue, asked: list[str], tmp_path: Path
) -> None:
    assert kept_catalogue(tmp_path) is None
    assert load_catalogue(tmp_path) == catalogue
    assert kept_catalogue(tmp_path) == catalogue
    fio_catalogue_ask._kept.cache_clear()
    (kept,) = tmp_path.iterdir()
    asked.clear()
    assert load_catalogue(tmp_path) == catalogue
    assert asked == []
    kept.write_text(kept.read_text()[:100])  # cut off: asked anew
    fio_catalogue_ask._kept.cache_clear()
    assert load_catalogue(tmp_path) == catalogue
    assert asked


def test_without_fio_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("instruments.tools.command.SYSTEM_FOLDERS", ())
    with pytest.raises(BenchError, match="fio"):
        load_catalogue(tmp_path)


def test_a_fio_that_tells_nothing_is_refused() -> None:
    with pytest.raises(BenchError, match="does not describe its options"):
        read_catalogue("fio-1.0", lambda argument: "")


def test_foreign_text_describes_nothing() -> None:
    assert described("") is None
    assert described("No such command: bogus\n\n") is None
    assert list(listed("nothing here\n")) == []
