"""Which load a row ran, and whether that of another session is the same."""

import pytest

from app.analysis.row_load import LoadDifference, load_difference, row_load
from app.plan.step import Step
from app.plan.writing import step_text

BENCH = '[dut]\nname = "Shelf"\ntarget = "/scratch"\nsize = "8g"\n'


def differing(
    one: dict[str, str],
    other: dict[str, str],
    *,
    engines: tuple[str, str] = ("fio", "fio"),
    times: tuple[float, float] = (60, 60),
    benches: tuple[str, str] = (BENCH, BENCH),
    imported: bool = False,
) -> LoadDifference:
    """Compare a step that was run here with another one."""
    loads = [
        row_load(
            step_text(Step("Row", engine, seconds, options=options)),
            {"engine": engine},
            bench,
            imported=foreign,
        )
        for options, engine, seconds, bench, foreign in zip(
            (one, other), engines, times, benches, (False, imported), strict=True
        )
    ]
    return load_difference(loads)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (
            {"rw": "randread", "bs": "4k", "iodepth": "1"},
            {"rw": "randwrite", "bs": "64k", "iodepth": "32"},
            "rw randread / randwrite, bs 4k / 64k, iodepth 1 / 32",
        ),
        ({"rw": "read"}, {"rw": "read", "rate": "10m"}, "rate none / 10m"),
        (
            {"rw": "randrw", "rwmixread": "70"},
            {"rw": "randrw", "rwmixwrite": "40"},
            "rwmixread 70 / 60",
        ),
        (
            {"rw": "read", "bs": "4k"},
            {"rw": "read", "bssplit": "4k/50:64k/50"},
            "bs 4k / none, bssplit none / 4k/50:64k/50",
        ),
        (
            {"rw": "write"},
            {"rw": "write", "buffer_compress_percentage": "50"},
            "buffer_compress_percentage none / 50",
        ),
        (
            {"rw": "read", "bssplit": "4k/50:64k/50"},
            {"rw": "read", "bssplit": "4k/40:64k/60"},
            "bssplit 4k/50:64k/50 / 4k/40:64k/60",
        ),
        ({"rw": "read", "bs": "4k"}, {"rw": "read", "bs": "4k,8k"}, "bs 4k / 4k,8k"),
        ({"rw": "read"}, {"rw": "read", "thinktime": "5"}, "thinktime none / 5"),
        (
            {"rw": "read", "thinktime": "10ms"},
            {"rw": "read", "thinktime": "10s"},
            "thinktime 10ms / 10s",
        ),
        ({"rw": "read", "norandommap": "1"}, {"rw": "read"}, "norandommap 1 / none"),
        ({"rw": "read", "randrepeat": "0"}, {"rw": "read"}, "randrepeat 0 / none"),
        ({"rw": "write"}, {"rw": "write", "end_fsync": "1"}, "end_fsync none / 1"),
    ],
)
def test_options_that_make_another_load_are_told(
    one: dict[str, str], other: dict[str, str], told: str
) -> None:
    found = differing(one, other)
    assert found.told == f"not the same load: {told}"
    assert found.like == (True, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"rw": "read"}, {"readwrite": "read", "blocksize": "4096", "iodepth": "1"}),
        ({"rw": "read", "bs": "64K,4k"}, {"rw": "read", "bs": "65536,4kib"}),
        ({"rw": "read", "rwmixread": "70"}, {"rw": "read"}),
        ({"rw": "read", "percentile_list": "99"}, {"rw": "read"}),
        ({"rw": "read", "ioengine": "libaio"}, {"rw": "read"}),
        ({"rw": "rw"}, {"rw": "readwrite"}),
        ({"rw": "rw:8"}, {"readwrite": "readwrite:8"}),
        ({"rw": "read", "bs": "4k"}, {"rw": "read", "bs": "4k,4k"}),
        ({"rw": "read", "bs": "64k,4k"}, {"rw": "read", "bs": "64k,,4096"}),
        ({"rw": "read", "bsrange": "4k-64k"}, {"rw": "read", "bsrange": "4096-65536"}),
        ({"rw": "read", "thinktime": "10ms"}, {"rw": "read", "thinktime": "10000"}),
        ({"rw": "read", "rate": "1m,"}, {"rw": "read", "rate": "1024k,0"}),
        (
            {"rw": "read", "steadystate_duration": "1m"},
            {"rw": "read", "ss_dur": "60"},
        ),
        (
            {"rw": "read", "bssplit": "4k/50:64k/50"},
            {"rw": "read", "bssplit": "64K/50:4096/"},
        ),
        (
            {"rw": "randread", "random_distribution": "zipf:1.2"},
            {"rw": "randread", "random_distribution": "zipf:1.20"},
        ),
        *(
            ({"rw": "randrw"}, {"rw": "randrw", name: default})
            for name, default in (
                ("norandommap", "0"),
                ("norandommap", "false"),
                ("random_distribution", "random"),
                ("thinktime", "0"),
                ("end_fsync", "0"),
                ("iodepth_batch", "1"),
                ("iodepth_batch_submit", "1"),
                ("iodepth_batch_complete", "1"),
                ("randrepeat", "true"),
                ("percentage_random", "100"),
                ("rate_iops", "0"),
                ("fsync", "0"),
                ("sync", "0"),
                ("thinktime_blocks", "1"),
                ("rate_process", "linear"),
            )
        ),
        ({"rw": "read", "norandommap": ""}, {"rw": "read", "norandommap": "true"}),
    ],
)
def test_another_spelling_is_the_same_load(
    one: dict[str, str], other: dict[str, str]
) -> None:
    assert differing(one, other) == LoadDifference({}, (True, True), (True, True))


