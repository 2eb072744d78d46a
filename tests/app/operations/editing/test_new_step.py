"""New steps of every engine."""

import pytest

from app.operations.editing.fields import other_keys
from app.operations.editing.new_step import new_step, title_of
from app.plan.campaign import parse_campaign
from app.plan.edit import NEW, insert
from app.plan.step import ENGINES


@pytest.mark.parametrize("engine", ENGINES)
def test_a_new_step_of_every_engine_has_no_mistake(engine: str) -> None:
    text = insert(NEW, "step", 1, new_step(engine, "Mine"))
    step = parse_campaign(text, "new").steps[1]
    assert (step.label, step.engine) == ("Mine", engine)
    assert other_keys(new_step(engine, "Mine"), engine) == []
    assert title_of(engine)
