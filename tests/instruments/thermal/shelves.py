"""Enclosures for tests: sysfs entries, and a fake sg_ses that replays their pages."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.instruments.thermal.rooted import RootedHost, tool
from tests.instruments.thermal.ses_bytes import FIXTURES, as_hex, read_hex

_SG_SES = """
page= node= all="$*"
while [ $# -gt 0 ]; do
  case $1 in
    --readonly|-HHHH) ;;
    --*) words="$words $1";;
    -p) page=$2; shift;;
    *) node=$1;;
  esac
  shift
done
dir={folder}/${{node##*/}}
echo "$all" >> {folder}/calls
[ -f "$dir/trouble" ] && . "$dir/trouble"
if [ ! -d "$dir" ]; then
  echo "open error: $node: No such file or directory" >&2; exit 50
fi
[ -n "$words" ] && exit 0
exec cat "$dir/$page.txt"
"""


def write_pages(folder: Path, pages: Mapping[str, bytes]) -> None:
    """Write pages as `sg_ses -HHHH` prints them, one file each."""
    for name, page in pages.items():
        (folder / f"{name}.txt").write_text(as_hex({name: page}))


def change(folder: Path, page: str, how: Callable[[bytearray], object]) -> None:
    """Change the bytes of a page that was written."""
    file = folder / f"{page}.txt"
    data = bytearray(read_hex(file)[page])
    how(data)
    data[2:4] = (len(data) - 4).to_bytes(2, "big")
    write_pages(folder, {page: bytes(data)})


class Shelves:
    """What is plugged into the machine of a test."""

    def __init__(self, host: RootedHost, bin_folder: Path, folder: Path) -> None:
        self.host = host
        self.folder = folder
        folder.mkdir()
        tool(bin_folder, "sg_ses", _SG_SES.format(folder=folder))

    def plug(
        self, node: str, shelf: str = "jbod_12", pages: Mapping[str, bytes] = {}
    ) -> Path:
        """Plug an enclosure in as a node such as "sg5": a captured one, or pages."""
        self.add_node(node, "13")
        place = self.folder / node
        place.mkdir()
        write_pages(place, pages or read_hex(FIXTURES / f"{shelf}.hex"))
        return place

    def add_node(self, node: str, kind: str) -> None:
        """Add a SCSI generic node of a device type."""
        self.host.write(f"/sys/class/scsi_generic/{node}/device/type", f"{kind}\n")

    def calls(self) -> list[str]:
        """Get the arguments of all calls of sg_ses so far."""
        calls = self.folder / "calls"
        return calls.read_text().splitlines() if calls.exists() else []
