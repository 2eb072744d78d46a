"""Fields of a form and groups of them, whatever draws it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.plan.edit import Path
from instruments.settings import Option
from workloads.engines import LOADS


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a step or of a campaign.

    Attributes:
        table: The table that it stands in, such as ("fio",); () for the step itself.
        option: What may be entered.
        shown: Whether it is there without being asked for.
    """

    table: Path
    option: Option
    shown: bool = True

    @property
    def path(self) -> Path:
        """Where it stands in the step, such as ("fio", "bs")."""
        return (*self.table, self.option.key)

    @property
    def _is_of_engine(self) -> bool:
        return bool(self.table) and self.table[0] in LOADS

    @property
    def title(self) -> str:
        """Its name on the form: engines' own keys are spelled as they spell them."""
        return self.option.key if self._is_of_engine else self.option.title

    @property
    def name(self) -> str:
        """Its name where nothing around it tells the table, such as "fio.bs"."""
        return ".".join(self.path) if self._is_of_engine else self.title


def fields_of(table: Path, *options: Option) -> tuple[Field, ...]:
    """Make the fields of a table from its options."""
    return tuple(Field(table, option) for option in options)


@dataclass(frozen=True, slots=True)
class Group:
    """Fields below one heading.

    Attributes:
        title: The heading.
        table: The table of the step that they are in, "" for the step itself.
        fields: The fields; those not shown can be asked for.
        first: What stands in the table once it is switched on; nothing where the
            table is there anyway.
        help: What it does, for a table that can be switched on.
        is_folded: Whether its fields are hidden until one of them is used.
    """

    title: str
    table: str
    fields: tuple[Field, ...]
    first: Mapping[str, object] = field(default_factory=dict)
    help: str = ""
    is_folded: bool = False

    @property
    def is_optional(self) -> bool:
        """Whether the table is switched on and off as a whole."""
        return bool(self.first)
