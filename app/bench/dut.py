"""The device under test as the table [dut] of a bench describes it."""

from pathlib import Path

from app.bench.model import Dut, round_size
from app.plan.toml_table import TomlTable
from instruments.errors import BadInput
from instruments.sizes import parse_size
from instruments.thermal.layout import parse_layout
from workloads.guard.device import is_device


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
    targets = _targets(table)
    if "size" not in table.values and is_device(targets[0]):
        size = 0  # the whole disk
    dut = Dut(
        name=table.text("name"),
        targets=tuple(targets),
        size=size,
        model=table.text("model", ""),
        drives=table.integer("drives", 0),
        layout=_layout(table),
        capacity_tb=table.number("capacity_tb", 0.0),
        net_capacity_tb=table.number("net_capacity_tb", 0.0),
        usable_capacity_tb=table.number("usable_capacity_tb", 0.0),
        enclosure_w=table.number("enclosure_w", 0.0),
        price=table.number("price", 0.0),
        ambient=_ambient(table),
        mains_voltage=table.number("mains_voltage", 0.0),
    )
    table.finish()
    _check_capacity(table, "usable_capacity_tb", "net_capacity_tb")
    _check_capacity(table, "net_capacity_tb", "capacity_tb")
    return dut


def _check_capacity(table: TomlTable, part: str, whole: str) -> None:
    """Check that a capacity is not more than what it is a part of."""
    values = table.values
    if part in values and whole in values and values[part] > values[whole]:  # type: ignore[operator]
        table.fail(
            part,
            f"{part} is {values[part]:g} TB, more than {whole}, {values[whole]:g} TB",
            f"Expected at most {values[whole]:g}.",
        )


def _layout(table: TomlTable) -> str:
    """Read `layout`; a file of one may be on another machine."""
    text = table.text("layout", "")
    if text and not text.endswith(".toml"):
        try:
            parse_layout(text)
        except BadInput as error:
            table.fail("layout", error.what, error.way_out)
    return text


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
                "(a check of the bench shows them).",
            )
    return tuple(names)


def _targets(table: TomlTable) -> list[Path]:
    """Read `target`: one name, or a list of names and patterns."""
    is_list = isinstance(table.values.get("target"), list)
    names = table.texts("target") if is_list else [table.text("target")]
    if not names or not all(name.strip() for name in names):
        expected = "Expected names of files or disks in quotes."
        table.fail("target", "target has an empty list or name", expected)
    paths = []
    for name in names:
        try:
            paths.append(Path(name).expanduser())
        except RuntimeError:
            table.fail("target", f'target is "{name}"', "There is no such home folder.")
    return paths
