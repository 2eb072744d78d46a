"""A stand-in for VDBench: its command line, lines, files and ends, but no Java.

It is made after published output of 5.04.06 and 5.04.07, because VDBench cannot be
installed from a registry. It really reads and writes its lun, at a gentle rate.
STANDIN_FAULT makes it fail in ways that VDBench does; STANDIN_SPEED hurries it.
"""

import os
import re
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from types import FrameType

RATE = 200
FAULT = os.environ.get("STANDIN_FAULT", "")
VERSION = os.environ.get("STANDIN_VERSION", "50407")
SPEED = float(os.environ.get("STANDIN_SPEED", "1"))
IS_NEW = VERSION >= "50407"

HEAD_NEW = (
    "    interval        i/o   MB/sec   bytes   read     resp     read    write"
    "     read    write     resp  queue  cpu%  cpu%",
    "                               rate  1024**2     i/o    pct     time     resp"
    "     resp      max      max   stddev  depth sys+u   sys",
)
HEAD_OLD = (
    "  interval        i/o   MB/sec   bytes   read     resp     read    write"
    "     resp     resp queue  cpu%  cpu%",
    "                             rate  1024**2     i/o    pct     time     resp"
    "     resp      max   stddev depth sys+u   sys",
)
FLAT_NEW = (
    "tod timestamp Run Interval reqrate rate MB/sec bytes/io read% resp read_resp "
    "write_resp resp_max read_max write_max resp_std read_std write_std xfersize "
    "threads rdpct rhpct whpct seekpct lunsize version compratio dedupratio "
    "queue_depth cpu_used cpu_user cpu_kernel cpu_wait cpu_idle"
)
FLAT_OLD = (
    "tod Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp "
    "resp_max resp_std xfersize threads rdpct rhpct whpct seekpct lunsize version "
    "compratio dedupratio queue_depth cpu_used cpu_user cpu_kernel cpu_wait cpu_idle"
)


TREE_FIRST = (
    ".Interval. .ReqstdOps... ...cpu%...  read ....read..... ....write.... "
    "..mb/sec... mb/sec .xfer.. ...mkdir.... ...rmdir.... ...create... ....open.... "
    "...close.... ...delete..."
)
TREE_SECOND = (
    "rate   resp total  sys   pct   rate   resp   rate   resp  read write  total    "
    "size" + "  rate   resp" * 6
)
TREE_FLAT = [
    *("tod", "Run", "Interval", "rate", "resp", "MB/sec", "Read_rate", "Read_resp"),
    *("Write_rate", "Write_resp", "MB_read", "MB_write", "Xfersize"),
]


def tod() -> str:
    return datetime.now().astimezone().strftime("%H:%M:%S.%f")[:12]


