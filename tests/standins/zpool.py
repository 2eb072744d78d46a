"""A stand-in for OpenZFS's zpool, whose kernel module is not everywhere: no real pool.

It takes the command lines that Bayscope uses as zpool(8) of OpenZFS 2.1 documents
them, claims each disk with O_EXCL as zpool does, refuses one with data on it without
-f, writes ZFS's labels, and remembers its pools in STANDIN_ZPOOL. STANDIN_FAULT makes
it fail: "busy" on export, "stray" opens the disk STANDIN_STRAY beside its own, "slow"
takes a minute, "late" takes one when its pool is there; or several of them.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.workloads.guard.traces import zfs_member

STATE = Path(os.environ.get("STANDIN_ZPOOL", "/tmp/standin-zpool.json"))
FAULT = os.environ.get("STANDIN_FAULT", "").split()
GROUPS = ("mirror", "raidz", "log", "spare", "cache", "special", "dedup")


def pools() -> dict[str, dict[str, object]]:
    return dict(json.loads(STATE.read_text())) if STATE.exists() else {}


def fail(told: str) -> None:
    print(told, file=sys.stderr)
    raise SystemExit(1)


def create(words: list[str]) -> None:
    force, rest = "-f" in words, [word for word in words if word != "-f"]
    while rest and rest[0] in ("-o", "-O", "-m"):
        rest = rest[2:]
    name, *vdevs = rest
    if name in pools():
        fail(f"cannot create '{name}': pool already exists")
    disks = [word for word in vdevs if not word.startswith(GROUPS)]
    handles = []
    for disk in disks:
        found = subprocess.run(["wipefs", disk], capture_output=True, check=False)
        if found.stdout.strip() and not force:
            fail(
                "invalid vdev specification\nuse '-f' to override the following errors:"
            )
        try:
            handles.append(os.open(disk, os.O_RDWR | os.O_EXCL))
        except OSError:
            fail(f"cannot open '{disk}': Device or resource busy")
    if "stray" in FAULT:
        handles.append(os.open(os.environ["STANDIN_STRAY"], os.O_RDWR))
    if "stray" in FAULT or "slow" in FAULT:
        time.sleep(60)
    for disk in disks:
        zfs_member(disk)
    for handle in handles:
        os.close(handle)
    guid = str(uuid.uuid4().int >> 64)
    STATE.write_text(json.dumps({**pools(), name: {"guid": guid, "disks": disks}}))
    if "late" in FAULT:
        time.sleep(60)


def status() -> None:
    if not pools():
        print("no pools available")
    for name, pool in pools().items():
        print(f"  pool: {name}\n state: ONLINE\nconfig:\n\n\tNAME  STATE")
        print(f"\t{name}  ONLINE       0     0     0")
        for disk in list(pool["disks"]):  # type: ignore[call-overload]
            print(f"\t    {disk}  ONLINE       0     0     0")


def main() -> None:
    verb, *words = sys.argv[1:]
    if verb == "create":
        create(words)
    elif verb == "status":
        status()
    elif verb == "get":
        if words[-1] not in pools():
            fail(f"cannot open '{words[-1]}': no such pool")
        print(pools()[words[-1]]["guid"])
    elif verb == "export":
        if "busy" in FAULT:
            fail(f"cannot export '{words[-1]}': pool is busy")
        STATE.write_text(
            json.dumps({k: v for k, v in pools().items() if k != words[-1]})
        )
    else:
        fail(f"unrecognized command '{verb}'")


if __name__ == "__main__":
    main()
