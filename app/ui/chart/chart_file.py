"""The charts over time as they are seen: copied, or saved as SVG, PNG or CSV."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QWidget

from app.ui.chart.chart import Chart
from app.ui.kit.background import Background
from app.ui.kit.messages import tell
from instruments.files.foreign_text import cell
from instruments.files.whole_file import save_file

_FILTERS = {
    "Picture that scales (*.svg)": ".svg",
    "Picture of points (*.png)": ".png",
    "Data that is shown (*.csv)": ".csv",
}
_HEAD = ("chart", "unit", "curve", "seconds", "mean", "low", "high")


def source_of(chart: Chart) -> str:
    """Say which sessions and which stretch of time a picture is of."""
    said = [
        f"{layer.name} {layer.session.path.name}, {layer.session.info.name}, "
        f"sha256 {layer.session.sha256() or 'not finished'}".strip()
        for layer in chart.layers
    ]
    left, right = chart.visible_range
    return "; ".join([*said, f"{left:.3f} s to {right:.3f} s"])


def png_of(chart: Chart) -> bytes:
    """Paint what is seen, with what it is of written into the picture."""
    image: QImage = chart.plots.grab().toImage()
    image.setText("Source", source_of(chart))
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(content.data())


def svg_of(chart: Chart) -> bytes:
    """Draw what is seen as lines and letters."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(chart.plots.size())
    generator.setViewBox(chart.plots.rect())
    generator.setTitle("Bayscope")
    generator.setDescription(source_of(chart))
    painter = QPainter(generator)
    chart.plots.render(painter, QPoint())
    painter.end()
    return bytes(content.data())


def csv_of(chart: Chart) -> bytes:
    """Write the points of every visible curve in what is shown."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEAD)
    writer.writerows(_lines(chart))
    return out.getvalue().encode()


def _lines(chart: Chart) -> Iterator[tuple[str, ...]]:
    left, right = chart.visible_range
    for plot in chart.rows:
        for drawn in plot.drawn:
            line = drawn.line
            if line is None or not drawn.is_seen:
                continue
            unit = drawn.curve.scale.unit
            names = map(str, (plot.panel.title, unit, drawn.entry.label))
            head = tuple(str(cell(name)) for name in names)
            for n in np.flatnonzero((line.x >= left) & (line.x <= right)):
                # Of means of many samples nobody knows what lay between them.
                ends = (
                    (line.low[n], line.high[n]) if line.has_extremes else (np.nan,) * 2
                )
                values = (line.mean[n], *ends)
                known = ("" if not np.isfinite(v) else f"{v:.9g}" for v in values)
                yield *head, f"{line.x[n]:.6f}", *known


def copy_chart(chart: Chart) -> None:
    """Put the picture on the clipboard."""
    QGuiApplication.clipboard().setImage(chart.plots.grab().toImage())


def save_chart(chart: Chart, parent: QWidget, background: Background) -> None:
    """Ask for a file, and let the charts be written as its ending says."""
    first = chart.layers[0].session.path
    name, words = QFileDialog.getSaveFileName(
        parent,
        "Save the charts",
        str(first.with_name(f"{first.stem}-charts.svg")),
        ";;".join(_FILTERS),
    )
    if not name:
        return
    path = Path(name)
    if path.suffix not in _FILTERS.values():
        path = path.with_name(f"{path.name}{_FILTERS.get(words, '.svg')}")
    make = {".svg": svg_of, ".png": png_of, ".csv": csv_of}[path.suffix]
    content = make(chart)
    background.run(
        lambda: save_file(path, content),
        lambda _: tell(parent, f"Saved {path}."),
        lasting=True,
    )
