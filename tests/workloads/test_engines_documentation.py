"""docs/engines.md has every engine and every option, with its default."""

from pathlib import Path

import pytest

from workloads.copy import job as file_copy_job
from workloads.engines import LOADS
from workloads.iozone import job as iozone_job
from workloads.options import EngineOption
from workloads.setup import options as setup_options
from workloads.vdbench import options as vdbench_options
from workloads.warp import job as warp_job

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text("utf-8")
JOBS = {
    "copy": file_copy_job.OPTIONS,
    "iozone": iozone_job.OPTIONS,
    "vdbench": vdbench_options.OPTIONS,
    "warp": warp_job.OPTIONS,
    "mkfs": setup_options.MKFS,
    "zpool": setup_options.ZPOOL,
}


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


def default(option: EngineOption) -> str:
    if option.default:
        return f"`{option.default}`"
    return "required" if option.required else ""
