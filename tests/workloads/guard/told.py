"""Loop devices that tell of themselves what a test wants: disks with two paths.

Two loop devices on one file are one disk by two paths in all but what they tell, which
is laid over what the kernel tells of them. What is on them and what uses them is real.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from instruments.tools.command import Completed
from instruments.tools.hosts import LocalHost

_LOOP = re.compile(r"\bloop\d+\b")


@dataclass(frozen=True)
class Facts:
    """What a disk tells of itself; "" is nothing."""

    serial: str = "ZL2A1B2C"
    wwn: str = "0x5000c500a1b2c3d4"
    model: str = "ST4000NM0033"
    more: int = 0  # bytes that it tells beyond what it has
    transport: str = "sas"
    files: Mapping[str, str] = field(default_factory=dict)  # below /sys/class/block


class TellingHost(LocalHost):
    """This machine with those of its loop devices alone that look like disks.

    Args:
        facts: What they tell, by their paths.
        asked: Answers that are not asked for again; filled here where it is given.
    """

    def __init__(
        self,
        facts: Mapping[str, Facts],
        asked: dict[tuple[str, ...], Completed] | None = None,
    ) -> None:
        super().__init__()
        self._facts = {Path(path).name: one for path, one in facts.items()}
        self._asked = asked

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        done = (self._asked or {}).get(tuple(argv))
        if done is None:
            done = super().run(argv, timeout_s, env=env)
        if self._asked is not None:
            self._asked[tuple(argv)] = done
        if argv[:2] == ["lsblk", "-J"]:
            table = json.loads(done.stdout)
            # Other tests have loop devices of their own, with uses of their own.
            nodes = table["blockdevices"]
            ours = {*self._facts, *(Path(word).name for word in argv[4:])}
            nodes[:] = [
                one
                for one in nodes
                if one["kname"] in ours or not one["kname"].startswith("loop")
            ]
            for node in nodes:
                if one := self._facts.get(node["kname"]):
                    node |= {"type": "disk", "serial": one.serial, "wwn": one.wwn}
                    node |= {"model": one.model, "tran": one.transport}
                    node["size"] = int(node["size"]) + one.more
            return replace(done, stdout=json.dumps(table))
        if argv[-1] in ("all", "tables"):
            done = replace(done, stdout=json.dumps(self._hidden(done.stdout)))
        if argv[-1] == "all":  # what is behind them is not to be known
            table = json.loads(done.stdout)
            loops = [one for one in table["loops"] if one[0] not in self._facts]
            return replace(done, stdout=json.dumps(table | {"loops": loops}))
        return done

    def _hidden(self, text: str) -> dict[str, Any]:
        """Leave out the loop devices of others."""
        told: dict[str, Any] = json.loads(text)
        for key in ("tables", "mounts"):
            told[key] = [
                line for line in told[key] if {*_LOOP.findall(line)} <= {*self._facts}
            ]
        return told

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> dict[str, str | None]:
        found = super().read_many(paths, timeout_s)
        for name, one in self._facts.items():
            for file, text in one.files.items():
                path = f"/sys/class/block/{name}/{file}"
                found |= {path: text} if path in found else {}
        return found
