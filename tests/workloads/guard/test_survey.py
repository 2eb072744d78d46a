"""What a machine tells of what it uses, read from texts and from odd machines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from instruments.tools.command import Completed
from instruments.tools.hosts import LocalHost
from workloads.guard.disk import Disk, DiskIdentity, Findings, Signature
from workloads.guard.objections import RULES, objections
from workloads.guard.scan import Mount, parse_mounts
from workloads.guard.survey import parse_pools, survey

ZPOOL = """\
  pool: tank
 state: ONLINE
config:

\tNAME                                 STATE     READ WRITE CKSUM
\ttank                                 ONLINE       0     0     0
\t  raidz1-0                           ONLINE       0     0     0
\t    /dev/sdb1                        ONLINE       0     0     0
\t    /dev/sdc1                        ONLINE       0     0     0
\tlogs
\t  /dev/nvme0n1                       ONLINE       0     0     0

errors: No known data errors

  pool: spare
config:
\t  /dev/sdd                           ONLINE       0     0     0
"""

DISK = Disk("/dev/sdb", "sdb", "disk", DiskIdentity("Z1", "0x5", 10**12, 7, "8:16"))


def test_devices_of_imported_pools_are_found() -> None:
    assert parse_pools(ZPOOL) == {
        "/dev/sdb1": "tank",
        "/dev/sdc1": "tank",
        "/dev/nvme0n1": "tank",
        "/dev/sdd": "spare",
    }
    assert parse_pools("no pools available\n") == {}


def test_mount_tables_are_read_past_their_optional_fields() -> None:
    text = (
        "22 1 8:2 / / rw,relatime shared:1 master:2 - ext4 /dev/sda2 rw\n"
        "30 22 0:45 /@ /data rw - btrfs /dev/sdb rw\n"
        "nonsense\n"
    )
    found = parse_mounts(text)
    assert found == (Mount("8:2", "/dev/sda2", "/"), Mount("0:45", "/dev/sdb", "/data"))


def test_each_rule_refuses_and_only_data_can_be_overruled() -> None:
    cases = {
        "swap": Findings(DISK, swaps=("/dev/sdb2",)),
        "mounted": Findings(DISK, mounts=("/a", "/b", "/c", "/d", "/e")),
        "system": Findings(DISK, is_system=True),
        "zfs": Findings(DISK, pools=("tank",)),
        "holder": Findings(DISK, holders=("md0",)),
        "multipath": Findings(DISK, multipath="dm-3", twins=("sdc",)),
        "twin": Findings(DISK, twins=("sdc",)),
        "open": Findings(DISK, writers=("fio (process 7)",)),
        "busy": Findings(DISK, busy="Device or resource busy"),
        "unseen": Findings(DISK, blind=("it cannot be read",)),
    }
    for rule, found in cases.items():
        [said] = objections(found)
        assert (said.rule, said.word) == (rule, "")
    assert "and 2 more" in objections(cases["mounted"])[0].sentence
    [said] = objections(Findings(DISK, signatures=(Signature("sdb1", "xfs"),)))
    assert (said.rule, said.word) == ("signature", "xfs")
    assert set(RULES) >= set(cases) - {"unseen"}


class _Bare(LocalHost):
    """A host whose /proc cannot be read."""

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        done = super().run(argv, timeout_s, env=env)
        if argv[-1] != "all":
            return done
        told = json.loads(done.stdout) | {"mounts": [], "blind": ["swaps"], "hidden": 1}
        return replace(done, stdout=json.dumps(told))


def test_what_cannot_be_read_is_said_and_not_taken_for_nothing() -> None:
    blind = " | ".join(survey(_Bare()).blind)
    assert "mount tables below /proc cannot be read" in blind
    assert "/proc/swaps cannot be read" in blind
    assert "what programs of others have open" in blind
