"""Several campaigns one after the other, or one later: `run A B --at 22:00`."""

import argparse
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from app.bench.model import Bench
from app.cli.answers import answers_for, check_answers, parse_answers
from app.cli.output import complain, print_json
from app.operations.queueing import (
    Done,
    Order,
    check_again,
    check_order,
    exit_code_of,
    parse_command,
    parse_time,
    run_command,
    wait_until,
)
from app.operations.run.arming import arming_of
from app.operations.run.run import RunResult
from app.operations.sessions.showing import show_json
from app.plan.campaign import Campaign
from app.terminal import say, warn
from instruments.errors import BenchError
from instruments.sizes import counted

Execute = Callable[[argparse.Namespace, Order, threading.Event], RunResult]
"""Runs one of them with its progress on the terminal."""


class Queue:
    """What was asked for on the command line; each mistake in it is told at once.

    Args:
        arguments: Those of `run`.
        campaigns: The plans, in their order.
        bench: What they run on.
        execute: Runs one.
        tell: Says what one came to.

    Raises:
        BadInput: A plan, a target, an answer, the time or the command is wrong.
        BenchError: A program or a load host is missing.
    """

    def __init__(
        self,
        arguments: argparse.Namespace,
        campaigns: Sequence[Campaign],
        bench: Bench,
        execute: Execute,
        tell: Callable[[RunResult], None],
    ) -> None:
        self._arguments = arguments
        self._execute = execute
        self._tell = tell
        self._moment = parse_time(arguments.at) if arguments.at else None
        self._command = parse_command(arguments.then) if arguments.then else None
        given: dict[str, str] = {}
        for campaign in campaigns:
            words = answers_for(arguments.answer, campaign)
            given.update(parse_answers(words, campaign))
        check_answers(arguments.answer, given)
        paths: Sequence[Path] = arguments.campaigns
        self._orders = [
            Order(
                campaign,
                bench,
                arguments.out,
                arguments.without,
                arming_of(arguments.arm, arguments.overwrite_data),
                arguments.erase_bucket,
                path.parent,
            )
            for campaign, path in zip(campaigns, paths, strict=True)
        ]
        for order in self._orders:
            check_order(order, later=self._moment is not None)
        self._done: list[Done] = []

    def run(self, cancel: threading.Event) -> int:
        """Run them all; return the exit code, the gravest of them."""
        quiet = self._arguments.json
        tell = (lambda _: None) if quiet else say
        if self._moment is not None:
            count = counted(len(self._orders), "campaign")
            tell(f"{count} at {self._moment:%Y-%m-%d %H:%M}.")
            wait_until(self._moment, cancel, lambda _: None)
        for number, order in enumerate(self._orders, 1):
            tell(f"\n{number} of {len(self._orders)}: {order.campaign.name}")
            self._done.append(self._run_one(order, cancel))
            stops = self._arguments.after_failure == "stop"
            if cancel.is_set() or (self._done[-1].failed and stops):
                break
        left = [one.campaign.name for one in self._orders[len(self._done) :]]
        if left and not quiet:
            warn(f"Not started: {', '.join(left)}.")
        self._run_command(cancel)
        code = exit_code_of(self._done)
        if quiet:
            runs = [_json(one) for one in self._done]
            print_json({"runs": runs, "not_started": left, "exit_code": code})
        return code

    def _run_command(self, cancel: threading.Event) -> None:
        if self._command is None:
            return
        if cancel.is_set() or any(one.was_stopped for one in self._done):
            warn("Stopped by the operator: the command of --then is not run.")
            return
        try:
            run_command(self._command, self._done, cancel)
        except BenchError as failure:
            warn(f"bayscope: {failure}")

    def _run_one(self, order: Order, cancel: threading.Event) -> Done:
        name = order.campaign.name
        try:
            check_again(order, cancel)
            result = self._execute(self._arguments, order, cancel)
        except BenchError as error:
            if not self._arguments.json:
                complain(error, as_json=False)
            return Done(name, error=error)
        if not self._arguments.json:
            self._tell(result)
        return Done(name, result)


def _json(one: Done) -> dict[str, object]:
    if one.result is None:
        return {"campaign": one.name, "error": str(one.error)}
    shown = show_json(one.result.session)
    return {**shown, "verdict": str(one.result.verdict)}
