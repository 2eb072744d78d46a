"""The command that calculates: capacity, reliability, links, cost."""

import argparse
from pathlib import Path

from app.calc.calculator import Answer, Calculator, figure
from app.calc.catalogue import CALCULATORS
from app.calc.printed import Found, find_printed, told
from app.cli.output import Add, print_json
from app.terminal import say
from instruments.errors import BadInput, OptionError
from instruments.settings import Kind, Value, as_entered, written

_HEAD = """# Calculators

This page is made by `bayscope calc --markdown` from the calculators themselves.

`bayscope calc WORD` and the page **Calculators** of the window (Ctrl+6) calculate what
a buyer asks of a storage system. Inputs that are left out have the values below, so
`bayscope calc zfs` alone shows what one looks like.

- `--session FILE --step LABEL` (**Fill from session...** in the window) fills in what a
  session has measured in a row, and what its bench says of device and costs; a value
  that is given goes before it.
- `--printed 1.12` says which results a figure of a report goes with, and whether it was
  rounded, cut off or rounded up, or how far it is off from the nearest. With its unit
  (`--printed "20 °C"`) it is looked for among results of that unit alone.
- `--json` has inputs, results, notes and the points of the chart.

TB are 10^12 bytes, TiB 2^40; MB/s are 10^6 bytes a second. Numbers are written with a
point. What a calculator cannot make of what it was given it leaves out.

ZFS capacities are worked out as OpenZFS 2.1 does, byte by byte; tests compare them with
pools of up to 90 drives of 20 TB that its own library has made. The probability of data
loss is that of a Markov chain; `--trials 10000` simulates as many missions drive by
drive beside it, with a 95 % interval. Every derived figure of five published reports is
recomputed by tests, or its difference explained.
"""


def manual_page() -> str:
    """Write the chapter."""
    return "\n".join([_HEAD, *map(_section, CALCULATORS.values())])


def _section(one: Calculator) -> str:
    lines = [f"## `{one.word}`: {one.title}", "", one.about, ""]
    lines += ["| input | what it is | if left out |", "| --- | --- | --- |"]
    for option in one.options:
        about = option.help.rstrip(".")
        if option.choices:
            about += f": {', '.join(map(written, option.choices))}"
        elif option.kind is not Kind.TEXT:
            about += f" ({as_entered(option.expected)})"
        default = f"{written(option.default)} {option.unit}".strip()
        known = default if option.default is not None else "not used"
        lines.append(
            f"| `--{option.key.replace('_', '-')}` | {_cell(about)} | {known} |"
        )
    lines += ["", "| result | unit | how it is made |", "| --- | --- | --- |"]
    for output in one.outputs:
        source = f" ({output.source})" if output.source else ""
        made = f"{output.formula}{source}"
        lines.append(f"| {_cell(output.title)} | {output.unit} | {_cell(made)} |")
    if one.takes:
        taken = ", ".join(f"`{name}`" for name in one.takes.values())
        lines += ["", f"From a session: {taken}."]
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def add_commands(add: Add) -> None:
    """Add the command with a word for each calculator."""
    command = add(
        "calc", "Calculate capacity, reliability, links, cost and more.", _list
    )
    command.add_argument(
        "--markdown", action="store_true", help="print the manual's chapter"
    )
    words = command.add_subparsers(dest="word", metavar="WORD")
    for one in CALCULATORS.values():
        _add_word(words, one)


def _add_word(
    words: "argparse._SubParsersAction[argparse.ArgumentParser]", one: Calculator
) -> None:
    text = one.about.replace("%", "%%")
    parser = words.add_parser(one.word, help=text, description=text)
    parser.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
    )
    for option in one.options:
        default = written(option.default)
        told = f"{option.help.rstrip('.')}{f', {option.unit}' if option.unit else ''}"
        told += f" (else {default})" if default else ""
        parser.add_argument(
            _flag(option.key),
            dest=f"input_{option.key}",
            metavar=option.kind.upper() if option.kind is not Kind.CHOICE else "WORD",
            help=told.replace("%", "%%")
            + (f": {', '.join(map(written, option.choices))}" * bool(option.choices)),
        )
    group = parser.add_argument_group("from a session")
    group.add_argument(
        "--session", type=Path, metavar="FILE", help="take measured values from it"
    )
    group.add_argument("--step", metavar="LABEL", help="of this row")
    parser.add_argument(
        "--printed",
        metavar="FIGURE",
        help="say which result a printed figure goes with, and how it was rounded",
    )
    parser.set_defaults(run=_calculate, calculator=one)


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _list(arguments: argparse.Namespace) -> int:
    if arguments.markdown:
        say(manual_page().rstrip())
    elif arguments.json:
        print_json({one.word: one.about for one in CALCULATORS.values()})
    else:
        width = max(map(len, CALCULATORS))
        lines = [f"{one.word:<{width}}  {one.about}" for one in CALCULATORS.values()]
        say("\n".join([*lines, "", "bayscope calc WORD --help says what it takes."]))
    return 0


