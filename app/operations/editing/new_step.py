"""Steps to begin with: what each engine is called, and what a new step of it has."""

from collections.abc import Mapping

from app.plan.phases import PHASES

TITLES: Mapping[str, str] = {
    "fio": "fio load",
    "copy": "File copy",
    "iozone": "IOzone",
    "vdbench": "VDBench",
    "warp": "WARP (S3)",
    "idle": "Idle",
    "cooldown": "Cool-down",
    "prompt": "Operator prompt",
    "command": "Command",
    "startup": "Start-up",
    "align": "Alignment",
    "mkfs": "File systems (mkfs)",
    "zpool": "ZFS pool (zpool)",
}

_FIRST: Mapping[str, Mapping[str, object]] = {
    "fio": {
        "ramp": "5s",
        "fio": {
            "rw": "randread",
            "bs": "4k",
            "ioengine": "libaio",
            "iodepth": 32,
            "norandommap": True,
            "randrepeat": False,
        },
    },
    "copy": {"runtime": "30m"},
    "iozone": {"runtime": "30m", "iozone": {"t": 4, "r": "1m"}},
    "vdbench": {"ramp": "10s", "vdbench": {"xfersize": "64k", "rdpct": 100}},
    "warp": {
        "warp": {
            "operation": "put",
            "host": "127.0.0.1:9000",
            "bucket": "bayscope-warp",
            "erase": "bayscope-warp",
        }
    },
    "prompt": {"prompt": {"text": "Describe what the operator has to do."}},
    "command": {"command": {"run": "true"}},
    "cooldown": {"runtime": "10m"},
    "startup": {"runtime": "3m"},
    "mkfs": {"runtime": "10m", "mkfs": {"type": "xfs", "mount": "/mnt/bay{n}"}},
    "zpool": {
        "runtime": "10m",
        "zpool": {"name": "bay", "layout": "mirror 2", "mount": "/mnt/bay"},
    },
}


def new_step(engine: str, label: str) -> dict[str, object]:
    """Get what stands in a new step of an engine: enough for it to run."""
    found: dict[str, object] = {"label": label, "engine": engine, "runtime": "1m"}
    if engine in PHASES and not PHASES[engine].timed:
        del found["runtime"]
    return {**found, **_FIRST.get(engine, {})}


def title_of(engine: str) -> str:
    """Get what a menu calls an engine."""
    return TITLES.get(engine, engine.capitalize())
