"""Scripts as people paste them: what the shell makes of them before fio sees it."""

import subprocess
from pathlib import Path

import pytest

from instruments.errors import BadInput
from workloads.fio.paste.finding import Weight
from workloads.fio.paste.script import Script, read_script


def calls(text: str) -> list[list[str]]:
    """Get the arguments of each call of fio."""
    return [
        [argument.text for argument in command.arguments]
        for group in read_script(text).groups
        for command in group
    ]


def told(script: Script, start: str) -> list[str]:
    return [
        str(finding) for finding in script.findings if finding.quote.startswith(start)
    ]


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
    "fio --name=a # --bs=4k\n# fio --name=b",
    "fio --name=a > out.txt 2>&1\nfio --name=b 2>/dev/null | tee log",
    "fio --name=a & fio --name=b & wait; fio --name=c",
    "fio --name=a && fio --name=b || exit 1",
    "fio --name=a --bs='$X' --rw=\"\\$X\" --size=\\$X",
    "fio --name=${NAME:-a} --rw=${RW:-read}",
    'F=fio; $F --name=a; "$F" --name=b; F=sudo; $F fio --name=c',
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
    assert [finding.lines for finding in script.findings] == [(3,), (6,)]


def test_a_line_printed_twice_is_taken_once() -> None:
    script = read_script("fio --rw=read\n--name=a --bs=4k\n--name=a --bs=4k\n--size=1m")
    arguments = [argument.text for argument in script.groups[0][0].arguments]
    assert arguments == ["--rw=read", "--name=a", "--bs=4k", "--size=1m"]
    (finding,) = [one for one in script.findings if one.decide]
    assert finding.lines == (3,)


def test_a_goto_is_told() -> None:
    script = read_script(":a\nfio --name=a --ioengine=windowsaio\ngoto a\n")
    assert told(script, "goto a")[0].endswith("Review it.")
    assert len(script.groups) == 1


def test_variables_of_a_batch_file() -> None:
    text = "set T=300\nfio --name=a --runtime=%T% ^\n --ioengine=windowsaio\n"
    assert calls(text) == [["--name=a", "--runtime=300", "--ioengine=windowsaio"]]


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
    assert any(finding.weight is Weight.TRAP for finding in findings)


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


def test_what_pins_fio_is_to_be_decided() -> None:
    script = read_script("taskset -c 0 fio --name=a")
    (finding,) = told(script, "taskset -c 0")
    assert finding.endswith("Review it.")
    assert len(script.groups) == 1


def test_a_program_without_a_value_is_taken_for_fio() -> None:
    assert calls("$FIO --name=a") == [["--name=a"]]


def test_what_no_command_of_fio_needs_is_not_asked_for() -> None:
    text = "OUT=$(date)/x\nfio --name=a --output=$OUT/a.json\nfio --name=`hostname`"
    with pytest.raises(BadInput) as caught:
        read_script(text)
    assert caught.value.where == "pasted, line 3"
    assert calls(text.splitlines()[1]) == [["--name=a", "--output=$OUT/a.json"]]


@pytest.mark.parametrize(
    "text",
    [
        "while true; do fio --name=a; done",
        "for ((i=0; i<3; i++)); do fio --name=a; done",
        "for %%b in (4k 64k) do fio --bs=%%b",
        "for x in a b; do fio --name=$x",
        "fio --name=a; done",
        "if [ -b /dev/x ]; then fio --name=a; fi",
        "run() { fio --name=a; }",
        "(fio --name=a; fio --name=b)",
        "X=$(fio --name=a 2>/dev/null | tail -1)",
        "echo 1 | fio --name=a",
        "ls || fio --name=a",
        "ssh host fio --name=a",
        "start fio --name=a",
        "cat > job.fio <<EOF",
        "fio --name=$NOWHERE",
        "B=1 fio --name=$B",
        "B=$(date); fio --name=$B",
        "fio --name=`hostname`",
        'fio --name="$(hostname)"',
        'fio "$@"',
        "fio --bs=$((1/0))",
        "fio --bs=$(seq 1 0 1)",
        "fio --bs=$(seq --5)",
        'fio --name="a',
        "fio --name=x{1..99999}",
        "for a in {1..900}; do for b in {1..900}; do fio --name=$a-$b; done; done",
        "for a in {1..900}; do for b in {1..900}; do echo; done; done",
        "for a in 1; do " * 50 + "fio --name=a" + "; done" * 50,
    ],
)
def test_what_is_not_read_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_script(f"fio --name=first\n{text}\n")
    assert caught.value.where == "pasted, line 2"
    assert caught.value.way_out


def test_pauses_and_other_programs_are_told() -> None:
    script = read_script("fio --name=a\nsleep 60\nmkfs.xfs /dev/sdb\necho done\n")
    assert told(script, "sleep 60")
    assert any(finding.lines == (3,) for finding in script.findings)
    assert not any(finding.lines == (4,) for finding in script.findings)


@pytest.mark.parametrize("text", ["", "\n\n", "hello world", "fiona --name=a", "\0"])
def test_a_text_without_fio_has_no_command(text: str) -> None:
    assert read_script(text).groups == []
