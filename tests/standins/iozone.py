"""A stand-in for IOzone 3.489: its command line, output and ends, for tests without it.

It is made after the output of the real program, which Debian's non-free section has;
the same tests run with the real one where it is installed. STANDIN_FAULT makes it
fail as IOzone does, and STANDIN_UNTIL names a file that it waits for at its end.
"""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

FAULT = os.environ.get("STANDIN_FAULT", "")
UNTIL = os.environ.get("STANDIN_UNTIL", "")
COLUMNS = {"0": ("write", "rewrite"), "1": ("read", "reread"), "2": ("read", "write")}
WORDS = {
    "0": (" 2 initial writers ", " 2 rewriters "),
    "1": (" 2 readers ", "2 re-readers "),
    "2": ("2 random readers ", "2 random writers "),
}
HEAD = (
    "              kB  reclen    write  rewrite    read    reread    read     write"
    "     read   rewrite      read   fwrite frewrite    fread  freread"
)


def stop(_number: int, _frame: FrameType | None) -> None:
    print("\niozone: interrupted\n\nexiting iozone\n", flush=True)
    os._exit(0)


def run(test: str, path: Path, size: int, record: int) -> int:
    """Read or write a file; return kB/s."""
    begin, block = time.monotonic(), os.urandom(record)
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    for place in range(0, size, record):
        if "read" in test:
            os.pread(handle, record, place)
        else:
            os.pwrite(handle, block, place)
    os.close(handle)
    time.sleep(0.15)
    return round(size / 1024 / (time.monotonic() - begin))


def main() -> None:
    signal.signal(signal.SIGINT, stop)
    words = sys.argv[1:]
    print("\tIozone: Performance Test of File I/O")
    print("\t        Version $Revision: 3.489 $$ (a stand-in of Bayscope's tests)\n")
    print(f"\tCommand line used: iozone {' '.join(words)}")
    print("\tOutput is in kBytes/sec", flush=True)
    tests = [words[n + 1] for n, word in enumerate(words) if word == "-i"]
    records = [int(words[n + 1][:-1]) for n, word in enumerate(words) if word == "-r"]
    size = int(words[words.index("-s") + 1][:-1]) * 1024
    if FAULT == "no-file":
        print("\nCan not open temp file: /nowhere/x\n open: No such file or directory")
        raise SystemExit(44)
    if FAULT == "io-error":
        print("\nError writing block 3, fd= 3\n write: Input/output error")
        raise SystemExit(1)
    if FAULT == "hang":
        time.sleep(600)
    if "-t" in words:
        print(f"\tEach process writes a {size // 1024} kByte file in ", end="")
        print(f"{records[0]} kByte records\n")
        path = Path(words[words.index("-F") + 1])
        for test in tests:
            for word, name in zip(WORDS[test], COLUMNS[test], strict=True):
                speed = run(name, path, size, records[0] * 1024)
                print(f"\tChildren see throughput for {word}\t= {speed:10.2f} kB/sec")
                print(f"\tMin xfer \t\t\t\t\t= {size / 1024:10.2f} kB\n", flush=True)
    else:
        print(HEAD, flush=True)
        path = Path(words[words.index("-f") + 1])
        for record in records:
            print(f"{size // 1024:16d}{record:8d}", end="", flush=True)
            for test in tests:
                for name in COLUMNS[test]:
                    print(
                        f"{run(name, path, size, record * 1024):9d}", end="", flush=True
                    )
            print(" " * 40)
    while UNTIL and not Path(UNTIL).exists():
        time.sleep(0.01)
    if FAULT != "cut":
        print("\niozone test complete.")


main()
