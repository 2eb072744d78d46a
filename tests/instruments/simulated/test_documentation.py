"""The page on the simulated bench names all there is."""

import re
from pathlib import Path

import pytest

from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.enclosure import EnclosurePort
from instruments.simulated.faults import NAMES
from instruments.simulated.meters.hmc8015 import HMC8015

PAGE = (Path(__file__).parents[3] / "docs" / "simulated-bench.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_fault_has_its_row(name: str) -> None:
    assert f"\n| `{name}` | " in PAGE


def test_every_line_of_the_enclosure_is_named() -> None:
    port = EnclosurePort(BenchModel(BenchConfig()))
    assert len(port.headers) >= 12
    for header in port.headers:
        assert f"`{header}" in PAGE, header


def test_every_named_question_is_answered() -> None:
    port = EnclosurePort(BenchModel(BenchConfig()))
    rows = re.findall(r"^\| `((?:\*|[A-Z])\S*?)[? ].*$", PAGE, re.MULTILINE)
    assert len(rows) >= 8
    asked = [header for header in rows if header != "SIMulate:SLOT"]
    for header in asked:
        assert not port.handle(header.split(",")[0] + "?").startswith("ERROR"), header


def test_the_identity_is_quoted() -> None:
    assert HMC8015 in PAGE
