"""[guard] of a bench: disks that may be armed, and a write budget."""

import pytest

from app.bench.file import parse_bench
from app.bench.guard import Guard
from app.bench.model import Bench
from instruments.errors import BadInput


def bench(guard: str, target: str = "/tmp/x", more: str = "") -> Bench:
    text = f'name = "b"\n[dut]\nname = "d"\ntarget = "{target}"\n{more}{guard}'
    return parse_bench(text, "bench.toml")


def test_a_bench_says_what_its_loads_may_do() -> None:
    found = bench('[guard]\nallow = ["Z1", "Z2"]\nwrite_budget = "10t"\n').guard
    assert found == Guard(("Z1", "Z2"), 10 * 2**40)
    assert bench("").guard == Guard()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[guard]\nwrite_budget = "lots"\n', 'write_budget is "lots"'),
        ("[guard]\nwrite_budget = 10\n", "write_budget"),
        ('[guard]\nallow = "Z1"\n', "allow"),
        ('[guard]\nallows = ["Z1"]\n', "allows"),
    ],
)
def test_mistakes_are_named(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        bench(text)


def test_a_disk_is_used_whole_unless_a_size_is_given() -> None:
    disk = "/dev/disk/by-id/wwn-0x5000"
    assert bench("", disk).dut.size == 0
    assert bench("", disk, 'size = "1g"\n').dut.size == 2**30
    assert bench("").dut.size == 2**30
    assert parse_bench(bench("", disk).text, "again").dut.size == 0
