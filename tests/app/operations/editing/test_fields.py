"""What a form shows of a step."""

from app.operations.editing.fields import groups, other_keys
from instruments.settings import Kind
from workloads.fio.options.catalogue import Catalogue, Choice, FioOption, ValueKind


def test_keys_that_nobody_knows_are_not_hidden() -> None:
    step = {
        "label": "x",
        "engine": "idle",
        "limits": ["power_w < 1"],
        "novel": 3,
        "table": {"deep": {"key": True}},
    }
    assert other_keys(step, "idle") == [("novel",), ("table", "deep", "key")]


def test_fio_options_come_from_the_fio_that_is_here() -> None:
    buffered = FioOption(
        "zero_buffers", ValueKind.FLAG, help="Init IO buffers to zeroes", default="0"
    )
    words = FioOption(
        "rate_process", ValueKind.CHOICE, choices=(Choice("linear"), Choice("poisson"))
    )
    named = {one.name: one for one in (buffered, words)}
    found = groups("fio", Catalogue("fio-3.33", named))
    fields = {field.path[-1]: field for group in found for field in group.fields}
    assert fields["rw"].shown
    assert fields["zero_buffers"].option.kind is Kind.FLAG
    assert fields["zero_buffers"].option.default is False
    assert fields["rate_process"].option.choices == ("linear", "poisson")
    assert "thinktime_spin" not in fields
    assert "thinktime_spin" in {
        f.path[-1] for group in groups("fio") for f in group.fields
    }


def test_the_usual_options_stand_in_groups_with_their_ranges() -> None:
    mixed = FioOption("rwmixread", ValueKind.INTEGER, low=0, high=100, default="50")
    words = (Choice("libaio", "Linux native asynchronous IO"), Choice("cpuio"))
    engine = FioOption("ioengine", ValueKind.CHOICE, choices=words)
    hooks = FioOption("exec_prerun")
    more = FioOption("thinktime_spin", ValueKind.DURATION)
    known = {one.name: one for one in (mixed, engine, hooks, more)}
    catalogue = Catalogue("fio-3.33", known)
    found = [group for group in groups("fio", catalogue) if group.table == "fio"]
    assert [group.title for group in found if group.is_folded] == [
        "Pattern",
        "Rate",
        "Data",
        "Flushing",
    ]
    names = [field.path[-1] for group in found for field in group.fields]
    assert len(names) == len(set(names))
    assert [(f.path[-1], f.shown) for f in found[-1].fields] == [
        ("thinktime_spin", False)
    ]
    fields = {field.path[-1]: field for group in found for field in group.fields}
    assert fields["rwmixread"].option.expected == "a whole number from 0 to 100"
    assert "Left out, it is 50." in fields["rwmixread"].option.explained
    assert fields["ioengine"].option.words[0] == "Linux native asynchronous IO"
    assert "exec_prerun" not in fields
