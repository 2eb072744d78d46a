"""The device under test from its table in bench.toml."""

from pathlib import Path

from app.bench.model import Dut, round_size
from app.plan.toml_table import TomlTable
from instruments.errors import BadInput
from workloads.guard.device import is_device
from workloads.sizes import parse_size


def parse_dut(table: TomlTable) -> Dut:
    """Read [dut]; raises BadInput."""
    size_text = table.values.get("size", "1g")
    table.text("size", "1g") if isinstance(size_text, str) else table.integer("size")
    try:
        size = round_size(parse_size(str(size_text)))
    except BadInput as error:
        table.fail("size", f'size is "{size_text}"', error.way_out)
    except ValueError:
        table.fail("size", f'size is "{size_text}"', 'Expected a size such as "64g".')
    path, *more = _targets(table)
    if "size" not in table.values and is_device(path):
        size = 0  # the whole disk
    dut = Dut(
        name=table.text("name"),
        target=path,
        more=tuple(more),
        size=size,
        model=table.text("model", ""),
        drives=table.integer("drives", 0),
        layout=table.text("layout", ""),
        capacity_tb=table.number("capacity_tb", 0.0),
        ambient=_ambient(table),
    )
    table.finish()
    return dut


def _ambient(table: TomlTable) -> tuple[str, ...]:
    """Read `ambient`: one channel, or a list of them, by their whole names."""
    if "ambient" not in table.values:
        return ()
    is_list = isinstance(table.values["ambient"], list)
    names = table.texts("ambient") if is_list else [table.text("ambient")]
    for name in names:
        if ".temperature" not in name:
            table.fail(
                "ambient",
                f'ambient is "{name}"',
                'Expected the name of a temperature, such as "shelf.temperature.inlet" '
                "(bayscope check shows them).",
            )
    return tuple(names)


def _targets(table: TomlTable) -> list[Path]:
    """Read `target`: one name, or a list of names and patterns."""
    is_list = isinstance(table.values.get("target"), list)
    names = table.texts("target") if is_list else [table.text("target")]
    if not names or not all(name.strip() for name in names):
        expected = "Expected names of files or disks in quotes."
        table.fail("target", "target has an empty list or name", expected)
    found = []
    for name in names:
        try:
            found.append(Path(name).expanduser())
        except RuntimeError:
            table.fail("target", f'target is "{name}"', "There is no such home folder.")
    return found
