"""fio jobs as somebody wrote them: job files, scripts, pasted lines."""

from app.operations.editing.fio_jobs import import_fio_text
from app.plan.campaign import parse_campaign
from tests.fuzz.texts import mutated
from tests.fuzz.trial import fixtures, hunt_each

NAME = "jobs"

_FILE = b"""
[global]
ioengine=libaio
direct=1
bs=4k
size=${SIZE}
runtime=60
time_based
filename=/dev/sdb:/dev/sdc
include other.fio

[random read]
rw=randread
iodepth=32
numjobs=4
; a comment
[seq]
stonewall
rw=rw:8
rwmixread=70
bssplit=4k/60:64k/40
"""
_SCRIPT = b"""#!/bin/bash
set -e
DEV=/dev/nvme0n1
OUT="results/$(date +%F)"
for bs in 4k 64k 1m; do
  for rw in randread randwrite; do
    fio --name=$rw-$bs --filename=$DEV --rw=$rw --bs=$bs --iodepth={1,32} \\
        --runtime=60 --time_based --output=$OUT/$rw.json 2>&1 | tee log || exit 1
  done
done
for n in $(seq 1 3); do fio --name="job $n" --rw=write --size=${n}G & done
wait; sleep 60
sudo fio job.fio
"""
_WINDOWS = b"""set BS=4k\r
fio --name=x --bs=%BS% --rw=randread --filename=\\\\.\\PhysicalDrive1 ^\r
  --size=1g --ioengine=windowsaio\r
goto again\r
"""


def _read(case: bytes) -> None:
    text = case.decode("utf-8", "replace")
    found = import_fio_text(text, "pasted", lambda name: f"[{name}]\nrw=read\n")
    parse_campaign(found.campaign_text, "written.toml")


def run(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Try for so long; return the cases tried, and what was found."""
    files = [_FILE, _SCRIPT, _WINDOWS, *fixtures("fio/*.txt")]
    return hunt_each({"jobs": (_read, mutated(files))}, seconds, seed)
