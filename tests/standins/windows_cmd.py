"""A stand-in for cmd.exe behind Windows' OpenSSH server: the forced command of an sshd.

It reads a command line as cmd.exe and CommandLineToArgvW do, so that what is not quoted
for them fails, knows the few programs that Bayscope starts there, and ends its lines
with CR LF. Its fio is the real one: engine and paths of Windows become those of here.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HOME = Path(sys.argv[1])
_WORD = re.compile(r'(?:"([^"]*)"|([^\s"]+))(?:\s+|$)')


def out(text: str) -> None:
    sys.stdout.write(f"{text}\r\n")
    sys.stdout.flush()


def fail(text: str, code: int = 1) -> None:
    sys.stderr.write(f"{text}\r\n")
    raise SystemExit(code)


def split(line: str) -> list[str]:
    bare = re.sub(r'"[^"]*"', "", line)
    if set(bare) & set("&|<>^()") or "%" in line or line.startswith('"'):
        fail("The syntax of the command is incorrect.")
    words, at = [], 0
    while at < len(line):
        found = _WORD.match(line, at)
        if found is None:
            fail("The syntax of the command is incorrect.")
            break
        words.append(found[1] if found[1] is not None else found[2])
        at = found.end()
    return words


def here(path: str) -> str:
    return str(HOME / path.replace("\\", "/"))


def fio(words: list[str]) -> None:
    if words == ["--version"]:
        done = subprocess.run(
            ["fio", *words], check=True, capture_output=True, text=True
        )
        out(done.stdout.strip())
        return
    job = HOME / words[-1]
    text = job.read_text("ascii")
    if "ioengine=windowsaio\n" not in text:
        fail("fio: engine libaio not loadable")
    path = re.search(r"filename=[A-Z]\\:\\(.+)", text)
    if path is None:
        fail("fio: no file")
        return
    there = here(path[1])
    text = text.replace(path[0], f"filename={there}")
    job.write_text(text.replace("windowsaio", "psync"), "ascii")
    argv = ["fio", *words[:-1], str(job)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=HOME) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.buffer.write(line.rstrip(b"\n") + b"\r\n")
            sys.stdout.buffer.flush()
    raise SystemExit(process.returncode % 256)


def fios() -> dict[int, str]:
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "comm").read_text() == "fio\n":
                found[int(entry.name)] = (entry / "cmdline").read_text()
        except OSError:
            continue
    return {pid: line for pid, line in found.items() if str(HOME) in line}


def powershell(words: list[str]) -> None:
    script = words[-1]
    if "ReadLine" in script:
        while sys.stdin.readline():
            out(str(621_355_968_000_000_000 + time.time_ns() // 100))
        return
    if asked := re.search(r"-LiteralPath '[A-Z]:\\(.+?)'", script):
        file = Path(here(asked[1]))
        out(str(file.stat().st_size) if file.exists() else "")
        return
    mark = re.search(r"-like '\*(.+)\*'", script)
    for pid, line in fios().items():
        if mark and mark[1] in line:
            out(str(pid))


def main() -> None:
    line = os.environ.get("SSH_ORIGINAL_COMMAND", "")
    if "sftp" in line:
        server = shutil.which("sftp-server", path="/usr/lib/openssh:/usr/libexec")
        os.execv(str(server), [str(server), "-d", str(HOME)])
    program, *words = split(line)
    if program == "ver":
        out("")
        out("Microsoft Windows [Version 10.0.20348.2340]")
    elif program == "fio":
        fio(words)
    elif program == "powershell":
        powershell(words)
    elif program == "taskkill" and words[:3] == ["/T", "/F", "/PID"]:
        if int(words[3]) not in fios():
            fail(f'ERROR: The process "{words[3]}" not found.', 128)
        os.kill(int(words[3]), signal.SIGKILL)
    else:
        fail(f"'{program}' is not recognized as an internal or external command,")


main()
