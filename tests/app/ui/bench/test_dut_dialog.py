"""Describing a bench: the device under test, its scratch file, its bays."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench, parse_bench
from app.bench.model import Bench
from app.ui.bench.dut_dialog import DutDialog
from app.ui.bench.target.picker import TargetPicker
from app.ui.kit.context import Context
from tests.app.ui.dialogs import once_open
from tests.workloads.guard.loops import loop


class Maker:
    """Makes the dialog."""

    def __init__(self, qtbot: QtBot, context: Context) -> None:
        self._qtbot = qtbot
        self._context = context

    def make(self, bench: Bench | None) -> DutDialog:
        dialog = DutDialog(bench, self._context)
        self._qtbot.addWidget(dialog)
        dialog.show()
        return dialog


@pytest.fixture
def maker(qtbot: QtBot, context: Context) -> Maker:
    return Maker(qtbot, context)


def test_a_new_bench_needs_a_device(maker: Maker) -> None:
    dialog = maker.make(None)
    dialog.accept()
    assert not dialog.result()
    assert "missing" in dialog.fields["name"].mistake.text()
    dialog.fields["name"].set_value("JBOD 60-bay")
    dialog.fields["drives"].set_value(60)
    dialog.fields["layout"].set_value("4x15")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.sources == ()
    assert dialog.bench.dut.drives == 60
    assert 'target = "~/Bayscope/scratch.dat"' in dialog.bench.text


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("size", "1k", "at least 16m"),
        ("size", "large", "not a size"),
        ("layout", "round", 'no layout "round"'),
        ("target", "~nobody-at-all/x", "home folder"),
    ],
)
def test_mistakes_stand_below_their_field(
    maker: Maker, key: str, text: str, said: str
) -> None:
    dialog = maker.make(default_bench())
    dialog.fields[key].set_value(text)
    dialog.accept()
    assert dialog.bench is None
    assert said in dialog.fields[key].mistake.text()


def test_a_bench_keeps_its_sources_and_its_spelling(maker: Maker) -> None:
    bench = default_bench()
    dialog = maker.make(bench)
    dialog.fields["model"].set_value("X-60")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.dut.model == "X-60"
    assert dialog.bench.sources[0].name == bench.sources[0].name
    assert dialog.bench.dut.targets[0] == bench.dut.targets[0]


def test_a_disk_may_be_used_as_a_whole(maker: Maker, tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as device:
        for bench in (default_bench(), None):
            dialog = maker.make(bench)
            dialog.fields["name"].set_value("Disk")
            dialog.fields["target"].set_value(device)
            dialog.fields["size"].set_value("")
            dialog.accept()
            assert dialog.bench is not None
            assert dialog.bench.dut.size == 0
            assert dialog.bench.dut.targets[0] == Path(device)
            again = maker.make(dialog.bench)
            assert again.fields["size"].value() is None


def test_a_scratch_file_needs_a_size(maker: Maker) -> None:
    dialog = maker.make(default_bench())
    dialog.fields["size"].set_value("")
    dialog.accept()
    assert dialog.bench is None
    assert "needs a size" in dialog.fields["size"].mistake.text()


def test_the_picker_fills_in_what_was_chosen(maker: Maker, tmp_path: Path) -> None:
    dialog = maker.make(default_bench())

    def choose(picker: TargetPicker) -> None:
        picker.file.path.setText(str(tmp_path / "scratch.dat"))
        picker.file.amount.setText("32m")
        picker.accept()

    once_open(TargetPicker, choose)
    dialog._aim()
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.dut.targets[0] == tmp_path / "scratch.dat"
    assert dialog.bench.dut.size == 2**25


def test_capacity_and_price_are_said_and_what_has_no_field_stays(
    maker: Maker,
) -> None:
    text = default_bench().text.replace(
        "drives = 60", 'drives = 60\nambient = "enclosure.temperature.inlet"'
    )
    dialog = maker.make(parse_bench(text, "bench.toml"))
    assert dialog.fields["price_per_kwh"].value() == 0.3
    dialog.fields["capacity_tb"].set_value(1080.0)
    dialog.fields["price_per_kwh"].set_value(0.25)
    dialog.fields["currency"].set_value("CHF")
    dialog.accept()
    bench = dialog.bench
    assert bench is not None
    assert bench.dut.capacity_tb == 1080
    assert bench.dut.ambient == ("enclosure.temperature.inlet",)
    assert (bench.cost.price_per_kwh, bench.cost.currency) == (0.25, "CHF")
    assert bench.cost.pue == 1.3
    again = maker.make(bench)
    assert again.fields["capacity_tb"].value() == 1080
    again.fields["price_per_kwh"].set_value(None)
    again.accept()
    assert again.bench is not None
    assert again.bench.cost.price_per_kwh is None
    new = maker.make(None)
    new.fields["name"].set_value("JBOD")
    new.accept()
    assert new.bench is not None
    assert "[cost]" not in new.bench.text
