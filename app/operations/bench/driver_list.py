"""What a bench may have: every driver with its keys, for people, scripts and manual."""

from collections.abc import Iterable

from app.bench.drivers import drivers
from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.settings import Option, written

SECTIONS = {
    "power": "Power analysers",
    "thermal": "Temperatures, fans, supplies",
    "noise": "Noise",
    "host": "Hosts",
}


def find_drivers(words: Iterable[str] = ()) -> list[Driver]:
    """Get the drivers whose section, name or title has all these words.

    Raises:
        BadInput: There is none.
    """
    wanted = [word.lower() for word in words]
    found = [
        driver
        for driver in drivers().values()
        if all(
            word in f"{driver.section} {driver.name} {driver.title}".lower()
            for word in wanted
        )
    ]
    if not found:
        raise BadInput(
            f'no driver has "{" ".join(wanted)}" in its section, name or title',
            where="drivers",
            way_out="List all of them with: bayscope drivers",
        )
    return found


def drivers_as_json(found: Iterable[Driver]) -> list[dict[str, object]]:
    """Write drivers as plain values."""
    return [
        {
            "section": driver.section,
            "driver": driver.name,
            "title": driver.title,
            "password": driver.secret or None,
            "keys": [_option_as_json(option) for option in driver.options],
        }
        for driver in found
    ]


def _option_as_json(option: Option) -> dict[str, object]:
    return {
        "key": option.key,
        "help": option.help,
        "kind": str(option.kind),
        "required": option.required,
        "default": option.default,
        "choices": list(option.choices),
        "unit": option.unit,
    }


def drivers_text(found: Iterable[Driver]) -> str:
    """Write drivers for the terminal: a paragraph each."""
    parts = []
    for driver in found:
        lines = [f'[[{driver.section}]] driver = "{driver.name}"  {driver.title}']
        lines += [
            f"  {option.key}: {option.help} {_rule(option)}"
            for option in driver.options
        ]
        if driver.secret:
            lines.append(f"  (needs the {driver.secret}, from keyring or environment)")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def drivers_markdown() -> str:
    """Write the reference of all drivers, a section of the manual."""
    parts = [
        "# Drivers and their keys\n",
        "Made from the drivers themselves. Every source also has `name`, `driver`, "
        "`measures`, `calibrated` and `calibration_days`.\n",
    ]
    for section, title in SECTIONS.items():
        parts.append(f"## {title}: `[[{section}]]`\n")
        own = [one for one in drivers().values() if one.section == section]
        parts += [_chapter(driver) for driver in own]
    return "\n".join(parts)


def _chapter(driver: Driver) -> str:
    lines = [f"### `{driver.name}`: {driver.title}\n"]
    if driver.options:
        lines += ["| Key | Meaning | Value |", "|---|---|---|"]
        lines += [
            f"| `{option.key}` | {_cell(option.help)} | {_cell(_rule(option))} |"
            for option in driver.options
        ]
        lines.append("")
    if driver.secret:
        lines.append(
            f"Needs the {driver.secret}: in the desktop's keyring, or in the variable "
            "`BAYSCOPE_PASSWORD_` and the source's name in capitals.\n"
        )
    return "\n".join(lines)


def _rule(option: Option) -> str:
    text = option.expected[:1].upper() + option.expected[1:]
    if option.required:
        return f"{text}; required."
    if option.default in (None, "", ()):
        return f"{text}; may be left out."
    return f"{text}; {written(option.default)} where left out."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
