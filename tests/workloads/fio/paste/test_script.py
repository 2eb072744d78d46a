"""Scripts as people paste them: what the shell makes of them before fio sees it."""

import subprocess
from pathlib import Path

import pytest

from workloads.fio.paste.finding import Weight
from workloads.fio.paste.script import MOST_COMMANDS, Script, read_script


def calls(text: str) -> list[list[str]]:
    """Get the arguments of each call of fio."""
    return [
        [argument.text for argument in command.arguments]
        for group in read_script(text).groups
        for command in group
    ]


def told(script: Script, start: str) -> list[str]:
    return [str(one) for one in script.findings if one.quote.startswith(start)]


SCRIPTS = [
    "fio --name=a --bs=4k",
    "sudo fio --name=a \\\n  --bs=4k \\\n  --rw=read",
    "fio --name='a b' --bs=\"4k\" --filename=/dev/sd\\ x",
    "fio --name=/dev/dm-{2..5} --rw=read",
    "fio --name={a,b}{1..2} --rw=x{01..03}",
    "fio --name=a{b --rw=r} --bs={4k}",
    "for bs in 4k 64k; do\n  for rw in read write; do\n"
    "    fio --name=$rw-$bs --bs=${bs} --rw=$rw\n  done\ndone",
    "for q in 1 2 3; do fio --name=q$q --iodepth=$q; done",
    "for q in {1..3}; do fio --iodepth=$q; done",
    "for q in $(seq 2 2 6); do fio --iodepth=$q; done",
    'DEV=/dev/x\nO="--direct=1 --bs=4k"\nfio $O "--rw=$DEV" --name="$O"',
    "export D=/dev/x; fio --filename=$D; fio --filename=${D}1",
    "B=1 fio --name=$B",
    "fio --name=a # --bs=4k\n# fio --name=b",
    "fio --name=a > out.txt 2>&1\nfio --name=b 2>/dev/null | tee log",
    "fio --name=a & fio --name=b & wait; fio --name=c",
    "fio --name=a && fio --name=b || fio --name=c",
    "fio --name=a --bs='$X' --rw=\"\\$X\" --size=\\$X",
    "fio --name=${NAME:-a} --rw=${RW:-read}",
    "if true; then fio --name=a; fi",
    "for q in 10 30\ndo\nx=$((100 - $q))\n"
    "fio --a=$x --b=$((q * 2)) --c=$(( (q+1)/2 ))\ndone",
    "X=$(fio --name=a \\\n --bs=4k 2>/dev/null | tail -1)",
    "(fio --name=a; fio --name=b)",
    'F=fio; $F --name=a; "$F" --name=b; F=sudo; $F fio --name=c',
    "cat > job.fio <<EOF\n[a]\nrw=read\nEOF\nfio job.fio",
]


@pytest.mark.parametrize("text", SCRIPTS)
def test_the_words_are_those_of_bash(text: str, tmp_path: Path) -> None:
    """A stand-in for fio prints what bash hands to it."""
    for name in ("fio", "sudo"):
        stand_in = tmp_path / name
        body = 'shift; exec fio "$@"' if name == "sudo" else 'printf "%s\\0" "$@"'
        lock = f'exec 9>"{tmp_path}/lock"; flock 9; exec >>"{tmp_path}/said"'
        stand_in.write_text(f"#!/bin/bash\n{lock}\n{body}; echo\n")
        stand_in.chmod(0o755)
    subprocess.run(
        ["bash", "-c", text],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        check=True,
        timeout=60,
        cwd=tmp_path,
        capture_output=True,
    )
    said = (tmp_path / "said").read_bytes().decode()
    expected = [line.split("\0")[:-1] for line in said.splitlines()]
    assert sorted(calls(text)) == sorted(expected)


def test_the_lines_are_those_of_the_text() -> None:
    text = "#!/bin/sh\n\nfio --name=a \\\n --bs=4k \\\n --rw=read\nfio --name=b\n"
    (first,), (second,) = read_script(text).groups
    assert [argument.line for argument in first.arguments] == [3, 4, 5]
    assert second.line == 6


def test_wrapped_lines_are_joined_and_told() -> None:
    text = "```\nfio --name=a\n--bs=4k\n```\n\n--rw=read\nfio --name=b"
    script = read_script(text)
    assert calls(text) == [["--name=a", "--bs=4k", "--rw=read"], ["--name=b"]]
    assert [one.lines for one in script.findings] == [(3,), (6,)]


def test_a_line_printed_twice_is_taken_once() -> None:
    script = read_script("fio --rw=read\n--name=a --bs=4k\n--name=a --bs=4k\n--size=1m")
    arguments = [one.text for one in script.groups[0][0].arguments]
    assert arguments == ["--rw=read", "--name=a", "--bs=4k", "--size=1m"]
    (finding,) = [one for one in script.findings if one.decide]
    assert finding.lines == (3,)


