"""What a form shows of the phases of a run: those steps that are no load."""

from collections.abc import Mapping

from app.operations.editing.field import Field, FieldKind

_K = FieldKind

PHASE_FIELDS: Mapping[str, tuple[Field, ...]] = {
    "prompt": (
        Field(("prompt", "text"), _K.LINES, "What the operator is asked to do"),
        Field(("prompt", "picture"), help="A picture beside the campaign's file"),
        Field(
            ("prompt", "check"),
            help="What has to hold when it is done; the run waits until it does",
        ),
        Field(
            ("prompt", "simulated"),
            help="What does it on a simulated bench, such as SIMulate:DRIVe 7,OUT",
        ),
    ),
    "command": (
        Field(("command", "run"), help="Program and arguments; no shell reads them"),
        Field(("command", "programs"), help="Further programs that it starts itself"),
    ),
    "cooldown": (
        Field(
            ("cooldown", "until"),
            _K.NUMBER,
            "It is over at this temperature; the runtime is its longest time",
            unit="\N{DEGREE SIGN}C",
        ),
        Field(
            ("cooldown", "slope"),
            _K.NUMBER,
            "It is over when the temperature changes by no more than this",
            unit="K/h",
        ),
        Field(("cooldown", "window"), _K.DURATION, "The slope is taken over it", "5m"),
        Field(("cooldown", "at_least"), _K.DURATION, "It lasts at least so long", "0s"),
        Field(
            ("cooldown", "channel"),
            help="The channel that is looked at; left out, the hottest drive",
        ),
    ),
    "align": (
        Field(("align", "bursts"), _K.COUNT, "Short loads of reads", "5"),
        Field(("align", "seed"), _K.COUNT, "Of the lengths of the bursts", "1"),
        Field(("align", "rate_iops"), _K.COUNT, "At most so many reads a second"),
    ),
    "startup": (
        Field(
            ("startup", "switch"),
            help="A [[switch]] of the bench; left out, the operator switches",
        ),
        Field(("startup", "outlet"), help="Which outlet of it"),
        Field(
            ("startup", "off_for"), _K.DURATION, "So long the device stays off", "10s"
        ),
        Field(
            ("startup", "ready"),
            help="The source that tells when it is ready; left out, settled power",
        ),
        Field(
            ("startup", "ask"),
            _K.FLAG,
            "The operator is asked before the switch takes power away",
            "true",
        ),
    ),
}
"""The fields of a phase by the name of its engine."""
