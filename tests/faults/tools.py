"""Parts that are read by tools and system files of a machine of their own."""

from pathlib import Path

from tests.faults.part import Fault, Machine, Part
from tests.instruments.rooted import write_tree
from tests.instruments.thermal.drive_stand import Drives
from tests.instruments.thermal.rooted import RootedHost as DriveHost
from tests.instruments.thermal.ses_bytes import FIXTURES, read_hex
from tests.instruments.thermal.shelves import write_pages

SENSORS = """
[ "$1" = -v ] && { echo "sensors version 3.6.0 with libsensors version 3.6.0"; exit; }
cat <<'END'
{
   "nvme-pci-0100":{
      "Adapter": "PCI adapter",
      "Composite":{ "temp1_input": 36.850, "temp1_max": 81.850 }
   }
}
END
"""
_SG_SES = """
page=
while [ $# -gt 0 ]; do
  case $1 in
    -V|--version) echo "version: 2.86 20230407"; exit 0;;
    -p) page=$2; shift;;
  esac
  shift
done
exec cat {folder}/$page.txt
"""
_HWMON = "/sys/devices/platform/nct6775.656/hwmon/hwmon0"


def sensors(folder: Path) -> Part:
    """The tool `sensors`."""
    machine = Machine(folder / "machine")
    machine.tool("sensors", SENSORS)
    text = '[[thermal]]\nname = "board"\ndriver = "sensors"\nperiod = 0.5\n'
    refusal = "Error reading: Permission denied"
    faults = machine.tool_faults("sensors", SENSORS, refusal)
    return Part(text, ("board",), faults, host=machine.host)


def ses(folder: Path) -> Part:
    """A shelf by sg_ses, which replays captured pages."""
    machine = Machine(folder / "machine")
    pages = folder / "pages"
    pages.mkdir()
    write_pages(pages, read_hex(FIXTURES / "areca_8028.hex"))
    script = _SG_SES.replace("{folder}", str(pages))
    machine.tool("sg_ses", script)
    write_tree(
        machine.root,
        {"/sys/class/scsi_generic/sg5/device/type": "13\n", "/dev/sg5": ""},
    )
    text = '[[thermal]]\nname = "shelf"\ndriver = "ses"\nperiod = 5\n'
    refusal = "open error: /dev/sg5: Permission denied"
    faults = machine.tool_faults("sg_ses", script, refusal)
    return Part(text, ("shelf",), faults, host=machine.host)


def smart(folder: Path) -> Part:
    """Two drives by smartctl."""
    machine = Machine(folder / "machine")
    host = DriveHost(machine.root)
    drives = Drives(host, machine.bin, folder / "drives")
    for name in ("sda", "sdb"):
        drives.smart(drives.add(name), "scsi_st4000nm0043")
    script = (machine.bin / "smartctl").read_text().removeprefix("#!/bin/sh\n")
    text = '[[thermal]]\nname = "drives"\ndriver = "smart"\nperiod = 10\n'
    refusal = "Smartctl open device: /dev/sda failed: Permission denied"
    faults = machine.tool_faults("smartctl", script, refusal)
    return Part(text, ("drives",), faults, host=machine.host, hold_s=22.0)


def hwmon(folder: Path) -> Part:
    """A chip of the kernel's."""
    machine = Machine(folder / "machine")
    write_tree(
        machine.root,
        {
            f"{_HWMON}/name": "nct6775\n",
            f"{_HWMON}/temp1_input": "41000\n",
            f"{_HWMON}/temp1_label": "SYSTIN\n",
            f"{_HWMON}/device": "-> /sys/devices/platform/nct6775.656",
            "/sys/class/hwmon/hwmon0": f"-> {_HWMON}",
        },
    )
    text = '[[thermal]]\nname = "chips"\ndriver = "hwmon"\nperiod = 0.5\n'
    file = machine.root / _HWMON[1:] / "temp1_input"

    def write(text: str) -> None:
        file.write_text(text)

    def mend() -> None:
        write("41000\n")

    faults = {
        "unplugged": Fault(file.unlink, mend),
        "garbage": Fault(lambda: write("\x00\x01 no number\n"), mend),
        "silent": Fault(lambda: write(""), mend),
    }
    return Part(text, ("chips",), faults, host=machine.host)


def local(_: Path) -> Part:
    """This machine itself, really."""
    text = (
        '[[host]]\nname = "pc"\ndriver = "local"\nperiod = 0.5\nmeasures = "server"\n'
    )
    return Part(text, ("pc",))
