"""Channels on their way from a list to a chart."""

from collections.abc import Iterable

from PySide6.QtCore import QByteArray, QMimeData

CHANNELS = "application/x-bayscope-channels"
"""What is dragged: their names, a line each."""


def drag_of(names: Iterable[str]) -> QMimeData:
    """Pack names of channels."""
    data = QMimeData()
    data.setData(CHANNELS, QByteArray("\n".join(names).encode()))
    return data


def channels_in(data: QMimeData) -> list[str]:
    """Unpack names of channels."""
    text = bytes(data.data(CHANNELS).data()).decode(errors="replace")
    return [name for name in text.split("\n") if name]
