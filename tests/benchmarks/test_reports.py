"""The benchmark of reports; here on next to nothing."""

from pathlib import Path

import pytest

from tests.benchmarks import reports


@pytest.mark.slow
def test_every_format_has_its_lines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reports, "SECONDS", 400)
    monkeypatch.setattr(reports, "STEPS", 2)
    monkeypatch.setattr(reports, "TARGETS", {"md": None})
    figures = reports.reports(tmp_path)
    assert [one.what for one in figures] == [
        "report, md",
        "report, md, wall",
        "report, md, memory",
    ]
    text = (tmp_path / "out" / "day.md").read_text()
    assert "Random read 8k" in text
    assert "## Results" in text
