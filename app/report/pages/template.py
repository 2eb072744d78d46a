"""The template set of a report: its files, settings, words and title block.

A set is a folder. What it lacks is taken from the one that ships, so a lab replaces a
logo, a title block, words or a whole page, each by its own file.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

from app.plan.toml_file import parse_toml
from app.plan.toml_table import TomlTable
from app.report.numbers import NumberStyle
from app.report.pages.words import Words, said, say_all
from instruments.errors import BadInput, BenchError, Place
from instruments.files.foreign_text import read_content, read_text
from instruments.settings import did_you_mean

FOLDER, STANDARD = "report", "standard"
SETTINGS = "report.toml"
ORIGINS = "origins"
"""The section that the figures of all others lead to."""

SECTIONS = (
    *("summary", "device", "results", "charts", "derived", "deviations"),
    *("quality", "checklists", "setup", "method"),
)
"""What a report has for its reader, in the usual order."""

APPENDIX = ("latency", "steps", "reproduce", ORIGINS)
"""What follows these, for who wants to check."""

_EVERY = (*SECTIONS, "gates", "rules", "scripts", *APPENDIX)

# It is written into each report as text, a third longer than the file.
_MOST_LOGO = 2**20
_IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Language:
    """Words, numbers and dates of a language."""

    name: str = "en"
    style: NumberStyle = field(default_factory=NumberStyle)
    date: str = "%Y-%m-%d %H:%M:%S"
    words: Words = field(default_factory=Words)


@dataclass(frozen=True, slots=True)
class Template:
    """A template set.

    Attributes:
        name: Of its folder.
        folder: Where it lies, None for the one that ships.
        title: What people call it.
        language: Of words, numbers and dates.
        form: Of the tables, "" for every result.
        sections: Which ones, in their order.
        appendix: Those that follow as an appendix.
        charts: Titles of the charts, "all" for every one, none for the usual ones.
        head: The title block: organisation, author and the like.
        logo: As a data URL, "" for none.
        words: Words that stand instead of others.
    """

    name: str = STANDARD
    folder: Path | None = None
    title: str = "Standard"
    language: Language = field(default_factory=Language)
    form: str = ""
    sections: tuple[str, ...] = SECTIONS
    appendix: tuple[str, ...] = APPENDIX
    charts: tuple[str, ...] = ()
    head: tuple[tuple[str, str], ...] = ()
    logo: str = ""
    words: Words = field(default_factory=Words)

    def say(self, text: str) -> str:
        """Say a word in the words of this template."""
        return said(text, self.words, self.language.style)

    def say_all(self, text: str) -> str:
        """Say a sentence in the words of this template; names in it stay."""
        return say_all(text, self.words, self.language.style)

    def text(self, name: str) -> tuple[str, str]:
        """Get the text of one of its files, and where that lies.

        Raises:
            BadInput: It cannot be read.
        """
        own = self.folder / name if self.folder is not None else None
        if own is not None and own.is_file():
            return read_text(own), str(own)
        shipped = files("resources") / FOLDER
        found = shipped / self.name / name
        if self.folder is not None or not found.is_file():
            found = shipped / STANDARD / name
        return found.read_text(encoding="utf-8"), name

    def fill(
        self,
        name: str,
        marks: Mapping[str, str],
        filters: Mapping[str, Callable[[Any], str]],
        **values: object,
    ) -> str:
        """Fill one of its pages.

        Args:
            name: The file.
            marks: What tells Jinja from the text around it, where that is not HTML.
            filters: What the page may put a value through.
            values: What the page may name.

        Raises:
            BadInput: The page has a mistake; names the file and the line.
        """
        # Only now: most commands write no report.
        from app.report.pages.sandbox import Sandbox  # noqa: PLC0415

        text, where = self.text(name)
        settings: dict[str, Any] = dict(marks)
        sandbox = Sandbox(autoescape=name.endswith(".html.j2"), **settings)
        sandbox.filters.update(filters)
        try:
            return sandbox.from_string(text).render(**values)
        except BenchError:
            raise
        except Exception as e:  # It is a program of somebody: any may come.
            line = getattr(e, "lineno", None) or _line_of(e)
            said = next(iter(str(e).splitlines()), "").rstrip(".") or type(e).__name__
            raise BadInput(
                f"the template has a mistake, {said}",
                where=Place(where, line),
                way_out="Correct it, or remove it: then the one that ships is taken.",
            ) from e


def _line_of(error: BaseException) -> int:
    """Get the line of a template that raised an error, 0 where none is known."""
    found, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in ("<template>", "<unknown>"):
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def own_folder() -> Path:
    """Get the folder in which a lab keeps its template sets; it need not exist."""
    return platformdirs.user_config_path("bayscope", appauthor=False) / "reports"


def template_names() -> list[str]:
    """Name the template sets there are, those that ship first."""
    shipped = (files("resources") / FOLDER).iterdir()
    sets = sorted(one.name for one in shipped if (one / SETTINGS).is_file())
    own = sorted(path.name for path in own_folder().glob("*") if path.is_dir())
    return list(dict.fromkeys((STANDARD, *sets, *own)))


def languages() -> list[str]:
    """Name the languages there are."""
    folder = files("resources") / FOLDER / "languages"
    return sorted(p.name.removesuffix(".toml") for p in folder.iterdir())


def load_template(name: str = STANDARD, language: str = "") -> Template:
    """Read a template set.

    Args:
        name: Of its folder.
        language: Instead of its own, such as "de".

    Raises:
        BadInput: There is none of the name, or its settings have a mistake.
    """
    names = template_names()
    if name not in names:
        raise BadInput(
            f'there is no report template "{name}"{did_you_mean(name, names)}',
            where="--template",
            way_out=f"Use one of {', '.join(names)}, or put yours into {own_folder()}.",
        )
    own = own_folder() / name
    template = Template(name, own if own.is_dir() else None)
    text, where = template.text(SETTINGS)
    return _settings(parse_toml(text, where), template, language)


def _settings(top: TomlTable, template: Template, language: str) -> Template:
    known = languages()
    if language and language not in known:
        raise BadInput(
            f'there is no language "{language}"{did_you_mean(language, known)}',
            where="--language",
            way_out=f"Use one of {', '.join(known)}.",
        )
    chosen = _language(language or top.choice("language", known, "en"))
    top.choice("language", known, "en")
    head, words = top.table("head"), top.table("words")
    sections = _sections(top, "sections", SECTIONS)
    appendix = _sections(top, "appendix", () if "sections" in top.values else APPENDIX)
    made = Template(
        name=template.name,
        folder=template.folder,
        title=top.text("title", template.name),
        language=chosen,
        form=top.text("form", ""),
        sections=sections,
        appendix=appendix,
        charts=tuple(top.texts("charts")),
        head=tuple((key, head.text(key)) for key in head.values),
        logo=_logo(template, top.text("logo", ""), top),
        words=Words(chosen.words | {key: words.text(key) for key in words.values}),
    )
    top.finish()
    return made


def _sections(top: TomlTable, key: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(top.texts(key)) or usual
    for one in names:
        if one not in _EVERY:
            expected = f"Expected some of {', '.join(_EVERY)}."
            hint = did_you_mean(one, _EVERY)
            top.fail(key, f'there is no section "{one}"{hint}', expected)
    return names


def _language(name: str) -> Language:
    text = (files("resources") / FOLDER / "languages" / f"{name}.toml").read_text(
        "utf-8"
    )
    top = parse_toml(text, f"{name}.toml")
    words = top.table("words")
    moment = top.text("date")
    style = NumberStyle(
        top.text("point"), top.text("group", ""), moment.partition(" ")[0]
    )
    return Language(
        name,
        style,
        moment,
        Words({key: words.text(key) for key in words.values}),
    )


def _logo(template: Template, name: str, top: TomlTable) -> str:
    if not name:
        return ""
    kind = _IMAGES.get(Path(name).suffix.lower(), "")
    if not kind or template.folder is None or Path(name).name != name:
        expected = "Expected the name of a PNG, JPEG or SVG file beside report.toml."
        top.fail("logo", f'logo is "{name}"', expected)
    content = read_content(template.folder / name, _MOST_LOGO)
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