class Run:
    """One execution: the reports it writes and the counts it makes."""

    def __init__(self, parameters: dict[str, str], out: Path) -> None:
        self.p = parameters
        out.mkdir(parents=True)
        self.summary = (out / "summary.html").open("w", encoding="utf-8")
        self.totals = (out / "totals.html").open("w", encoding="utf-8")
        self.flat = (out / "flatfile.html").open("w", encoding="utf-8")
        (out / "errorlog.html").write_text("<pre>\n", "utf-8")
        self.out = out
        for file in (self.summary, self.totals, self.flat):
            file.write("<pre>\n")
        names = (FLAT_NEW if IS_NEW else FLAT_OLD).split()
        for name in names[1:]:
            self.flat.write(f"* {name:10}: stands here\n")
        self.flat.write("* \n")
        if "anchor" not in parameters:
            self.flat.write(" ".join(f"{name:>12}" for name in names) + " \n")
        self.rows: list[tuple[float, float, float]] = []
        self.has_flat_header = False

    def say(self, text: str, *, total: bool = False) -> None:
        print(text, flush=True)
        self.summary.write(text + "\n")
        if total:
            self.totals.write(text + "\n")

    def header(self) -> None:
        first, second = HEAD_NEW if IS_NEW else HEAD_OLD
        day = datetime.now().astimezone().strftime("%b %d, %Y")
        for line in ("", f"{day}{first}", second):
            self.say(line, total=True)

    def row(self, name: str, counts: tuple[float, float, float]) -> None:
        """Print a line: I/Os a second, share of reads, response in ms."""
        rate, pct, resp = counts
        size = parse(self.p["xfersize"])
        mb = rate * size / 2**20
        label = f"{name:>12}" if IS_NEW else f"{name:>10}"
        text = f"{tod()}{label} {rate:10.1f} {mb:8.2f} {size:7d} {pct:6.2f} {resp:8.3f}"
        text += f" {resp * 0.9:8.3f} {resp * 1.1:8.3f}"
        text += " ".join(["", *("%8.2f" if IS_NEW else "%8.3f",) * (1 + IS_NEW)]) % (
            (resp * 2, resp * 3) if IS_NEW else (resp * 3,)
        )
        text += f" {resp / 2:8.3f} {0.1:5.1f}   4.0   1.0"
        self.say(text, total=name.startswith("avg"))
        self.flat_row(name, counts)

    def flat_row(self, name: str, counts: tuple[float, float, float]) -> None:
        rate, pct, resp = counts
        size = parse(self.p["xfersize"])
        mb = rate * size / 2**20
        own = {
            "tod": tod(),
            "timestamp": datetime.now().astimezone().strftime("%m/%d/%Y-%H:%M:%S-UTC"),
            "Run": self.p["rd"],
            "Interval": name,
            "rate": f"{rate:.4f}",
            "MB/sec": f"{mb:.4f}",
            "bytes/io": str(size),
            "read%": f"{pct:.4f}",
            "resp": f"{resp:.4f}",
            "read_resp": f"{resp * 0.9:.4f}",
            "write_resp": f"{resp * 1.1:.4f}",
            "resp_max": f"{resp * 3:.4f}",
            "read_max": f"{resp * 2:.4f}",
            "write_max": f"{resp * 3:.4f}",
        }
        names = (FLAT_NEW if IS_NEW else FLAT_OLD).split()
        self.flat.write(" ".join(f"{own.get(n, 'n/a'):>12}" for n in names) + " \n")

    def tree_header(self) -> None:
        """Print the header of a file system workload."""
        day = datetime.now().astimezone().strftime("%b %d, %Y")
        self.say(f"{day} {TREE_FIRST}", total=True)
        self.say(f"{'':26}{TREE_SECOND}", total=True)
        if not self.has_flat_header:
            self.has_flat_header = True
            self.flat.write(" ".join(f"{name:>12}" for name in TREE_FLAT) + " \n")

    def tree_row(self, rd: str, name: str, read: float, write: float) -> None:
        """Print a line of a file system workload: reads and writes a second."""
        size = parse(self.p["xfersize"])
        mb_read, mb_write = read * size / 2**20, write * size / 2**20
        text = (
            f"{tod()}{name:>11} {read + write:6.1f} {2.5:6.3f} {28.8:5.1f} {3.81:4.2f} "
        )
        text += f"{100 * read / max(1, read + write):5.1f} {read:6.1f} {2.0:6.3f} "
        text += f"{write:6.1f} {3.0:6.3f} {mb_read:5.2f} {mb_write:5.2f} "
        text += f"{mb_read + mb_write:6.2f} {size:7d}" + "    0.0  0.000" * 6
        self.say(text, total=name.startswith("avg"))
        cells = [tod(), rd, name, read + write, 2.5, mb_read + mb_write]
        cells += [read, 2.0, write, 3.0, mb_read, mb_write, size]
        self.flat.write(" ".join(f"{cell!s:>12}" for cell in cells) + " \n")

    def close(self) -> None:
        for file in (self.summary, self.totals, self.flat):
            file.close()
        if FAULT == "no-totals":
            (self.out / "totals.html").unlink()


def parse(text: str) -> int:
    match = re.fullmatch(r"(\d+)([kmg]?)", text)
    if match is None:
        raise SystemExit(f"Invalid xfersize: {text}")
    return int(match[1]) << 10 * " kmg".index(match[2] or " ")