def _calculate(arguments: argparse.Namespace) -> int:
    one: Calculator = arguments.calculator
    given = _from_session(arguments, one)
    for option in one.options:
        text = getattr(arguments, f"input_{option.key}")
        if text is not None:
            given[option.key] = option.typed(text)  # type: ignore[assignment]
    try:
        answer = one.answer(given)
    except OptionError as error:
        # Texts need no quotes here, as they do in a file.
        raise OptionError(error.option, error.what, as_entered(error.way_out)) from None
    found: tuple[Found, ...] = ()
    if arguments.printed is not None:
        found = find_printed(arguments.printed, one.outputs_of(given), answer.values)
        if not found:
            raise BadInput(
                f'"{arguments.printed}" is not a figure',
                where="--printed",
                way_out="Expected a number such as 1.12.",
            )
    if arguments.json:
        plain = _plain(one, given, answer)
        if found:
            first, *others = map(_found, found)
            plain["printed"] = {"figure": arguments.printed, **first, "or": others}
        print_json(plain)
    else:
        say(_text(one, given, answer))
        if found:
            say(f"\nPrinted {arguments.printed}: {told(found)}")
    return 0


def _found(one: Found) -> dict[str, object]:
    return {
        "result": one.output.key,
        "fit": str(one.fit),
        "off": one.off,
        "percent_off": one.percent,
    }


def _plain(
    one: Calculator, given: dict[str, Value], answer: Answer
) -> dict[str, object]:
    """Get the inputs, the results and the curves as plain values."""
    plain: dict[str, object] = {
        "calculator": one.word,
        "inputs": {
            option.key: given.get(option.key, option.default)
            if one.counts(option.key, given)
            else None
            for option in one.options
        },
        "results": {
            output.key: answer.values.get(output.key) for output in one.outputs
        },
        "notes": list(answer.notes),
    }
    if answer.chart is not None:
        plain["chart"] = {
            course.name: [list(point) for point in course.points]
            for course in answer.chart.courses
        }
    return plain


def _from_session(arguments: argparse.Namespace, one: Calculator) -> dict[str, Value]:
    if (arguments.session is None) != (arguments.step is None):
        lacks = "--step" if arguments.step is None else "--session"
        raise BadInput(
            f"{lacks} is missing",
            where=f"calc {one.word}",
            way_out="A row is given by --session FILE --step LABEL.",
        )
    if arguments.session is None:
        return {}
    from app.operations.sessions.taking import taken  # noqa: PLC0415 - reports are slow

    return taken(arguments.session, arguments.step, one)


def _text(one: Calculator, given: dict[str, Value], answer: Answer) -> str:
    """Write the inputs, the results with their formulas, and the notes."""
    inputs = [
        (option.title, written(given.get(option.key, option.default)), option.unit, "")
        for option in one.options
        if given.get(option.key, option.default) is not None
        and one.counts(option.key, given)
    ]
    results = [
        (output.title, figure(value), output.unit, f"= {output.formula}")
        for output in one.outputs_of(given)
        if (value := answer.values.get(output.key)) is not None
    ]
    lines = [f"{one.title}: {one.about}", ""]
    width = max(len(title) for title, *_ in (*inputs, *results))
    for rows in (inputs, results):
        lines += [*_aligned(rows, width), ""]
    return "\n".join([*lines, *(f"- {note}" for note in answer.notes)]).rstrip()


def _aligned(rows: list[tuple[str, str, str, str]], width: int) -> list[str]:
    room = max((len(value) for _, value, *_ in rows), default=0)
    unit_room = max((len(unit) for *_, unit, _ in rows), default=0)
    return [
        f"{title:<{width}}  {value:>{room}}  {unit:<{unit_room}}  "
        f"{formula if formula != '= ' else ''}".rstrip()
        for title, value, unit, formula in rows
    ]
