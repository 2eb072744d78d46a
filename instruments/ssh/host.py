"""Another machine as a host: its tools and files over SSH."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import asyncssh

from instruments.errors import BenchError, plain_words
from instruments.ssh import script as ssh_script
from instruments.ssh.connection import LOOP, Connection, all_of
from instruments.ssh.started import LIFE_S, NotStarted, RemoteStarted
from instruments.ssh.target import Target
from instruments.tools.command import Completed
from instruments.tools.command_errors import TooLate, cannot_start, missing, too_late

# For the answer to come back that `timeout` there has ended the tool at its deadline.
_GRACE_S = 1.0


class _NotBegun(BenchError):  # noqa: N818  (caught here, and tried once more)
    """The connection was found closed before anything was asked on it."""


class SshHost:
    """A machine reached over SSH; see `Host`.

    Several of them with one target share a connection, which is made at the first use
    and ends with the last `close`; a tool that runs at that time keeps it for itself
    until it has ended. Who runs one after `close` has to close it again. Host keys are
    checked against known hosts; keys come from a file or the agent, never a password.
    The account's shell has to be a POSIX one, and grep and coreutils GNU's or alike.

    Args:
        name: What the bench calls it.
        target: The account and the way into it.
        sudo: Whether tools run as root, by `sudo -n`: it must not ask for a password.
        life_s: Seconds that a program lives on there when we are gone.
    """

    def __init__(
        self, name: str, target: Target, *, sudo: bool = False, life_s: float = LIFE_S
    ) -> None:
        self.name = name
        self.target = target
        self._life_s = life_s
        self._sudo = sudo
        self._was_used = False
        self._kept: Connection | None = None  # until `close`; the loop's alone

    def __str__(self) -> str:
        return str(self.target)

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run a tool to its end; see `Host`."""
        line = ssh_script.running(
            argv, timeout_s, sudo=self._sudo, variables=list(env or {})
        )
        self._was_used = True
        done = LOOP.submit(self._run(line, env or {}, argv[0], timeout_s)).result()
        self._check(argv[0], done)
        return done

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:
        """Read a small text file; see `Host`."""
        done = self.run(["cat", "--", path], timeout_s)
        if done.code:
            raise self._unreadable(path, done)
        return done.stdout

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> dict[str, str | None]:
        """Read small text files in one go; see `Host`."""
        texts: dict[str, str | None] = {}
        for part in _parts(paths):
            done = self.run(_print_command(part), timeout_s)
            texts |= _texts(part, done)
        return texts

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:
        """List the names in a folder; see `Host`."""
        done = self.run(["ls", "-1A", "--", f"{path}/"], timeout_s)
        # ls has one exit code for all that fails; under LC_ALL=C its words are fixed.
        if done.code and done.stderr.rstrip().endswith("No such file or directory"):
            return []
        if done.code:
            raise self._unreadable(path, done)
        return sorted(done.stdout.splitlines())

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> RemoteStarted:
        """Start a program that runs on, with its own connection; see `Host`."""
        line = ssh_script.holding(argv, cwd or ".", self._life_s, sudo=self._sudo)
        try:
            return RemoteStarted(self.target, line, env or {}, self._life_s)
        except NotStarted as error:
            failed = Completed("", error.stderr, error.code)
        self._check(argv[0], failed)
        raise cannot_start(argv[0], failed.stderr.strip() or "no answer", str(self))

    def close(self) -> None:
        """Let go of the connection; see `Host`."""
        if self._was_used:
            LOOP.submit(self._let_go()).result()

    async def _let_go(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            await LOOP.release(kept)

    async def _run(
        self, line: str, env: Mapping[str, str], tool: str, timeout_s: float
    ) -> Completed:
        # Two uses: one keeps the connection until `close`, the other this tool's until
        # it has ended, even where `close` comes first.
        if self._kept is None:
            self._kept = LOOP.acquire(self.target)
        shared = LOOP.acquire(self.target)
        try:
            try:
                return await self._run_once(shared, line, env, tool, timeout_s)
            except _NotBegun:  # nothing ran there yet, so that once more is safe
                return await self._run_once(shared, line, env, tool, timeout_s)
        finally:
            await LOOP.release(shared)

    async def _run_once(
        self,
        shared: Connection,
        line: str,
        env: Mapping[str, str],
        tool: str,
        timeout_s: float,
    ) -> Completed:
        async with shared.sessions:
            connection = await shared.get()
            loop = asyncio.get_running_loop()
            began = loop.time()
            process: asyncssh.SSHClientProcess[bytes] | None = None
            try:
                async with asyncio.timeout(timeout_s + _GRACE_S):
                    process = await shared.session(connection, line)
                    with suppress(OSError):  # it has ended already, and says why
                        process.stdin.write(ssh_script.settings(env).encode())
                        process.stdin.write_eof()
                    stdout, stderr = await all_of(process, tool, str(self))
            except TimeoutError:
                _kill(process)
                # A slow tool, or a machine that is gone? Only the latter is one to
                # reconnect to, and to report.
                if await shared.is_alive(connection):
                    raise too_late(tool, timeout_s, str(self)) from None
                shared.drop(connection)
                raise TooLate(
                    "it does not answer any more",
                    where=str(self),
                    way_out="Check whether it is up and the network is.",
                ) from None
            except asyncssh.ChannelOpenError as error:
                if connection.is_closed() or "closed" in error.reason:
                    shared.drop(connection)
                    raise _NotBegun(
                        f"the connection was lost ({plain_words(error)})",
                        where=str(self),
                        way_out="Check whether it is up; it is tried again.",
                    ) from error
                # That is not a reason to take the connection away from the others.
                raise self._lost(
                    f"it opens no session ({plain_words(error)})"
                ) from error
            except (OSError, asyncssh.Error) as error:
                shared.drop(connection)
                raise self._lost(
                    f"the connection was lost ({plain_words(error)})"
                ) from error
            code = process.returncode
            if code is None:  # the channel closed without an exit status (RFC 4254)
                shared.drop(connection)
                raise self._lost(f"the connection was lost while {tool} ran")
            # Killed at the deadline, by `timeout` there and not by somebody else.
            if code < 0 and loop.time() - began >= timeout_s:
                raise too_late(tool, timeout_s, str(self))
        return self._completed(stdout, stderr, code)

    def _completed(self, stdout: bytes, stderr: bytes, code: int) -> Completed:
        """Take the shell's greeting off; raises BenchError where no shell ran it."""
        if not ssh_script.has_begun(stdout):
            output = b" ".join((stdout + b" " + stderr).split())[-200:]
            raise BenchError(
                "the account's shell does not do what it is told "
                f"({output.decode('utf-8', 'replace') or f'code {code}'})",
                where=str(self),
                way_out="Use an account with a POSIX shell, such as /bin/sh.",
            )
        texts = ssh_script.without_greeting(stdout), ssh_script.without_greeting(stderr)
        return Completed(*texts, code)

    def _check(self, tool: str, done: Completed) -> None:
        """Tell a tool that did not start from one that ended badly.

        127 and 126 are what a shell, and `timeout`, exit with where a program is not
        found or cannot be run (POSIX, Shell Command Language 2.8.2). A tool may end so,
        too, which is why the complaint counts as well.
        """
        if done.code == 127 and (name := ssh_script.missing_tool(done.stderr)):
            raise missing(name, str(self))
        if done.code == 126 and (path := ssh_script.denied_tool(done.stderr)):
            raise cannot_start(path, "it is not executable", str(self))
        if done.code in (126, 127) and done.stderr.startswith("timeout: "):
            raise cannot_start(tool, done.stderr.rpartition(": ")[2].strip(), str(self))
        sudo_failed = self._sudo and done.code == 1  # sudo(8), EXIT VALUE
        if sudo_failed and (reason := ssh_script.refusal(done.stderr)):
            raise BenchError(
                f"sudo refused to run it ({reason})",
                where=f"{tool} on {self}",
                way_out="Allow the account 'timeout' with NOPASSWD in sudoers, or log "
                "in as root.",
            )

    def _lost(self, what: str) -> BenchError:
        return BenchError(
            what, where=str(self), way_out="Check whether it is up; it is tried again."
        )

    def _unreadable(self, path: str, done: Completed) -> BenchError:
        reason = done.stderr.rpartition(": ")[2].strip() or f"code {done.code}"
        return BenchError(
            f"it cannot be read ({reason})",
            where=f"{path} on {self}",
            way_out="Check whether it is there and whether you may read it.",
        )


def _kill(process: "asyncssh.SSHClientProcess[bytes] | None") -> None:
    if process is not None:
        process.kill()
        process.close()


def _parts(paths: Iterable[str]) -> Iterable[list[str]]:
    """Split paths so that each part fits into a command line."""
    part: list[str] = []
    size = 0
    for path in paths:
        size += len(path.encode()) + 3  # two quotes and a space
        if size > ssh_script.LARGEST:
            yield part
            part, size = [], len(path.encode()) + 3
        part.append(path)
    if part:
        yield part


def _print_command(paths: list[str]) -> list[str]:
    """Make the command that prints all of some files, each line as "path NUL line".

    An empty pattern matches every line; -a takes a file of any bytes for text; -Z ends
    the name with NUL, which no path has.
    """
    return ["grep", "-aZH", "", "--", *paths]


def _texts(paths: list[str], done: Completed) -> dict[str, str | None]:
    """Take apart what it printed.

    A file without a line is empty, or is named in the complaints and was not read.
    """
    lines: dict[str, list[str]] = {path: [] for path in paths}
    for line in done.stdout.split("\n")[:-1]:
        path, nul, rest = line.partition("\0")
        if nul and path in lines:
            lines[path].append(f"{rest}\n")
    texts: dict[str, str | None] = {}
    for path, text in lines.items():
        is_bad = not text and f"grep: {path}: " in done.stderr
        texts[path] = None if is_bad else "".join(text)
    return texts
