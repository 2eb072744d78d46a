"""What can be begun with: templates, own files, the last ones."""

from pathlib import Path

from app.operations.editing.templates import (
    OWN,
    RECENT,
    SHIPPED,
    list_templates,
    own_folder,
)

TEXT = 'name = "Mine"\n[[step]]\nlabel = "Rest"\nengine = "idle"\nruntime = "1s"\n'


def test_the_templates_that_ship_have_no_mistake() -> None:
    found = list_templates()
    assert found[0].name.startswith("Demo")
    assert {one.group for one in found} == {SHIPPED}
    assert [one.error for one in found] == [""] * len(found)
    assert all(one.campaign and one.campaign.description for one in found)


def test_what_a_run_costs_is_told_in_a_word() -> None:
    losses = {
        template.name.partition(":")[0]: template.loss for template in list_templates()
    }
    assert losses["JBOD power"] == "switches power off"
    assert losses["Functional check of an enclosure"] == "read-only"
    assert losses["Demo"] == "overwrites data"
    assert losses["Object storage"] == "empties bucket"


def test_own_files_and_the_last_ones_come_first(tmp_path: Path, home: Path) -> None:
    assert own_folder().is_relative_to(home)
    own_folder().mkdir(parents=True)
    mine, broken = own_folder() / "mine.toml", own_folder() / "broken.toml"
    mine.write_text(TEXT)
    broken.write_text("name = ")
    last, gone = tmp_path / "last.toml", tmp_path / "gone.toml"
    last.write_bytes(b"\xff")
    found = [
        template for template in list_templates([gone, last, mine]) if template.path
    ]
    assert [(one.group, one.name) for one in found] == [
        (RECENT, "last"),
        (OWN, "broken"),
        (OWN, "Mine"),
    ]
    assert "not UTF-8" in found[0].error
    assert "not TOML" in found[1].error
    assert found[2].campaign is not None
