"""The windows of figures in a chart, and the samples that count."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.operations.sessions.explaining import explained
from app.ui.chart.marked import marked
from app.ui.session.cell_layers import cell_layers
from app.ui.session.record import open_record
from instruments.reading import SECOND
from tests.app.ui.session.sessions_page import write


def test_each_session_has_its_own_marks(tmp_path: Path) -> None:
    record = open_record(write(tmp_path))
    try:
        found = explained(record.path, "Idle", "power_w").found
        layers = cell_layers({"A": record, "B": record}, {"A": found, "B": found})
        assert [(one.name, one.lane) for one in layers] == [("A", 0), ("B", 1)]
        marks = marked(layers, [found])
        assert [(one.start, one.end, one.layer) for one in marks.spans] == [
            (0.0, 10.0, "A"),
            (0.0, 10.0, "B"),
        ]
        line = marks.samples["B", "mains.P"]
        [samples] = found.samples
        assert np.array_equal(line.mean, samples.values)
        assert line.x[0] == pytest.approx((samples.times[0] - 5 * SECOND) / SECOND)
        assert not marked(layers, []).spans
    finally:
        record.close()


def test_what_is_of_no_samples_has_the_first_row_of_charts(tmp_path: Path) -> None:
    record = open_record(write(tmp_path))
    try:
        found = explained(record.path, "Idle", "quality").found
        found = replace(found, samples=())
        [layer] = cell_layers({"": record}, {"": found})
        assert layer.rows == record.layer.rows[:1]
        assert layer.origin == record.layer.origin
    finally:
        record.close()
