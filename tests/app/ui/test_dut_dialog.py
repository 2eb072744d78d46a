"""Describing a bench: the device under test, its scratch file, its bays."""
# mypy: disallow-untyped-calls=False

import pytest
from pytestqt.qtbot import QtBot

from app.bench import default_bench
from app.ui.dut_dialog import DutDialog


def test_a_new_bench_needs_a_device(qtbot: QtBot) -> None:
    dialog = DutDialog(None)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.accept()
    assert not dialog.result()
    assert "missing" in dialog.fields["name"]._mistake.text()
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
        ("size", "large", "no size"),
        ("layout", "round", 'no layout "round"'),
        ("target", "~nobody-at-all/x", "home folder"),
    ],
)
def test_mistakes_stand_below_their_field(
    qtbot: QtBot, key: str, text: str, said: str
) -> None:
    dialog = DutDialog(default_bench())
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.fields[key].set_value(text)
    dialog.accept()
    assert dialog.bench is None
    assert said in dialog.fields[key]._mistake.text()


def test_a_bench_keeps_its_sources_and_its_spelling(qtbot: QtBot) -> None:
    bench = default_bench()
    dialog = DutDialog(bench)
    qtbot.addWidget(dialog)
    dialog.fields["model"].set_value("X-60")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.dut.model == "X-60"
    assert dialog.bench.sources[0].name == bench.sources[0].name
    assert dialog.bench.dut.target == bench.dut.target
