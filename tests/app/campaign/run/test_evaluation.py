"""Where the window of a step ends that has a ramp-down."""

import pytest

from app.campaign.run.evaluation import without_ramp_down
from instruments.errors import BadInput
from instruments.reading import SECOND


def test_a_ramp_down_is_cut_off_a_window() -> None:
    window = (10 * SECOND, 20 * SECOND)
    assert without_ramp_down(window, 1.5) == (10 * SECOND, round(18.5 * SECOND))
    assert without_ramp_down(window, 0) == window
    with pytest.raises(BadInput, match="cannot be cut off 10 s"):
        without_ramp_down(window, 10)
