"""Enclosures for tests: sysfs entries, and a fake sg_ses that replays their pages."""

from pathlib import Path

from tests.instruments.thermal.rooted import RootedHost, tool
from tests.instruments.thermal.ses_bytes import FIXTURES, as_json

_SG_SES = """
json= page= hex= node= all="$*"
while [ $# -gt 0 ]; do
  case $1 in
    --json) json=1;;
    --readonly) ;;
    --*) words="$words $1";;
    -HHHH) hex=1;;
    -p) page=$2; shift;;
    *) node=$1;;
  esac
  shift
done
dir={folder}/${{node##*/}}
echo "$all" >> {folder}/calls
[ -f "$dir/trouble" ] && . "$dir/trouble"
if [ -n "$json" ] && [ ! -f "$dir/speaks-json" ]; then
  echo "sg_ses: unrecognized option '--json'" >&2; exit 1
fi
if [ ! -d "$dir" ]; then
  echo "open error: $node: No such file or directory" >&2; exit 50
fi
[ -n "$words" ] && exit 0
if [ -n "$json" ]; then exec cat "$dir/$page.json"; fi
exec cat "$dir/$page.txt"
"""


class Shelves:
    """What is plugged into the machine of a test."""

    def __init__(self, host: RootedHost, bin_folder: Path, folder: Path) -> None:
        self.host = host
        self.folder = folder
        folder.mkdir()
        tool(bin_folder, "sg_ses", _SG_SES.format(folder=folder))

    def plug(self, node: str, shelf: str = "jbod_12") -> Path:
        """Plug a captured enclosure in as a node such as "sg5"."""
        self.add_node(node, "13")
        place = self.folder / node
        place.mkdir()
        for page in (FIXTURES / shelf).iterdir():
            (place / page.name).write_text(page.read_text())
        return place

    def plug_json(self, node: str, pages: dict[str, bytes], shelf: str) -> Path:
        """Plug an enclosure in that a sg_ses with JSON reads."""
        place = self.plug(node, shelf)
        (place / "speaks-json").touch()
        for page in ("cf", "es", "ed", "aes"):
            (place / f"{page}.json").write_text(as_json(pages, page))
        return place

    def add_node(self, node: str, kind: str) -> None:
        """Add a SCSI generic node of a device type."""
        self.host.write(f"/sys/class/scsi_generic/{node}/device/type", f"{kind}\n")

    def calls(self) -> list[str]:
        """Get the arguments of all calls of sg_ses so far."""
        calls = self.folder / "calls"
        return calls.read_text().splitlines() if calls.exists() else []
