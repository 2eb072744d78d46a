"""The window as a screen reader and the Tab key find it, page by page."""

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from jeepney import DBusErrorResponse
from PIL import ImageChops

from app.ui.window.pages import PAGES
from tests.accessible_tree import AccessibleTree, Control, Ref
from tests.app.ui.sample import write_sample
from tests.virtual_display import VirtualDisplay
from workloads.engines import LOADS

pytestmark = pytest.mark.xvfb

_KEY = re.compile(r"[a-z0-9]+([._][a-z0-9]+)+")
_ITEMS = ("list item", "table cell", "page tab", "column header", "menu item", "label")
_MOST = 200
_AGAIN = 4
"""So many in turn that had the focus before: Tab has come round. A list and an item of
it may be told in turns."""


@pytest.fixture
def tree() -> Iterator[AccessibleTree]:
    found = AccessibleTree()
    yield found
    found.close()


def settled(tree: AccessibleTree, program: Ref) -> list[Control]:
    """Look until twice the same is there."""
    before: list[Control] = []
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(DBusErrorResponse):
            now = list(tree.controls(program))
            if now == before:
                return now
            before = now
    raise TimeoutError("the window did not come to rest")


def is_operated(one: Control) -> bool:
    """Tell whether it is a control of its own, which Tab goes to.

    Of the pages it goes to the one that is shown, and arrow keys to the others.
    """
    is_page = one.name in [page.name for page in PAGES] and not one.is_checked
    return one.is_focusable and one.role not in _ITEMS and not is_page


def wrongly_named(found: list[Control]) -> list[str]:
    """List what has no name, or is called by a key that no engine has."""
    wrong = []
    for one in found:
        name = one.name
        is_key = _KEY.fullmatch(name) and name.partition(".")[0] not in LOADS
        if not name or name != name.strip() or is_key:
            wrong.append(f'{one.role} "{name}"')
    return wrong


def tabbed(
    display: VirtualDisplay, tree: AccessibleTree, wanted: set[Ref]
) -> tuple[set[Ref], list[Ref]]:
    """Press Tab until it comes round.

    Returns:
        What had the focus, of what is wanted; and at which of it nothing was seen.
    """
    reached: set[Ref] = set()
    unseen: list[Ref] = []
    seen: set[Ref] = set()
    known = 0
    last: Ref | None = None
    before = display.screenshot()
    with tree.focus() as heard:
        for _ in range(_MOST):
            display.xdotool("key", "Tab")
            chain = tree.next_focus(heard, last)
            last = chain[0]
            # It is told before it is painted.
            after = display.screenshot()
            painted = time.monotonic() + 60
            while after == before and time.monotonic() < painted:
                time.sleep(0.02)
                after = display.screenshot()
            if ImageChops.difference(before, after).getbbox() is None:
                unseen.append(chain[0])
            before = after
            reached |= wanted.intersection(chain)
            known = known + 1 if chain[0] in seen else 0
            seen.add(chain[0])
            if known > _AGAIN:
                break
    return reached, unseen


def test_every_control_has_a_name_and_is_reached_by_tab(
    display: VirtualDisplay, tree: AccessibleTree, home: Path
) -> None:
    folder = home / "Bayscope"
    folder.mkdir()
    for name in ("one", "two"):
        write_sample(folder / f"{name}.bayscope", step_s=4, name=name)
    environment = tree.environment(display.environment())
    wrong: list[str] = []
    with subprocess.Popen([sys.executable, "-m", "app"], env=environment) as window:
        try:
            program = tree.program()
            display.wait_for_active("Bayscope")
            for page in PAGES:
                display.xdotool("key", page.keys.lower())
                tree.wait_for_checked(program, page.name)
                found = [one for one in settled(tree, program) if is_operated(one)]
                wrong += [f"{page.name}: {told}" for told in wrongly_named(found)]
                wanted = {one.ref: one for one in found if one.is_enabled}
                reached, unseen = tabbed(display, tree, set(wanted))
                lost = [wanted[ref] for ref in wanted.keys() - reached]
                wrong += [
                    f'{page.name}: Tab passes over {one.role} "{one.name}"'
                    for one in lost
                ]
                by_ref = {one.ref: f'{one.role} "{one.name}"' for one in found}
                wrong += [
                    f"{page.name}: focus is not seen at {by_ref.get(ref, ref)}"
                    for ref in unseen
                ]
        finally:
            window.terminate()
    assert not wrong, "\n".join(wrong)
