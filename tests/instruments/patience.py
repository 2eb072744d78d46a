"""More time for answers in tests whose simulators share a busy machine with them."""

import pytest

from instruments.simulated.client import LineClient

ANSWER_S = 4.0


def wait_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let drivers of power meters and simulated sources wait longer for an answer.

    A meter answers within milliseconds; a simulator that is not given the processor
    for two seconds does not.
    """
    for module in ("connect", "discovery"):
        monkeypatch.setattr(f"instruments.power.{module}.TIMEOUT_S", ANSWER_S)
    monkeypatch.setattr(LineClient.__init__, "__defaults__", ("", ANSWER_S))
    monkeypatch.setattr("instruments.simulated.faults.LATE_S", ANSWER_S + 0.5)
