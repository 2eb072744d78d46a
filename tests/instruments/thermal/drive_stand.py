"""Drives for tests: fake lsblk, smartctl and sg_logs that replay what was captured."""

import json
from pathlib import Path

from tests.instruments.thermal.rooted import RootedHost, tool

FIXTURES = Path(__file__).parents[2] / "fixtures"

_REPLAY = """
for node in "$@"; do :; done
[ "$1" = --version ] && {{ echo "{version}"; exit 0; }}
dir={folder}/${{node##*/}}
echo "+ $*" >> {folder}/{name}.calls
[ -f "$dir/trouble" ] && . "$dir/trouble"
[ -f "$dir/{name}" ] && cat "$dir/{name}"
code=0
[ -f "$dir/{name}.code" ] && code=$(cat "$dir/{name}.code")
echo "-" >> {folder}/{name}.calls
exit "$code"
"""
_VERSIONS = {
    "smartctl": "smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local build)",
    "sg_logs": "version: 1.86 20210409",
}


class Drives:
    """What drives a machine of a test has."""

    def __init__(self, host: RootedHost, bin_folder: Path, folder: Path) -> None:
        self.host = host
        self.bin_folder = bin_folder
        self.folder = folder
        self._rows: list[dict[str, object]] = []
        folder.mkdir()
        tool(bin_folder, "lsblk", f"cat {folder}/lsblk.json\n")
        for name, version in _VERSIONS.items():
            script = _REPLAY.format(folder=folder, name=name, version=version)
            tool(bin_folder, name, script)
        self._write()

    def add(self, name: str, kind: str = "scsi", **told: object) -> Path:
        """Plug a drive in; returns the folder with what its tools print."""
        row = {
            "name": name,
            "type": "disk",
            "tran": {"scsi": "sas", "sat": "sas", "nvme": "nvme"}[kind],
            "vendor": {"scsi": "SEAGATE ", "sat": "ATA     ", "nvme": None}[kind],
            "model": "MODEL",
            "serial": f"S{name.upper()}",
            "wwn": None,
            "size": 4000787030016,
        }
        self._rows.append(row | told)
        self._write()
        place = self.folder / name
        place.mkdir()
        return place

    def remove(self, name: str) -> None:
        """Pull a drive out."""
        self._rows = [row for row in self._rows if row["name"] != name]
        self._write()

    def smart(
        self, place: Path, fixture: str, *, code: int = 0, serial: str = ""
    ) -> None:
        """Let smartctl print a capture for a drive, as if it were that drive's."""
        document = json.loads((FIXTURES / "smart" / f"{fixture}.json").read_text())
        document["serial_number"] = serial or f"S{place.name.upper()}"
        (place / "smartctl").write_text(json.dumps(document))
        (place / "smartctl.code").write_text(str(code))

    def logs(self, place: Path, text: str, *, code: int = 0) -> None:
        """Let sg_logs print something for a drive."""
        (place / "sg_logs").write_text(text)
        (place / "sg_logs.code").write_text(str(code))

    def calls(self, name: str) -> list[str]:
        """Get the starts ("+ arguments") and ends ("-") of a tool's calls."""
        calls = self.folder / f"{name}.calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def _write(self) -> None:
        text = json.dumps({"blockdevices": self._rows})
        (self.folder / "lsblk.json").write_text(text)
