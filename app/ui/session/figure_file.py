"""A figure as the window shows it: copied, or saved as SVG, PNG or CSV."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.operations.sessions.figure import figure_csv, write_figure
from app.report.figures.figure import Figure
from instruments.errors import one_line

_SCALE = 2
"""Pixels of a saved picture for each one on the screen."""

_FILTERS = {
    "Picture that scales (*.svg)": ".svg",
    "Picture of points (*.png)": ".png",
    "Data (*.csv)": ".csv",
}


def picture_of(svg: str, source: str) -> QImage:
    """Paint an SVG; what it was made of is written into the picture."""
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    size = renderer.defaultSize() * _SCALE
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    image.setText("Source", source)
    return image


def png_of(image: QImage) -> bytes:
    """Write a picture as PNG."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(content.data())


def copy_figure(figure: Figure, svg: str) -> None:
    """Put the picture on the clipboard, with its data as text."""
    data = QMimeData()
    data.setImageData(picture_of(svg, figure.source))
    data.setData("image/svg+xml", QByteArray(svg.encode()))
    data.setText("\n".join("\t".join(line) for line in figure.lines()))
    QGuiApplication.clipboard().setMimeData(data)


def ask_and_save(figure: Figure, svg: str, folder: Path, parent: QWidget) -> None:
    """Ask for a file, and write the figure as its ending says.

    Raises:
        BadInput: It cannot be written.
    """
    name = "".join(c if c.isalnum() or c in " -" else "-" for c in figure.title)[:80]
    chosen, words = QFileDialog.getSaveFileName(
        parent,
        "Save the figure",
        str(folder / f"{one_line(name).strip() or 'figure'}.svg"),
        ";;".join(_FILTERS),
    )
    if chosen:
        path = Path(chosen)
        if path.suffix not in _FILTERS.values():
            path = path.with_name(f"{path.name}{_FILTERS.get(words, '.svg')}")
        save_figure(figure, svg, path)


def save_figure(figure: Figure, svg: str, path: Path) -> None:
    """Write a figure, as it is drawn on the screen or as its data.

    Raises:
        BadInput: It cannot be written.
    """
    if path.suffix == ".png":
        content = png_of(picture_of(svg, figure.source))
    else:
        is_data = path.suffix == ".csv"
        content = (figure_csv(figure) if is_data else svg).encode()
    write_figure(figure, path, content)
