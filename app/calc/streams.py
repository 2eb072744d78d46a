"""How many media streams a bandwidth carries."""

import math

from app.calc.calculator import Answer, Calculator, Output
from instruments.settings import Kind, Option, Settings

OPTIONS = (
    Option(
        "bandwidth",
        "What the storage delivers.",
        Kind.NUMBER,
        4000.0,
        low=0.0,
        high=1e9,
        unit="MB/s",
    ),
    Option("width", "Pixels per line.", Kind.INTEGER, 3840, low=1, high=100000),
    Option("height", "Lines per frame.", Kind.INTEGER, 2160, low=1, high=100000),
    Option(
        "depth",
        "Bits per pixel, all colours together.",
        Kind.NUMBER,
        24.0,
        low=1.0,
        high=256.0,
        unit="bits",
        name="Bits per pixel",
    ),
    Option(
        "rate",
        "Frames per second.",
        Kind.NUMBER,
        60.0,
        low=0.1,
        high=10000.0,
        unit="1/s",
        name="Frames per second",
    ),
    Option(
        "compressed",
        "Of a compressed stream.",
        Kind.NUMBER,
        1000.0,
        low=0.001,
        high=1e6,
        unit="Mbit/s",
        name="Compressed stream",
    ),
    Option(
        "reserve",
        "Kept free for seeks and rebuilds.",
        Kind.NUMBER,
        0.0,
        low=0.0,
        high=99.0,
        unit="%",
        name="Kept free",
    ),
)

OUTPUTS = (
    Output(
        "stream_mb_s",
        "An uncompressed stream",
        "MB/s",
        "width x height x bits x frames per second / 8",
    ),
    Output("streams", "Uncompressed streams", "", "bandwidth x (1 - reserve) / stream"),
    Output("whole", "Whole uncompressed streams", "", "rounded down"),
    Output("compressed_mb_s", "A compressed stream", "MB/s", "Mbit/s / 8"),
    Output(
        "compressed",
        "Whole compressed streams",
        "",
        "bandwidth x (1 - reserve) / compressed stream, rounded down",
    ),
)


def _work(settings: Settings) -> Answer:
    number = settings.number
    stream = number("width") * number("height") * number("depth") * number("rate") / 8e6
    room = number("bandwidth") * (1 - number("reserve") / 100)
    compressed = number("compressed") / 8
    return Answer(
        {
            "stream_mb_s": stream,
            "streams": room / stream,
            "whole": math.floor(room / stream),
            "compressed_mb_s": compressed,
            "compressed": math.floor(room / compressed),
        }
    )


STREAMS = Calculator(
    "streams",
    "Media streams",
    "How many video streams a bandwidth carries.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"bandwidth": "bandwidth_mb_s"},
)
