"""What the store knows of sources, whenever they come in."""

from pathlib import Path

from app.record.store import Session, Writer
from instruments.reading import Identity
from tests.app.record.recording import INFO


def test_a_late_simulator_labels_the_session_and_keeps_its_config(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, INFO)
    writer.set_session(simulated=False)
    writer.add_source("mains", "power", "hmc8015", None, "current_range = 10")
    identity = Identity("m", "HMC8015", "SIM1", "f", "a", simulated=True)
    writer.add_source("mains", "power", "hmc8015", identity, "")
    writer.finish()
    with Session.open(path) as session:
        assert session.info.simulated
        [source] = session.sources()
        assert source.config == "current_range = 10"
        assert source.serial == "SIM1"


def test_what_a_source_measures_is_kept_when_it_is_described_anew(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, INFO)
    writer.add_source("head", "power", "hmc8015", None, measures="server")
    writer.add_source("head", "power", "hmc8015", None)
    writer.add_source("mains", "power", "hmc8015", None)
    writer.finish()
    with Session.open(path) as session:
        assert [source.measures for source in session.sources()] == ["server", "dut"]
