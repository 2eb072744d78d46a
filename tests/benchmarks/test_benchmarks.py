"""The benchmarks run and print a table; here on next to nothing."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.window.main_window import MainWindow
from instruments.errors import BadInput
from instruments.reading import SECOND
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import opening, others, starting, writing
from tests.benchmarks.bench_data import streams
from tests.benchmarks.command import measured
from tests.benchmarks.window import (
    clicking,
    comparing,
    lengths,
    library,
    live,
    staying,
    zooming,
)


def test_the_bench_is_the_reference_one() -> None:
    made = streams()
    assert len(made) == 67
    assert sum(len(stream.channels) for stream in made) == 400
    rates = [len(one.channels) * SECOND / one.period_ns for one in made]
    assert sum(rates) == 370


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make measures here, where they can be made small."""

    def here(do: Callable[..., object], *args: object) -> object:
        return do(*args)

    for module in (benchmarks, clicking, comparing, lengths, library, staying, zooming):
        monkeypatch.setattr(module, "apart", here)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.slow
def test_every_measure_has_its_lines(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(writing, "INGEST_S", 0.05)
    monkeypatch.setattr(writing, "BATCH", 2000)
    monkeypatch.setattr(writing, "SIZE_S", 60)
    monkeypatch.setattr(writing, "PACED_S", 1)
    monkeypatch.setattr(opening, "SAMPLES", 370 * 800)
    monkeypatch.setattr(opening, "ROUNDS", 1)
    monkeypatch.setattr(opening, "POINTS", 30)
    monkeypatch.setattr(opening, "_forget", lambda _: "not cold at all")
    arguments = ["--dir", str(tmp_path), "ingest", "size", "paced", "opening"]
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    benchmarks.main()
    printed = capsys.readouterr().out
    for line in (
        *("ingest", "file", "written to disk", "commit, median"),
        *("open + overviews, cold", "open + overviews, warm"),
    ):
        assert f"\n{line} " in printed


@pytest.mark.slow
def test_a_measure_is_made_in_a_process_of_its_own(tmp_path: Path) -> None:
    words = ("-m", "tests.benchmarks", "seals", "--dir", str(tmp_path))
    printed = subprocess.check_output([sys.executable, *words], text=True)
    [first] = [line for line in printed.splitlines() if line.startswith("seal  ")]
    assert float(first.split()[1]) > 0


@pytest.mark.slow
def test_the_start_is_measured_to_the_first_frame(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(starting, "ROUNDS", 1)
    frame = starting.starting(tmp_path)[-1]
    assert frame.what == "first frame of the window"
    assert float(frame.value) > 0


_WITHOUT = """
import subprocess
import sys
from collections.abc import Callable
from app.ui import check_qt
check_qt()
import app.ui.window.application
from app.bench.file import default_bench
default_bench()
later = ("email", "scipy", "asyncssh", "pysnmp", "httpx", "weasyprint")
later += ("pyqtgraph", "numpy")
print(*[name for name in later if name in sys.modules])
"""


def test_the_window_is_imported_without_what_the_first_frame_does_not_need() -> None:
    command = [sys.executable, "-c", _WITHOUT]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert not done.stdout.split()


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.slow
def test_a_click_is_measured_to_the_painted_curves(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    qapp: QApplication,
) -> None:
    small = (("one", 370 * 60), ("two", 370 * 90))
    monkeypatch.setattr(clicking, "SESSIONS", small)
    click = QTest.mouseClick

    def late(viewport: QWidget, *rest: object) -> None:
        """Paint what is shown once more before the click has done anything."""
        click(viewport, *rest)  # type: ignore[call-overload]
        window = viewport.window()
        assert isinstance(window, MainWindow)
        window.pages.sessions.page.pane.chart.painted.emit()

    monkeypatch.setattr(QTest, "mouseClick", late)
    monkeypatch.setattr(clicking, "ROUNDS", 1)
    monkeypatch.setattr(clicking, "COLD_ROUNDS", 1)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--dir", str(tmp_path), "window"])
    benchmarks.main()
    printed = capsys.readouterr().out
    for name in ("one", "two"):
        assert f"\nclick to curves, {name}" in printed
        assert f"\nclick to hash checked, {name}" in printed
    assert "\nmemory of the window" in printed


@pytest.mark.usefixtures("in_this_process", "qapp")
@pytest.mark.slow
def test_sessions_are_compared_panned_and_zoomed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(comparing, "SAMPLES", 370 * 60)
    monkeypatch.setattr(comparing, "COUNTS", (2,))
    monkeypatch.setattr(comparing, "ROUNDS", 1)
    monkeypatch.setattr(zooming, "CURVES", ((3, 33),))
    monkeypatch.setattr(zooming, "LONG_S", 600)
    monkeypatch.setattr(zooming, "DRAG_S", 1.0)
    monkeypatch.setattr(lengths, "SAMPLES", (370 * 900,))
    monkeypatch.setattr(lengths, "ROUNDS", 1)
    for name, first in (
        ("compare", "2 sessions of 40 M to curves"),
        ("zooming", "pan, 3 curves, frame p99"),
        ("lengths", "zoom to 10 minutes, 0 M"),
    ):
        place = tmp_path / name
        place.mkdir()
        figures = measured(benchmarks.MEASURES[name], place)
        assert figures[0].what == first
        assert all(float(one.value) > 0 for one in figures)


@pytest.mark.usefixtures("qapp")
@pytest.mark.slow
def test_a_run_is_watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(live, "SETTLE_S", 1.0)
    monkeypatch.setattr(live, "WATCH_S", 2.0)
    redraws, *_ = live.live(tmp_path)
    assert float(redraws.value) > 0
    assert "400 channels recorded, 63 curves" in redraws.how


@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.usefixtures("in_this_process", "qapp")
def test_a_library_is_listed_and_searched_in_the_window(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(library, "SESSIONS", 60)
    monkeypatch.setenv("XDG_CACHE_HOME", "")  # the measure sets it; put back after
    figures = {one.what: one for one in library.library(tmp_path)}
    assert float(figures["window, first index"].value) > 0
    assert "60 sessions" in figures["window, search"].how


@pytest.mark.qt_log_ignore("propagateSizeHints")
@pytest.mark.usefixtures("in_this_process", "qapp")
def test_sessions_are_opened_in_turn_and_replayed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(staying, "SAMPLES", 370 * 300)
    monkeypatch.setattr(staying, "COUNT", 2)
    monkeypatch.setattr(staying, "REPLAY_S", 1.0)
    grown, _, redraws, *_ = staying.staying(tmp_path)
    assert "1 files open" in grown.how
    assert float(redraws.value) > 0


def test_ticks_are_written_and_loaded_as_others_do(tmp_path: Path) -> None:
    [mains] = [one for one in streams() if one.channels[0].source == "mains"]
    ticks = tmp_path / "ticks.npz"
    wide = mains.beside_itself(3)
    others.make_ticks(ticks, wide, 30)
    own = others.bayscope(ticks, wide, tmp_path)
    assert own.keys() == {"write_s", "write_wall_s", "load_s", "load_wall_s", "bytes"}
    assert all(own.values())


def test_unknown_measures_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "weight"])
    with pytest.raises(BadInput, match="there is no measure weight"):
        benchmarks.main()