BATCH = r"""@echo off
set T=300
set DISK=\\.\PhysicalDrive3
:again
for %%b in (4k 64k) do fio --filename=%DISK% --bs=%%b --runtime=%T% ^
  --ioengine=windowsaio
for /L %%i in (1,1,2) do (
  "C:\Program Files\fio\fio.exe" --name=y%%i --directory=D:\
)
rem fio --name=no
goto again
"""


def test_a_batch_file() -> None:
    tail = ["--runtime=300", "--ioengine=windowsaio"]
    disk = r"--filename=\\.\PhysicalDrive3"
    assert calls(BATCH) == [
        [disk, "--bs=4k", *tail],
        [disk, "--bs=64k", *tail],
        ["--name=y1", "--directory=D:\\"],
        ["--name=y2", "--directory=D:\\"],
    ]
    (loop,) = told(read_script(BATCH), "goto again")
    assert loop.startswith("line 11: ")
    assert "line 4" in loop
    assert loop.endswith("Decide.")


def test_a_goto_forward_is_told() -> None:
    script = read_script("goto end\nfio --name=a --ioengine=windowsaio\n:end\n")
    assert told(script, "goto end")[0].endswith("Decide.")
    assert len(script.groups) == 1


def test_windows_names_keep_their_backslashes() -> None:
    assert calls(r"fio --filename=\\.\PhysicalDrive1 --name=a") == [
        [r"--filename=\\.\PhysicalDrive1", "--name=a"]
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\u2013name=a \u2014rw=read", ["--name=a", "--rw=read"]),
        ("\u2010\u2010name=a", ["--name=a"]),
        ("-\u2013name=a", ["--name=a"]),
        ("-\u2013 name=a", ["--", "name=a"]),
        ("--bsrange=4k\u20138k", ["--bsrange=4k-8k"]),
        ("--name=\u201ca b\u201d", ["--name=a b"]),
        ("--name=\u2018a\u2019", ["--name=a"]),
        ("--\ufb01lename=x", ["--filename=x"]),
        ("--name=a\u00a0--rw=read", ["--name=a", "--rw=read"]),
        ("--na\u00adme=a\u200b", ["--name=a"]),
    ],
)
def test_marks_of_documents_are_mended_and_told(text: str, expected: list[str]) -> None:
    assert calls(f"fio {text}") == [expected]
    findings = read_script(f"fio {text}").findings
    assert any(one.weight is Weight.TRAP for one in findings)


@pytest.mark.parametrize(
    "prompt",
    ["$ ", "root@lab:~# ", "[root@lab ~]# ", "PS C:\\> ", "C:\\fio> ", "> ", "# "],
)
def test_prompts_are_left_out(prompt: str) -> None:
    assert calls(f"{prompt}fio --name=a") == [["--name=a"]]


def test_a_comment_is_none_of_roots_prompts() -> None:
    script = read_script("# fio --name=old\nfio --name=a\n")
    assert len(script.groups) == 1
    assert told(script, "# fio --name=old")


def test_commands_side_by_side_are_one_group() -> None:
    text = "fio --name=a &\nfio --name=b &\nwait\nfio --name=c\n"
    assert [len(group) for group in read_script(text).groups] == [2, 1]
    text = "start fio --name=a --ioengine=windowsaio\nfio --name=b\n"
    assert [len(group) for group in read_script(text).groups] == [2]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("while true; do fio --name=a; done", "while"),
        ("for ((i=0; i<3; i++)); do fio --name=a; done", "for (("),
        ("if [ -b /dev/x ]; then fio --name=a; fi", "if"),
        ("taskset -c 0 fio --name=a", "taskset -c 0"),
        ("fio --name=$NOWHERE", "--name=$NOWHERE"),
        ("fio --name=`hostname`", "--name=`hostname`"),
        ("$FIO --name=a", "$FIO"),
        ("fio --bs=$((1/0))", "--bs=$((1/0))"),
        ('fio --name="a', '--name="a'),
        ("fio --name=x{1..99999}", "--name=x{1..99999}"),
    ],
)
def test_what_the_text_does_not_say_is_to_be_decided(text: str, quote: str) -> None:
    script = read_script(text)
    assert len(script.groups) == 1
    (finding,) = told(script, quote)
    assert finding.endswith("Decide.")


def test_loops_without_an_end_are_cut_off() -> None:
    text = "for a in {1..900}; do for b in {1..900}; do fio --name=$a-$b; done; done"
    script = read_script(text)
    assert len(script.groups) == MOST_COMMANDS
    assert any("more than 1000 times" in one.fio for one in script.findings)


def test_pauses_and_other_programs_are_told() -> None:
    script = read_script("fio --name=a\nsleep 60\nmkfs.xfs /dev/sdb\necho done\n")
    assert told(script, "sleep 60")
    assert any(one.lines == (3,) for one in script.findings)
    assert not any(one.lines == (4,) for one in script.findings)


@pytest.mark.parametrize("text", ["", "\n\n", "hello world", "fiona --name=a", "\0"])
def test_a_text_without_fio_has_no_command(text: str) -> None:
    assert read_script(text).groups == []
