"""What a script does beside fio: told, and as far as needed followed."""

import re
from collections.abc import Sequence

from workloads.fio.paste.expand import Argument, Expansion
from workloads.fio.paste.finding import Notes, Weight

_QUIET_WORDS = """
echo @echo cd rem @rem set setlocal endlocal exit cls pause date true tee printf mkdir
md title export uptime hostname grep cat type clear pwd
"""
_QUIET = frozenset(_QUIET_WORDS.split())
_PAUSES = ("sleep", "timeout", "ping")
_PINNING = ("nice", "ionice", "numactl", "taskset", "chrt", "cgexec")
_WRAPPERS = ("sudo", "doas", "time", "nohup", "env", "exec", "command", "call", "start")
_OTHER_WRAPPERS = ("timeout", "stdbuf", "")


def wraps(first: str) -> bool:
    """Tell whether a program starts the one that its arguments name."""
    return first in _WRAPPERS or first in _PINNING or first in _OTHER_WRAPPERS


class Others:
    """The commands of a script that are not fio."""

    def __init__(self, notes: Notes, expansion: Expansion) -> None:
        self._notes = notes
        self._variables = expansion.variables
        self._labels: dict[str, int] = {}

    def around(self, words: Sequence[Argument]) -> None:
        """Tell of what starts fio."""
        for word in words:
            name = word.text.lower().lstrip("@")
            if name in _PINNING:
                self._notes.tell(
                    word.line,
                    " ".join(one.text for one in words),
                    f"{name} sets where or how urgently fio runs.",
                    "Left out. fio's own cpus_allowed, numa_cpu_nodes, nice and prio "
                    "say the same in a step.",
                    weight=Weight.LEFT_OUT,
                    decide=True,
                )
                return
        self._notes.tell(
            words[0].line,
            " ".join(one.text for one in words),
            "The shell starts fio through it.",
            "Left out: Bayscope starts fio itself.",
        )

    def command(self, words: Sequence[Argument], batch: bool) -> None:
        """Follow a command that is not fio, or tell of it."""
        first = words[0].text.lower().lstrip("@")
        line = words[0].line
        said = " ".join(word.text for word in words)[:80]
        if first == "set" and batch and len(words) > 1:
            said = " ".join(word.text for word in words[1:])
            name, _, value = said.strip('"').partition("=")
            self._variables[name.strip().lower()] = value
        elif first == "export":
            for word in words[1:]:
                name, _, value = word.text.partition("=")
                self._variables[name] = value
        elif re.fullmatch(r":[A-Za-z_]\w*", first):
            self._labels[first[1:]] = line
        elif first == "goto" and len(words) > 1:
            self._goto(line, words[1].text.lower().lstrip(":"))
        elif first in _PAUSES:
            self._notes.tell(
                line,
                said,
                "The shell waits here.",
                "No step is made of it. Add an idle step where the pause matters.",
                weight=Weight.LEFT_OUT,
            )
        elif first in _QUIET or first.startswith(("::", "#")):
            return
        else:
            self._notes.tell(
                line,
                "",
                "It is no command of fio.",
                "Left out: Bayscope runs no other program of a script.",
                weight=Weight.LEFT_OUT,
            )

    def _goto(self, line: int, label: str) -> None:
        if label in self._labels:
            self._notes.tell(
                line,
                f"goto {label}",
                f"cmd.exe goes back to line {self._labels[label]} and runs all since "
                "then again, without an end.",
                "Each command is taken once. Set `repeat` of the steps.",
                weight=Weight.TRAP,
                decide=True,
            )
        else:
            self._notes.tell(
                line,
                f"goto {label}",
                "cmd.exe goes on at that label and leaves out what stands between.",
                "Not followed: what stands between is taken, too.",
                weight=Weight.TRAP,
                decide=True,
            )
