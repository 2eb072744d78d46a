"""A qtbot with patience: what has to happen may take as long as a machine is busy."""

import time
from collections.abc import Callable
from typing import Any

from pytestqt.exceptions import TimeoutError as TooLateError
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
        # Asked every 10 ms at first; the longer it lasts, the more rarely: each time
        # costs a third of a millisecond and what the callback looks at.
        begin, found = time.monotonic(), _found(callback)
        while found is not None:
            waited = 1000 * (time.monotonic() - begin)
            if waited > timeout:
                raise TooLateError(f"not so within {timeout} milliseconds") from found
            self.wait(round(min(50, max(10, waited / 20))))
            found = _found(callback)

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


def _found(callback: Callable[[], bool | None]) -> Exception | None:
    """Get why something is not so yet, if it is not."""
    try:
        so = callback()
    except AssertionError as error:
        return error
    if so not in (None, True, False):
        raise ValueError(f"neither asserted nor a boolean: {so!r}")
    return None if so in (None, True) else AssertionError("it is not so")
