"""The layouts of a lab, one TOML file beside the user's other settings."""

from collections.abc import Sequence
from pathlib import Path

import platformdirs
import tomlkit

from app.plan.toml_file import read_toml
from app.plan.toml_table import TomlTable
from app.record.store import Session
from app.report.chart.layout import Arranged, Arranger, Layout, OwnChart, OwnCurve
from app.report.chart.maths import Operation
from app.report.chart.panels import session_rows
from instruments.errors import BadInput
from instruments.files.whole_file import save_file
from instruments.settings import did_you_mean

PREFIX = "layout:"
"""Before the name of a layout where titles of charts are expected."""

_NAME = "layouts.toml"


def layouts_path() -> Path:
    """Get the file that holds them."""
    return platformdirs.user_config_path("bayscope", appauthor=False) / _NAME


def read_layouts(path: Path | None = None) -> list[Layout]:
    """Read all layouts; none where there is no file.

    Raises:
        BadInput: The file cannot be read, or says what nobody understands.
    """
    file = path or layouts_path()
    if not file.exists():
        return []
    _, top = read_toml(file)
    found: dict[str, Layout] = {}
    for table in top.tables("layout"):
        name = table.text("name")
        if name in found or not name.strip():
            table.fail(
                "name", f'name is "{name}"', "Each layout has a name of its own."
            )
        charts = tuple(_chart(one) for one in table.tables("chart"))
        table.finish()
        found[name] = Layout(name, charts)
    top.finish()
    return list(found.values())


def _chart(table: TomlTable) -> OwnChart:
    chart = OwnChart(
        table.text("title", ""),
        table.text("panel", ""),
        tuple(table.texts("without")),
        tuple(_curve(one) for one in table.tables("curve")),
    )
    if not chart.name.strip():
        table.fail("title", "it has neither title nor panel", "Expected one of them.")
    table.finish()
    return chart


def _curve(table: TomlTable) -> OwnCurve:
    operation = table.choice("operation", ("", *Operation), "")
    channels = tuple(table.texts("channels"))
    if not channels or (not operation and len(channels) > 1):
        table.fail(
            "channels",
            "channels has none" if not channels else "it has several channels",
            "Expected one name, or an operation on several.",
        )
    curve = OwnCurve(
        channels,
        Operation(operation) if operation else None,
        tuple(table.texts("over")),
        table.number("seconds", 0.0),
        table.text("label", ""),
    )
    table.finish()
    return curve


def write_layouts(layouts: Sequence[Layout], path: Path | None = None) -> None:
    """Write all layouts; those that were there go.

    Raises:
        BadInput: They cannot be written.
    """
    file = path or layouts_path()
    content = {"layout": [_layout_table(one) for one in layouts]}
    save_file(file, tomlkit.dumps(content).encode())


def _layout_table(layout: Layout) -> dict[str, object]:
    charts = []
    for chart in layout.charts:
        said = {
            "title": chart.title,
            "panel": chart.panel,
            "without": [*chart.without],
            "curve": [_curve_table(one) for one in chart.curves],
        }
        charts.append({key: value for key, value in said.items() if value})
    return {"name": layout.name, "chart": charts}


def _curve_table(curve: OwnCurve) -> dict[str, object]:
    said = {
        "channels": [*curve.channels],
        "operation": str(curve.operation or ""),
        "over": [*curve.over],
        "seconds": curve.seconds,
        "label": curve.label,
    }
    return {key: value for key, value in said.items() if value}


def saved_layout(session: Session, name: str) -> Arranged:
    """Get the charts of a saved layout, and what a session lacks for it.

    Raises:
        BadInput: There is no such layout, or the file is not readable.
    """
    known = {one.name: one for one in read_layouts()}
    if name not in known:
        names = ", ".join(f'"{one}"' for one in known)
        raise BadInput(
            f'there is no layout "{name}"{did_you_mean(name, known)}',
            where=str(layouts_path()),
            way_out=f"It has {names}." if names else "Save one in the window first.",
        )
    return Arranger(session, session_rows(session)).arrange(known[name])
