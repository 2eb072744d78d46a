"""Charts as a lab wants them: arranged of a session, kept in a file, in a report."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.operations.sessions.statistics import part_statistics
from app.record.store import Session
from app.report.chart.layout import Arranger, Layout, OwnChart, OwnCurve, quantity_name
from app.report.chart.layout_file import layouts_path, read_layouts, write_layouts
from app.report.chart.maths import Operation
from app.report.chart.panels import session_rows
from app.report.chart.plot import plots_of, range_of
from app.report.chart.svg import chart_svg
from instruments.errors import BadInput
from instruments.reading import Channel
from tests.app.ui.sample import write_sample

POWER = OwnCurve(("mains.P",))
PER_DATA = OwnCurve(("mains.P",), Operation.RATIO, ("fio.read_bw",))
FAN = OwnCurve(("enclosure.fan.fan1",))
WORK = Layout(
    "Work",
    (
        OwnChart(panel="Temperature"),
        OwnChart("Energy per data", curves=(PER_DATA, POWER)),
        OwnChart(panel="Active power", curves=(FAN,)),
        OwnChart("Calm", panel="Noise", without=("LAFmax",)),
    ),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layouts")
    return write_sample(folder / "one.bayscope", step_s=6, silence=False)


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with Session.open(path) as found:
        yield found


@pytest.fixture
def arranger(session: Session) -> Arranger:
    return Arranger(session, session_rows(session))


def test_charts_stand_in_the_order_of_the_layout(arranger: Arranger) -> None:
    found = arranger.arrange(WORK)
    assert [row.panels[0].title for row in found.rows] == [
        "Temperature",
        "Energy per data",
        "Active power",
        "Calm",
    ]
    assert found.places == (0, 1, 2, 3)
    assert found.lacking == ()
    # One that nobody changed still offers what else its row has.
    assert len(found.rows[0].panels) > 1
    assert len(found.rows[2].panels) == 1
    (level,) = found.rows[3].panels[0].curves
    assert level.label == "LAeq"


def test_a_second_unit_has_the_axis_at_the_right(arranger: Arranger) -> None:
    panel = arranger.arrange(WORK).rows[1].panels[0]
    assert (panel.unit, panel.right_unit) == ("J/GB", "W")
    assert panel.simulated
    assert [one.colour for one in panel.curves] == [0, 1]
    assert panel.curves[1].label == "Active power"


def test_what_is_computed_is_called_by_the_charts_of_its_channels(
    arranger: Arranger,
) -> None:
    pairs = (
        (PER_DATA, "Active power / Throughput: Read"),
        (replace(POWER, operation=Operation.MEAN, seconds=5), "mean of 5 s"),
        (replace(POWER, operation=Operation.SUM), "Sum of Active power"),
    )
    for own, label in pairs:
        curve = arranger.curve(own)
        assert label in curve.label
        assert "mains" not in curve.label
        assert "mains.P" in curve.key  # what the same curve of another session has


def test_channels_are_called_by_their_charts(arranger: Arranger) -> None:
    names = [arranger.name_of(one) for one in arranger.channels]
    assert {
        "Active power",
        "Voltage",
        "Temperature: Slot 07",
        "Temperature: Inlet",
        "Fans: Fan 3",
        "Throughput: Read",
        "Noise: LAFmax",
    } <= set(names)
    assert len(set(names)) == len(names)


def test_a_third_unit_is_refused_and_the_rest_is_shown(arranger: Arranger) -> None:
    chart = OwnChart("Much", curves=(POWER, FAN, OwnCurve(("noise.LAeq",))))
    found = arranger.arrange(Layout("", (chart,)))
    assert len(found.rows[0].panels[0].curves) == 2
    (said,) = found.lacking
    assert "third axis" in said
    twice = OwnChart("Twice", curves=(POWER, POWER))
    assert len(arranger.arrange(Layout("", (twice,))).lacking) == 1


def test_what_a_session_lacks_is_said_and_the_rest_shown(arranger: Arranger) -> None:
    away = OwnCurve(("mains9.P",))
    layout = Layout(
        "Other bench",
        (
            OwnChart(panel="Pressure"),
            OwnChart("Nothing", curves=(away,)),
            OwnChart("Some", curves=(away, POWER)),
            OwnChart("No size", curves=(OwnCurve(("mains.P",), Operation.PER_TB),)),
        ),
    )
    found = arranger.arrange(layout)
    assert [row.name for row in found.rows] == ["Some"]
    assert found.places == (2,)
    assert len(found.lacking) == 3
    for word, said in zip(
        ("Pressure", "mains9.P", "terabyte"), found.lacking, strict=True
    ):
        assert word in said


def test_two_charts_of_one_row_have_names_of_their_own(arranger: Arranger) -> None:
    charts = (OwnChart(panel="Active power"), OwnChart(panel="Power factor λ"))
    found = arranger.arrange(Layout("", charts))
    assert [row.name for row in found.rows] == ["Power", "Power 2"]
    assert [row.panels[0].title for row in found.rows][1] == "Power factor λ"


def test_charts_are_changed_moved_and_deleted() -> None:
    added = WORK.with_chart(len(WORK.charts), OwnChart("New"))
    assert added.charts[-1].name == "New"
    assert [one.name for one in added.without_chart(4).charts] == [
        one.name for one in WORK.charts
    ]
    assert WORK.moved(0, 1).charts[1] == WORK.charts[0]
    assert WORK.moved(0, -1) == WORK
    assert WORK.moved(3, 9) == WORK


def test_layouts_come_back_from_their_file_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "deeper" / "layouts.toml"
    odd = OwnCurve(("a.b",), Operation.MEAN, seconds=7.5, label='"\\ = [x]\n€')
    layouts = [WORK, Layout("[[odd]]", (OwnChart('t"', curves=(odd,)),))]
    assert read_layouts(file) == []
    write_layouts(layouts, file)
    assert read_layouts(file) == layouts


@pytest.mark.parametrize(
    "text",
    [
        "layout = 3",
        '[[layout]]\nname = ""',
        '[[layout]]\nname = "a"\n[[layout]]\nname = "a"',
        '[[layout]]\nname = "a"\n[[layout.chart]]\nwithout = ["x"]',
        '[[layout]]\nname = "a"\n[[layout.chart]]\ntitle = "t"\ncolour = 3',
        '[[layout]]\nname = "a"\n[[layout.chart]]\ntitle = "t"\n'
        '[[layout.chart.curve]]\nchannels = ["a", "b"]',
        '[[layout]]\nname = "a"\n[[layout.chart]]\ntitle = "t"\n'
        '[[layout.chart.curve]]\nchannels = ["a"]\noperation = "cube"',
        "[[layout",
    ],
)
def test_a_file_that_nobody_understands_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "layouts.toml"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_layouts(file)
    assert str(file) in str(caught.value)


def test_report_and_statistics_take_a_saved_layout(path: Path) -> None:
    write_layouts([WORK, replace(WORK, name="Other")])
    assert layouts_path().exists()
    with Session.open(path) as session:
        plots = plots_of(session, 300, ["layout:Work"])
        with pytest.raises(BadInput):
            plots_of(session, 300, ["layout:Play"])
    assert [plot.title for plot in plots] == [
        "Temperature",
        "Energy per data",
        "Active power",
        "Calm",
    ]
    both = plots[1]
    assert [curve.side for curve in both.curves] == [0, 1]
    assert range_of(both, 0) != range_of(both, 1)
    assert "right: W" in both.heading
    assert "(right)" in chart_svg(both)
    _, lines, _ = part_statistics(path, "Sequential read 4M", titles=["layout:Work"])
    ratio = next(one for one in lines if one.curve.scale.unit == "J/GB")
    assert ratio.found is not None
    assert ratio.name.startswith("Energy per data: ")
    # 412 W and a part of 185 W more, for 2600 MB/s.
    assert 200 < ratio.found.mean * 1e9 < 230


def test_statistics_say_what_a_session_lacks_of_a_layout(path: Path) -> None:
    size = OwnCurve(("mains.P",), Operation.PER_TB)
    write_layouts([Layout("Sizes", (OwnChart("Size", curves=(size, POWER)),))])
    _, lines, note = part_statistics(path, titles=["layout:Sizes"])
    assert len(lines) == 1
    assert "terabytes" in note
    assert "Sizes" in note


def test_channels_of_two_units_are_refused_by_their_names(arranger: Arranger) -> None:
    own = OwnCurve(("mains.P", "mains.U"), Operation.SUM)
    with pytest.raises(BadInput) as refused:
        arranger.curve(own)
    assert refused.value.what == '"Active power" is in W, "Voltage" in V'


@pytest.mark.parametrize(
    ("quantity", "location", "name"),
    [
        ("I_peak_max", "", "Highest current"),
        ("U_range", "", "Voltage range"),
        ("P_h3", "2", "Harmonic 3 of P: 2"),
        ("memory_available", "", "Memory available"),
        ("disk_read_iops", "sda", "Disk read IOPS: Sda"),
        ("cpu_busy", "core07", "CPU busy: Core 07"),
        ("read_bw", "", "Read throughput"),
        ("_", "", "_"),
    ],
)
def test_it_is_called_by_what_it_measures(
    quantity: str, location: str, name: str
) -> None:
    assert quantity_name(Channel("any", quantity, "W", location)) == name
