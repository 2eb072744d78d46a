"""A qtbot with patience: what has to happen may take as long as a machine is busy."""

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import CheckParamsCb, SignalBlocker

PATIENCE_MS = 60_000


class PatientBot(QtBot):
    """A qtbot that gives up after a minute, and not after five seconds.

    A wait ends with what it waits for, so patience costs nothing where all is well.
    """

    def waitUntil(
        self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS
    ) -> None:
        """Wait until the callback gives True, or raises no AssertionError any more.

        Args:
            callback: What is asked again and again.
            timeout: Of the wait, milliseconds.
        """
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(
        self,
        signal: Any,
        *,
        timeout: int = PATIENCE_MS,
        raising: bool | None = None,
        check_params_cb: CheckParamsCb | None = None,
    ) -> SignalBlocker:
        """Wait for a signal, up to the patience; see the base for the arguments."""
        return super().waitSignal(
            signal, timeout=timeout, raising=raising, check_params_cb=check_params_cb
        )

    def waitExposed(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:
        """Wait until a window is shown."""
        return super().waitExposed(widget, timeout=timeout)
