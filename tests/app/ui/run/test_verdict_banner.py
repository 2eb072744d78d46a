"""The verdict of a step moves nothing of what is below it while a run goes on."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.record.store import StepRow
from app.ui.kit.context import Context
from app.ui.run.verdict_banner import VerdictBanner

LONG = "power_w is 12.3 W, and the limit is that it is at most 9 W. " * 20


def ended(label: str, verdict: str, reason: str = "") -> StepRow:
    return StepRow(1, 1, label, "idle", "", 1, None, None, 2, "DONE", verdict, reason)


@pytest.fixture
def banner(qtbot: QtBot, context: Context) -> VerdictBanner:
    found = VerdictBanner(context)
    qtbot.addWidget(found)
    found.resize(700, 60)
    return found


@pytest.mark.parametrize(
    "show",
    [
        lambda one: one.show_steps([ended("Random read 4k", "PASS")]),
        lambda one: one.show_steps([ended("Random read 4k", "FAIL", LONG)]),
        lambda one: one.show_steps([ended("Random read " * 30, "ERROR", "a\nb")]),
    ],
    ids=["pass", "long reason", "long label"],
)
def test_it_keeps_its_height_from_step_to_step(
    banner: VerdictBanner, qtbot: QtBot, show: Callable[[VerdictBanner], None]
) -> None:
    banner.show_steps(())
    qtbot.waitExposed(banner)
    assert banner.isVisible()
    before = banner.sizeHint().height()
    show(banner)
    assert banner.sizeHint().height() == before
    assert not banner.hasHeightForWidth() or (
        banner.heightForWidth(700) <= max(before, banner.height())
    )


def test_what_was_not_clean_says_so_at_once_and_at_the_end(
    banner: VerdictBanner,
) -> None:
    step = ended("Random read 4k", "PASS")
    banner.show_steps([step], {step.id: ", not clean"})
    assert banner.word.text() == "PASS, not clean"
    banner.show_steps([step])
    assert banner.word.text() == "PASS"
    banner.show_end("PASS", [step], "", {step.id})
    assert banner.word.text() == "PASS, not clean"


def test_all_reasons_of_a_step_are_in_its_tip(banner: VerdictBanner) -> None:
    banner.show_steps([ended("Random read 4k", "FAIL", LONG)])
    told = "".join(banner.name.toolTip().split())
    assert told == "".join(f"Random read 4k: {LONG}".split())
