"""The chapter of the manual on calculators, made from what they say of themselves."""

from app.calc.calculator import Calculator
from app.calc.catalogue import CALCULATORS
from instruments.settings import Kind, as_entered, written

_HEAD = """# Calculators

This page is made by `bayscope calc --markdown` from the calculators themselves.

`bayscope calc WORD` and the page **Calculators** of the window (Ctrl+6) calculate what
a buyer asks of a storage system. Inputs that are left out have the values below, so
`bayscope calc zfs` alone shows what one looks like.

- `--session FILE --step LABEL` (**Fill from session...** in the window) fills in what a
  session has measured in a row, and what its bench says of device and costs; a value
  that is given goes before it.
- `--printed 1.12` says which result a figure of a report goes with, and whether it was
  rounded, cut off or rounded up, or how far it is off.
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
