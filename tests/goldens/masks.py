"""What differs from run to run: numbers, times, ids, pictures and widths of columns."""

import json
import re
from pathlib import Path

_PICTURE = re.compile(r"data:[\w/+-]+;base64,[\w+/=]+")
_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_ID = re.compile(r"\b[0-9a-f]{8}(?:[0-9a-f-]{4,})?\b")
_NUMBER = re.compile(r"(?<![A-Za-z_])[+-]?\d[\d,]*|\d+")
_SIGN = re.compile(r"[+-](?=#)")
_RULE = re.compile(r"-{3,}|={3,}|\u2500{3,}")
_BLANKS = re.compile(r"[ \t]+")


def masked(text: str, folder: Path) -> str:
    """Mask a text so that two runs of one campaign give the same one."""
    text = text.replace(str(folder), "FOLDER")
    text = _SVG.sub("<svg/>", _PICTURE.sub("data:", text))
    text = _NUMBER.sub("#", _ID.sub("ID", text))
    text = _RULE.sub("---", _SIGN.sub("", text))
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def masked_json(text: str, folder: Path) -> str:
    """Mask the values of a JSON document; keys and their order stay."""
    try:
        document = json.loads(text)
    except ValueError:
        return masked(text, folder)

    def mask(value: object) -> object:
        if isinstance(value, dict):
            return {key: mask(item) for key, item in value.items()}
        if isinstance(value, list):
            return [mask(item) for item in value]
        if isinstance(value, str):
            return masked(value, folder)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return "#" if is_number else value

    return json.dumps(mask(document), indent=1, ensure_ascii=False)
