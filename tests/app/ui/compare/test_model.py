"""Two report tables as one item model."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from app.analysis.compare import Difference
from app.analysis.significance import Judged, Judgement
from app.operations.sessions.compare import compare_sessions
from app.ui.compare.model import PARTS_ROLE, CompareModel, Parts, parts_of
from instruments.metric import BY_NAME

HORIZONTAL = Qt.Orientation.Horizontal
TIP = Qt.ItemDataRole.ToolTipRole


def test_the_model_keeps_the_rules(recorded: Path, qtmodeltester: ModelTester) -> None:
    model = CompareModel()
    qtmodeltester.check(model)
    paths = [recorded / "first.bayscope", recorded / "second.bayscope"]
    model.set_comparison(compare_sessions(paths))
    qtmodeltester.check(model)
    assert model.labels[1] == "Sequential write 4M"
    heads = [model.headerData(n, HORIZONTAL) for n in range(4)]
    assert heads == ["Workload", "Power\n(W)", "IOPS", "Bandwidth\n(MB/s)"]
    assert model.headerData(3, HORIZONTAL, TIP).startswith("Bandwidth (MB/s): A / B")
    assert model.index(1, 0).data() == "Sequential write 4M"
    cell = model.index(1, 3)
    assert cell.data() == "2100.0 / 2310.0 (+210.0  +10.0 %, of one run each)"
    parts = Parts(("2100.0", "2310.0"), "+210.0  +10.0 %", "of one run each")
    assert cell.data(PARTS_ROLE) == parts
    assert cell.data(TIP) == (
        "Sequential write 4M, Bandwidth (MB/s): A 2100.0, B 2310.0, "
        "B - A +210.0  +10.0 %, of one run each"
    )
    assert model.index(0, 3).data() == ""
    assert model.index(0, 3).data(PARTS_ROLE) is None
    last = model.columnCount() - 1
    assert model.headerData(last, HORIZONTAL) == "Verdict"
    assert model.index(1, last).data() == "PASS / PASS"


def test_a_thin_value_has_its_star() -> None:
    thin = Difference(BY_NAME["power_w"], (400.0, 410.0), (False, True))
    assert parts_of(thin).values == ("400.0", "410.0*")


def test_what_is_equal_has_no_sign() -> None:
    same = Difference(BY_NAME["power_w"], (412.04, 412.04))
    assert parts_of(same).change == "0.0"
    near = Difference(BY_NAME["power_w"], (412.01, 412.04))
    assert parts_of(near).change == "+0.03  +0.0073 %"


def test_a_difference_has_its_uncertainty_and_says_where_it_may_be_none() -> None:
    judged = Judged(Judgement.NOT_DISTINGUISHABLE, 1.25, 0.3)
    near = Difference(BY_NAME["power_w"], (400.0, 401.0), judged=(judged,))
    parts = parts_of(near)
    assert parts.lines == ("+1.0 ± 1.25", "not distinguishable")
    assert parts.told == "A 400.0, B 401.0, B - A +1.0 ± 1.25, not distinguishable"
    found = Judged(Judgement.DISTINGUISHABLE, 0.25, 0.001)
    apart = Difference(BY_NAME["power_w"], (400.0, 401.0), judged=(found,))
    assert parts_of(apart).lines == ("+1.0 ± 0.25  +0.2 %", "distinguishable")


def test_degrees_and_decibels_have_no_percentage() -> None:
    warmer = Difference(BY_NAME["drive_max_c"], (40.0, 44.0))
    assert parts_of(warmer).change == "+4.0"


def test_what_one_session_lacks_is_a_dash() -> None:
    half = Difference(BY_NAME["iops"], (None, 4021.0))
    assert str(parts_of(half)) == "- / 4021"
    assert parts_of(Difference(BY_NAME["iops"], (0.0, 5.0))).change == "+5"
