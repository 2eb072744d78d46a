"""Ranges of a meter for single steps: a label that no step has would do nothing."""

from difflib import get_close_matches

from app.bench.model import Bench
from app.plan.campaign import Campaign
from instruments.errors import BadInput
from instruments.power.step_ranges import STEP_RANGES


def check_step_ranges(campaign: Campaign, bench: Bench) -> None:
    """Check that every step with ranges of its own is in the campaign.

    A step that is switched off is one of it, too.

    Raises:
        BadInput: There is no step with such a label, so that it would be measured on
            ranges that were not meant for it.
    """
    steps = (*campaign.steps, *(step for _, step in campaign.runs))
    labels = list(dict.fromkeys(step.label for step in steps))
    for source in bench.sources:
        written = source.keys.get(STEP_RANGES.key)
        for text in written if isinstance(written, list | tuple) else ():
            label = str(text).partition("=")[0].strip()
            if label not in labels:
                close = get_close_matches(label, labels, 1, 0.6)
                meant = f'Did you mean "{close[0]}"? ' if close else ""
                raise BadInput(
                    f'step_ranges names "{label}", and the campaign has no such step',
                    where=source.name,
                    way_out=f"{meant}Its steps are {', '.join(labels)}.",
                )