def parameters(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("*"):
            found |= dict(part.split("=", 1) for part in line.split(","))
    return found


def load(p: dict[str, str], seconds: float) -> tuple[float, float, float]:
    """Do the I/O of one interval: reads and writes at the rate, by turns."""
    size, share = parse(p["xfersize"]), float(p["rdpct"])
    handle = os.open(p["lun"], os.O_RDWR)
    block, blocks = os.urandom(size), int(p["size"]) // size
    end, done, reads = time.monotonic() + seconds / SPEED, 0, 0
    while time.monotonic() < end:
        for _ in range(max(1, RATE // 20)):
            place = done * 7919 % blocks * size
            is_read = done % 100 < share
            if is_read:
                os.pread(handle, size, place)
                reads += 1
            else:
                os.pwrite(handle, block, place)
            done += 1
        time.sleep(0.05 / SPEED)
    os.close(handle)
    return done / seconds, 100 * reads / max(1, done), 1.5


def run_tree(run: Run, p: dict[str, str]) -> None:
    """Make a tree of files first, a run definition of its own, and load it then."""
    run.say(f"{tod()} Starting RD=format_for_{p['rd']}", total=True)
    run.tree_header()
    folder = Path(p["anchor"]) / "vdb.1_1.dir"
    folder.mkdir()
    for number in range(int(p["files"])):
        (folder / f"vdb_f{number:04}.file").write_bytes(os.urandom(int(p["size"])))
    run.tree_row(f"format_for_{p['rd']}", "avg_2-2", 0, 10)
    run.say(
        f"{tod()} Starting RD={p['rd']}; elapsed={p['elapsed']}; fwdrate=max. "
        "For loops: None",
        total=True,
    )
    run.tree_header()
    count, share = int(p["elapsed"]), float(p["rdpct"]) / 100
    for number in range(1, count + 1):
        time.sleep(1 / SPEED)
        run.tree_row(p["rd"], str(number), 100 * share, 100 * (1 - share))
    run.tree_row(p["rd"], f"avg_2-{count}", 100 * share, 100 * (1 - share))


def stop(_number: int, _frame: FrameType | None) -> None:
    print("CTRL-C requested. vdbench terminating", flush=True)
    os._exit(130)


def main() -> None:
    if FAULT == "deaf":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGINT, stop)
    if FAULT == "no-java":
        print("vdbench: line 54: java: command not found", file=sys.stderr)
        raise SystemExit(127)
    if FAULT == "helper":  # A slave that outlives its master.
        subprocess.Popen(["sleep", "600"])
    if FAULT == "stray":  # A slave of a slave that has another disk open.
        script = f"exec 3<>{os.environ['STANDIN_STRAY']}; sleep 60; true"
        subprocess.Popen(["sh", "-c", f"( {script} ) & wait"])
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    p = parameters(Path(arguments["-f"]).read_text("utf-8"))
    print("\nCopyright (c) 2000, 2018, Oracle and/or its affiliates.\n")
    print(f"Vdbench distribution: vdbench{VERSION} (a stand-in of Bayscope's tests)")
    print("For documentation, see 'vdbench.pdf'.\n")
    print(f"{tod()} input argument scanned: '-f{arguments['-f']}'")
    print(f"{tod()} All slaves are now connected", flush=True)
    run = Run(p, Path(arguments["-o"]))
    if "anchor" in p:
        run_tree(run, p)
    else:
        run_disk(run, p)
    run.close()
    print(
        f"{tod()} Vdbench execution completed successfully. "
        f"Output directory: {arguments['-o']} "
    )


def run_disk(run: Run, p: dict[str, str]) -> None:
    """Load one file as a disk."""
    warmup, interval = int(p.get("warmup", "0")), int(p["interval"])
    told = f"elapsed={p['elapsed']}" + (f" warmup={warmup}" if warmup else "")
    run.say(
        f"{tod()} Starting RD={p['rd']}; I/O rate: Uncontrolled MAX; {told}; "
        "For loops: None",
        total=True,
    )
    run.header()
    count = (int(p["elapsed"]) + warmup) // interval
    first = max(1, warmup // interval) + 1
    for number in range(1, count + 1):
        counts = load(p, interval)
        if number >= first:
            run.rows.append(counts)
        run.row(str(number), counts)
        if FAULT == "eio" and number == 2:
            error = f"op: read  lun: {p['lun']} lba: 4096 errno: EIO: 'I/O error'"
            print(f"{tod()} localhost-0: {error}", flush=True)
            print("java.lang.RuntimeException: Vdbench terminated", flush=True)
            raise SystemExit(1)
        if FAULT == "quit" and number == 2:
            raise SystemExit(0)
        if FAULT == "die" and number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
    means = tuple(sum(column) / len(run.rows) for column in zip(*run.rows, strict=True))
    if FAULT != "no-average":
        run.row(f"avg_{first}-{count}", (means[0], means[1], means[2]))


main()
