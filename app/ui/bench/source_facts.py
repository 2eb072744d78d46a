"""What is known of a source of the bench, as lines of a name and a text; no Qt."""

from datetime import date, datetime

from app.ui.bench.source_list import SourceLine
from instruments.base import DUT
from instruments.driver import HOST
from instruments.tools.secrets import variable

Fact = tuple[str, str, str]
"""Name, text, and the colour token of the text."""


def facts_of(line: SourceLine, today: date | None = None) -> list[Fact]:
    """Write what a person wants to know of a source.

    Args:
        line: The source, checked or not.
        today: The day to count the age of a calibration from.
    """
    config, check = line.config, line.check
    facts: list[Fact] = [("Driver", config.driver.title, "text")]
    if line.identity:
        facts.append(("Identity", line.identity, "text"))
    firmware = check.identity.firmware if check and check.identity else ""
    if firmware:
        facts.append(("Firmware", firmware, "text"))
    address = (check.address if check else "") or config.address
    if address:
        facts.append(("Address", address, "text"))
    if config.host:
        facts.append(("Tools run on", config.host, "text"))
    elif HOST in config.driver.options:
        facts.append(("Tools run on", "this machine", "text"))
    if config.measures != DUT:
        facts.append(("Measures", config.measures, "text"))
    if config.ignore:
        facts.append(("Left out", ", ".join(config.ignore), "text"))
    period = config.keys.get("period")
    if period:
        facts.append(("Read every", f"{period:g} s", "text"))
    if check is not None and check.poll_s:
        facts.append(("One reading took", _duration(check.poll_s), "text"))
    facts.append(_calibration(config.calibrated, config.calibration_days, today))
    if config.driver.secret:
        facts.append(_password(line))
    return facts


def _duration(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"{milliseconds} ms" if milliseconds else "less than 1 ms"


def _calibration(day: date | None, valid: int, today: date | None) -> Fact:
    if day is None:
        return "Calibrated", "not said", "muted"
    age = ((today or datetime.now().astimezone().date()) - day).days
    if age < 0:
        return "Calibrated", f"{day}, which is still to come", "warn"
    text = f"{day}, {age} day{'s' if age != 1 else ''} ago"
    if age > valid:
        return "Calibrated", f"{text}: due again since {age - valid}", "warn"
    return "Calibrated", text, "text"


def _password(line: SourceLine) -> Fact:
    known = line.check.password if line.check else ""
    if known == "known":
        return "Password", "known, kept outside the bench", "text"
    if known == "missing":
        place = variable(line.config.name)
        return "Password", f"missing: Password..., or the variable {place}", "warn"
    return "Password", f"needed: {line.config.driver.secret}", "text"
