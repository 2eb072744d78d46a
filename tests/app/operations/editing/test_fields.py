"""What a form shows of a step."""

import pytest

from app.operations.editing.fields import groups, other_keys
from instruments.settings import Kind


def test_keys_that_nobody_knows_are_not_hidden() -> None:
    step = {
        "label": "x",
        "engine": "idle",
        "limits": ["power_w < 1"],
        "novel": 3,
        "table": {"deep": {"key": True}},
    }
    assert other_keys(step, "idle") == [("novel",), ("table", "deep", "key")]


def test_fio_options_have_fios_own_types_and_words() -> None:
    found = groups("fio")
    fields = {field.path[-1]: field for group in found for field in group.fields}
    assert fields["rw"].shown
    assert fields["zero_buffers"].option.kind is Kind.FLAG
    assert fields["zero_buffers"].option.default is False
    assert fields["rate_process"].option.choices == ("linear", "poisson")
    assert fields["blockalign"].path == ("fio", "blockalign")
    # One that only a newer fio has can be asked for all the same.
    assert "thinkcycles" in fields
    assert not fields["thinkcycles"].shown


def test_the_usual_options_stand_in_groups_with_their_ranges() -> None:
    found = [group for group in groups("fio") if group.table == "fio"]
    assert [group.title for group in found if group.is_folded] == [
        "Pattern",
        "Rate",
        "Data",
        "Flushing",
    ]
    names = [field.path[-1] for group in found for field in group.fields]
    assert len(names) == len(set(names))
    assert ("thinktime_spin", False) in [
        (f.path[-1], f.shown) for f in found[-1].fields
    ]
    fields = {field.path[-1]: field for group in found for field in group.fields}
    assert fields["rwmixread"].option.expected == "a whole number from 0 to 100"
    assert "Default: 50." in fields["rwmixread"].option.explained
    assert fields["ioengine"].option.words[0] == "Linux native asynchronous IO"
    assert "exec_prerun" not in fields
    assert "ba" not in fields  # it is blockalign


@pytest.mark.parametrize(
    ("engine", "roles"),
    [
        ("idle", ["idle", "off", "background", "calibration"]),
        ("fio", ["load", "saturation"]),
        ("cooldown", []),
    ],
)
def test_a_form_offers_the_roles_that_an_engine_can_have(
    engine: str, roles: list[str]
) -> None:
    fields = [f for group in groups(engine) for f in group.fields]
    found = [f.option.choices for f in fields if f.path == ("role",)]
    assert [str(choice) for choices in found for choice in choices] == roles
