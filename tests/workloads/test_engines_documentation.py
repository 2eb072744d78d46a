"""docs/engines.md has every engine and every option, with its default."""

from pathlib import Path

import pytest

from instruments.settings import Option, written
from workloads.engines import LOADS

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text("utf-8")
JOBS = {name: engine.options for name, engine in LOADS.items() if engine.options}


def test_every_engine_is_described() -> None:
    assert set(JOBS) == set(LOADS) - {"fio"}
    for name in LOADS:
        assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("engine", JOBS)
def test_every_option_is_described_with_its_default(engine: str) -> None:
    chapter = PAGE.split(f"\n## {engine}\n")[1].split("\n## ")[0]
    rows = [line for line in chapter.splitlines() if line.startswith("| `")]
    assert [row.split("|")[1].strip(" `") for row in rows] == [
        option.key for option in JOBS[engine]
    ]
    for option, row in zip(JOBS[engine], rows, strict=True):
        assert default(option) == row.split("|")[2].strip()
        assert option.help in row


def default(option: Option) -> str:
    if option.default is not None:
        return f"`{written(option.default)}`"
    return "required" if option.required else ""
