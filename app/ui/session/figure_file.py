"""A figure as the window shows it: copied, or saved as SVG, PNG or CSV."""

from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMimeData,
    QRectF,
    QStringListModel,
    Qt,
)
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.operations.sessions.figure import figure_csv, write_figure
from app.report.figures.figure import Figure
from app.ui.kit.background import Background
from app.ui.kit.messages import tell
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
    data = _for_the_clipboard()
    data.setImageData(picture_of(svg, figure.source))
    data.setData("image/svg+xml", QByteArray(svg.encode()))
    data.setText("\n".join("\t".join(line) for line in figure.lines()))
    QGuiApplication.clipboard().setMimeData(data)


def _for_the_clipboard() -> QMimeData:
    """Have Qt make what the clipboard is to hold.

    It may be destroyed after the end of Python, as on a computer without a screen, and
    the destructor of one that we make asks Python for its wrapper, which crashes.
    """
    model = QStringListModel([""])
    data = model.mimeData([model.index(0)])
    data.clear()
    return data


def ask_and_save(
    figure: Figure, svg: str, folder: Path, parent: QWidget, background: Background
) -> None:
    """Ask for a file, and let the figure be written as its ending says."""
    name = "".join(c if c.isalnum() or c in " -" else "-" for c in figure.title)[:80]
    chosen, words = QFileDialog.getSaveFileName(
        parent,
        "Save the figure",
        str(folder / f"{one_line(name).strip() or 'figure'}.svg"),
        ";;".join(_FILTERS),
    )
    if not chosen:
        return
    path = Path(chosen)
    if path.suffix not in _FILTERS.values():
        path = path.with_name(f"{path.name}{_FILTERS.get(words, '.svg')}")
    content = _content(figure, svg, path)
    background.run(
        lambda: write_figure(figure, path, content),
        lambda _: tell(parent, f"Saved {path}."),
        lasting=True,
    )


def _content(figure: Figure, svg: str, path: Path) -> bytes:
    """Write a figure, as it is drawn on the screen or as its data."""
    if path.suffix == ".png":
        return png_of(picture_of(svg, figure.source))
    return (figure_csv(figure) if path.suffix == ".csv" else svg).encode()