def test_times_sizes_hosts_and_engines_are_part_of_it() -> None:
    rw = {"rw": "read"}
    longer = differing(rw, rw, times=(60, 600))
    assert longer.options == {"runtime": ("1m", "10m")}
    assert (longer.like, longer.as_long) == ((True, True), (True, False))
    assert longer.told == "same load for different times: runtime 1m / 10m"
    whole = '[dut]\nname = "Shelf"\ntarget = ["/dev/a", "/dev/b"]\n'
    hosts = f'{BENCH}[load]\nhosts = ["one", "two"]\n'
    assert differing(rw, rw, benches=(BENCH, whole)).options == {
        "size": ("8g", "all"),
        "targets": ("1", "2"),
    }
    assert differing(rw, rw, benches=(BENCH, hosts)).options == {"hosts": ("1", "2")}
    other = differing(rw, {"test": "write"}, engines=("fio", "iozone"))
    assert other.options == {"engine": ("fio", "iozone")}
    idle = differing({}, {}, engines=("idle", "idle"), times=(10, 60))
    assert not idle.told, "what puts no load on anything ran none"


def test_what_an_engine_takes_by_default_is_no_difference() -> None:
    copies = ("copy", "copy")
    assert not differing({}, {"passes": "1"}, engines=copies).told
    assert differing({}, {"passes": "3"}, engines=copies).options == {
        "passes": ("1", "3")
    }


def test_a_flag_of_an_engine_is_one_however_it_is_spelt() -> None:
    loads = ("iozone", "iozone")
    assert not differing({"I": "true"}, {"I": "1"}, engines=loads).told
    assert not differing({"I": "false"}, {"I": "no"}, engines=loads).told
    told = differing({"I": "true"}, {"I": "0"}, engines=loads).options
    assert told == {"I": ("true", "0")}


@pytest.mark.parametrize("target", ['"/dev/disk/by-id/nvme-*"', '["/a", "/b[12]"]'])
def test_how_many_targets_a_pattern_stood_for_is_not_known(target: str) -> None:
    rw = {"rw": "read"}
    some = f'[dut]\nname = "Shelf"\ntarget = {target}\nsize = "8g"\n'
    named = '[dut]\nname = "Shelf"\ntarget = ["/a", "/b", "/c"]\nsize = "8g"\n'
    assert not differing(rw, rw, benches=(some, named)).options


def test_whether_the_cache_answered_is_part_of_it() -> None:
    plan = step_text(Step("Row", "fio", 60, options={"rw": "read"}))
    rows = [{"engine": "fio", "buffered": value} for value in (0.0, 1.0)]
    found = load_difference([row_load(plan, row, BENCH) for row in rows])
    assert found.options == {"direct": ("1", "0")}


def test_an_import_is_compared_by_what_it_tells() -> None:
    own = {"rw": "read", "bs": "1m"}
    told = {"rw": "read", "bs": "1M", "filename": "/dev/sdx", "time_based": "1"}
    noise = {"log_avg_msec": "100", "ramp_time": "5", "gtod_reduce": "0"}
    found = differing(own, told | noise, imported=True, times=(60, 59.9))
    assert (found.told, found.like) == ("", (True, True))
    deeper = differing(own, told | {"iodepth": "8"}, imported=True)
    assert deeper.options == {"iodepth": ("1", "8")}
    mute = differing({}, {}, engines=("vdbench", "vdbench"), imported=True)
    assert mute.like == (True, None)
    assert mute.told == "not known whether this is the same load"
    some = {"xfersize": "4096"}
    known = differing(
        {"xfersize": "64k"}, some, engines=("vdbench", "vdbench"), imported=True
    )
    assert known.options == {"xfersize": ("64k", "4096")}


def test_a_session_without_the_row_is_no_difference() -> None:
    load = row_load("", {"engine": "fio"}, "")
    assert load_difference([None, load]) == LoadDifference(
        {}, (None, True), (None, True)
    )
    assert not load_difference([]).told
