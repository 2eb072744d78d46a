"""Changing a bench's text: sources come and go, comments and order stay."""

from pathlib import Path

import pytest

from app.bench.edit import new_bench, put_dut, put_source, remove_source, save_bench
from app.bench.file import default_bench, load_bench
from instruments.errors import BadInput

RESOURCE = "TCPIP::192.0.2.5::5025::SOCKET"
METER = {"name": "feed-b", "driver": "hmc8015", "resource": RESOURCE}


def test_a_source_is_added_beside_the_others() -> None:
    before = default_bench()
    after = put_source(before, "power", METER)
    assert [s.name for s in after.sources] == ["mains", "feed-b", "enclosure", "noise"]
    assert after.sources[1].address == RESOURCE
    assert after.sources[1].keys["current_range"] == 10.0
    assert before.text.split("\n")[0] in after.text
    assert 'current_range = 10\n\n[[power]]\nname = "feed-b"' in after.text
    assert f'resource = "{RESOURCE}"\n\n[[thermal]]' in after.text


def test_the_device_under_test_becomes_another_one() -> None:
    before = default_bench()
    keys = {"name": "JBOD", "target": "~/scratch.dat", "size": "2g", "layout": "2x12"}
    after = put_dut(before, "Lab 3", keys)
    assert (after.name, after.dut.name, after.dut.size) == ("Lab 3", "JBOD", 2 * 2**30)
    assert after.dut.layout == "2x12"
    assert after.dut.drives == 0
    assert 'target = "~/scratch.dat"' in after.text
    assert [source.name for source in after.sources] == [
        source.name for source in before.sources
    ]
    with pytest.raises(BadInput, match="size"):
        put_dut(before, "Lab 3", {**keys, "size": "1k"})


def test_a_section_of_its_own_is_begun() -> None:
    bench = new_bench("Lab", "Drive", Path("scratch.dat"), 2**30)
    assert bench.sources == ()
    more = put_source(bench, "power", {"driver": "hmc8015", "resource": RESOURCE})
    assert [source.name for source in more.sources] == ["power"]
    assert 'size = "1g"\n\n[[power]]' in more.text


def test_a_source_is_replaced_where_it_stands() -> None:
    bench = put_source(default_bench(), "power", METER, instead_of="mains")
    assert [s.name for s in bench.sources] == ["feed-b", "enclosure", "noise"]
    assert "voltage_range" not in bench.text


def test_a_source_is_removed() -> None:
    bench = remove_source(default_bench(), "noise")
    assert [source.name for source in bench.sources] == ["mains", "enclosure"]
    assert "[[noise]]" not in bench.text
    assert "[cost]" in bench.text
    with pytest.raises(BadInput, match='no source "noise"'):
        remove_source(bench, "noise")


def test_what_would_be_a_mistake_is_refused() -> None:
    bench = default_bench()
    with pytest.raises(BadInput, match="is used twice"):
        put_source(bench, "power", {**METER, "name": "mains"})
    with pytest.raises(BadInput, match="resource is missing"):
        put_source(bench, "power", {"name": "x", "driver": "hmc8015"})


def test_a_saved_bench_is_read_back(tmp_path: Path) -> None:
    bench = put_source(default_bench(), "power", METER)
    path = tmp_path / "lab.toml"
    save_bench(bench, path)
    assert load_bench(path).sources == bench.sources
    assert [file.name for file in tmp_path.iterdir()] == ["lab.toml"]
    with pytest.raises(BadInput, match="cannot be written"):
        save_bench(bench, path / "lab.toml")
