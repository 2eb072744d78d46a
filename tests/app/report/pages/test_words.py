"""No English word is left in a German report but for names and what was quoted."""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import app
from app.analysis.repeat import Repeats
from app.analysis.tail import tail_notes
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_file import comparison_document
from app.operations.sessions.export import _Files
from app.plan.gates import checklists, gates
from app.record.store import Result, Session, Writer
from app.report.forms.form import all_forms, form_names
from app.report.pages.html import render_html
from app.report.pages.report import report_of
from app.report.pages.template import load_template
from app.report.pages.words import Words, said, say_all
from instruments.files.foreign_text import stored_table, stored_toml
from instruments.metric import METRICS
from instruments.reading import SECOND, Identity
from tests.app.ui.sample import write_sample
from tests.session_info import session_info

_SAME = (
    "bayscope bmc clat dc degc done dut e ee emerald eur fio gb gib h hdd hpc hz idle "
    "io iops j jbod json k kb kib kernel kwh laeq lafmax lambda lag log mb mib min "
    "mlcommons ms pass pb pue q raid s sas sha snia spec ssd sss tb toml v va vdbench "
    "w wh x fail aborted skipped system p o b i fsync cache drift noise op iozone "
    "direct cpus pts kg"
)
SAME = frozenset(_SAME.split(" "))
"""Names of units, rows, programs, standards and states: the same in every language."""

GERMAN = load_template("full", "de")

CITED = (
    *("Energy Efficient HPC Power Measurement Methodology", "EE HPC WG"),
    *("SNIA Solid State Storage Performance Test Specification", "TKperf"),
    *("SNIA Emerald Power Efficiency Measurement Specification", "User Guide"),
    *("SNIA Emerald for Data Center Storage Devices", "StdyState.py", "DeviceTests.py"),
    *("SPEC Power and Performance Benchmark Methodology", "PTDaemon", "ISO"),
    *("and SPECpower_ssj2008 Run and Reporting Rules", "Environmental Conditions"),
    *("SPECpower_ssj2008 Run and Reporting Rules", "ASHRAE TC", "README", "HMC8015"),
    *(
        "MLPerf Inference power measurement",
        "inference_policies",
        "MLCommons power-dev",
    ),
    *("Power and Temperature Measurement", "Line Voltage Source", "compliance"),
    *("tools/submission/power/power_checker.py", "MLCommons inference", "check.py"),
    *("power_measurement.adoc", "lib/server.py", "phases_check", "MLCommons power"),
    *("SPEC power", "Vdbench", "bench.toml", "campaign.toml"),
)
"""Cited in every language: their words make no other text German."""


def _without(text: str, names: Iterable[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
    return text


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.lower()))


_OWN = [own for text, own in GERMAN.words.items() if own != text]
_KNOWN = _words(_without(" ".join(_OWN), CITED)) | SAME


class Nodes(HTMLParser):
    """Collects the texts of a page, but for scripts and what programs read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._skipped = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in ("pre", "style", "script")
        told = ("title", "alt", "aria-label")
        self.texts += [text for name, text in attrs if name in told and text]

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in ("pre", "style", "script")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.texts.append(data.strip())


def texts_of_markdown(page: str) -> list[str]:
    """Get the cells and lines of a page, but for what is quoted as it was used."""
    page = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    return [cell.strip("#*- ") for cell in re.split(r"[|\n]", page)]


_TEX_ARGUMENTS = (
    r"\\begin\{(?:verbatim|lstlisting)\}.*?\\end\{(?:verbatim|lstlisting)\}",
    r"\\addplot.*?;",
    r"\\begin\{longtable\}.*",
    r"\\need\{.*?\}|\\setlength\{.*?\}\{.*?\}|\\(?:begin|end)\{\w+\}",
    r"\\allowbreak\{\}|\\-|-\{\}(?=-)|\{\}",
    r"\\(?:hyperref|href)\[.*?\]|\\label\{\w+\}",
)


def texts_of_latex(page: str) -> list[str]:
    """Get the cells and lines of a document, and the labels of its charts."""
    body = page.partition(r"\begin{document}")[2]
    axes = re.findall(r"\\begin\{axis\}\[(.*?)\]\n", body)
    labels = [one for axis in axes for one in re.findall(r"label=\{(.*?)\}", axis)]
    body = re.sub(r"\\begin\{axis\}.*", "", body)
    for pattern in _TEX_ARGUMENTS:
        body = re.sub(pattern, "", body, flags=re.DOTALL * ("begin..(?:v" in pattern))
    body = re.sub(r"\\([%&_#$])", lambda one: one[1].replace("&", " "), body)
    body = re.sub(r"\\[a-zA-Z]+\*?", " ", body)
    return [one.strip("{}* ") for one in (*labels, *re.split(r"[&\n]|\\\\", body))]


TEXTS: dict[str, Callable[[str], list[str]]] = {
    "html": lambda page: Nodes(page).texts,
    "md": texts_of_markdown,
    "tex": texts_of_latex,
}
"""By the format of a report, how to get what it says."""


def names_in(session: Session) -> set[str]:
    """Get what others called anything in a session: it stays in every language."""
    info = session.info
    names = {info.name, info.dut, info.note, info.operator, session.path.name}
    names |= {step.label for step in session.steps()}
    names |= {one.name for one in session.artefacts()}
    names |= {channel.name for channel in session.channels()}
    names |= (
        {gate.name for gate in gates()}
        | {"bayscope verify", "bayscope run"}
        | {"bench"}
    )
    for one in session.sources():
        names |= {one.name, one.maker, one.model, one.serial, one.firmware}
    names |= {fact.value for fact in session.inventory() if fact.value != "simulated"}
    for result in session.results():
        names |= set(re.findall(r'"(.*?)"', f"{result.origin} {result.note}"))
    for step in session.steps():
        names |= set(re.findall(r'"(.*?)"', step.reason))
        stored = stored_table(step.plan, step.engine)
        names |= {str(value) for value in stored.values()}
    names.add(str(stored_toml(session.info.bench).get("name", "")))
    dut = stored_table(session.info.bench, "dut")
    return {name for name in (*names, *map(str, dut.values())) if name}


def english_words(
    session: Session, form: str = "", kind: str = "html"
) -> dict[str, str]:
    """Find words of a German page that no German text has, each with its text."""
    page = _Files(session, GERMAN, form, spread=True)._content(kind).decode()
    return english_in(TEXTS[kind](page), names_in(session))


def english_in(texts: Iterable[str], names: Collection[str]) -> dict[str, str]:
    """Find words of texts that no German text has, but for what has these names."""
    found = {}
    for text in texts:
        if GERMAN.words.get(text) == text:
            continue
        # A chart cuts the names of steps that are too long for it.
        cut = text.endswith("\N{HORIZONTAL ELLIPSIS}") and text[:-1]
        if cut and any(name.startswith(cut) for name in names):
            continue
        rest = _without(text, (*names, *CITED))
        rest = re.sub(r"[0-9a-f]{64}|\w*_\w*|`[^`]*`", " ", rest)
        for word in _words(rest) - _KNOWN:
            found[word] = text
    return found


def rough(path: Path) -> Path:
    """Write a session that much is to be said of."""
    writer = Writer.create(path, session_info(name="n", dut="d"))
    window = (0, 2 * SECOND)
    for number, outcome in enumerate(("DONE", "ABORTED", *("SKIPPED",) * 5), 1):
        reason = "" if number == 1 else "stopped by the operator before its end"
        if outcome == "SKIPPED":
            reason = "not run, stopped by the operator"
        step = writer.add_step(number, f"Row {number}: 4k", "fio", "")
        writer.update_step(step, outcome=outcome, reason=reason)
        writer.update_step(step, start_ns=0, end_ns=window[1])
    writer.update_step(1, window_start_ns=0, window_end_ns=window[1])
    for name, value, unit, valid in (
        ("iops", 100.0, "1/s", 1),
        ("latency_p99_ms", 3.0, "ms", 1),
        ("power_w", 400.0, "W", 3),
        ("drive_max_c", None, "degC", 0),
        ("duration_s", 2.0, "s", 1),
    ):
        writer.result(
            1, Result(name, value, unit, *window, valid, 20 if valid == 3 else 1)
        )
    writer.set_session(verdict="ABORTED")
    writer.finish()
    return path


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("make", [write_sample, rough])
def test_no_english_word_is_left_in_a_german_report(
    make: Callable[[Path], Path], kind: str, tmp_path: Path
) -> None:
    with Session.open(make(tmp_path / "x.bayscope")) as session:
        assert english_words(session, kind=kind) == {}


@pytest.fixture(scope="module", params=["enclosure", "raid10-logical", "8x-sata"])
def one_published(
    request: pytest.FixtureRequest, published: list[Path]
) -> Iterator[Session]:
    (path,) = (one for one in published if request.param in one.name)
    with Session.open(path) as session:
        yield session


@pytest.mark.parametrize("form", ["", *form_names()])
def test_no_english_word_is_left_in_what_was_published(
    one_published: Session, form: str
) -> None:
    assert english_words(one_published, form) == {}


def test_no_english_word_is_left_in_a_german_comparison(tmp_path: Path) -> None:
    paths = [
        write_sample(tmp_path / "a.bayscope", step_s=4),
        write_sample(tmp_path / "b.bayscope", step_s=6, factor=1.3),
    ]
    comparison = compare_sessions(paths)
    labels = {label for label, _ in comparison.rows}
    report = report_of(comparison_document(comparison), GERMAN)
    names = {"a", "b", "B", "A, B", *labels}
    with Session.open(paths[0]) as session:
        names |= names_in(session)
    assert english_in(Nodes(render_html(report, GERMAN)).texts, names) == {}


def _literals() -> Iterator[str]:
    """Get the first word of each column, axis, series and figure that code makes."""
    folder = Path(app.__file__).parent
    comparison = folder / "operations" / "sessions" / "comparison_file.py"
    for path in (comparison, *sorted((folder / "report").rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("Column", "Axis", "Series", "Figure", "Figures"):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant):
                    yield str(first.value)


def test_heads_of_tables_and_axes_are_german() -> None:
    texts = [*_literals()]
    assert len(texts) > 60
    texts += [one.head for one in METRICS] + [one.short for one in METRICS]
    for form in all_forms():
        for table in form.tables:
            texts += [form.title, table.title, table.head]
            texts += [one.head for one in (*table.columns, *table.below)]
    assert english_in(map(GERMAN.say, filter(None, texts)), ()) == {}


@pytest.mark.parametrize("name", sorted(checklists()))
def test_rules_of_checklists_are_german_but_for_what_they_cite(name: str) -> None:
    found = checklists()[name]
    texts = [found.title, *(one.title for one in found.rules)]
    texts += [f"{one.source}; not verified" for one in found.rules]
    assert english_in(map(GERMAN.say, texts), CITED) == {}


def test_what_is_said_of_a_set_up_is_in_the_language(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "x.bayscope", session_info())
    sound = "calibration 94.00 dB of an unknown day"
    who = Identity("", "WAV file, a recording and not live", "", sound, "a.wav")
    writer.add_source("ear", "noise", "wav", who, "")
    writer.add_source("bmc", "thermal", "x", Identity("", "V 1.5", "", "2.10", ""), "")
    writer.inventory("host", "h", {"memory_bytes": str(47 * 2**29)})
    writer.finish()
    with Session.open(writer.path) as session:
        page = _Files(session, GERMAN, "", spread=False)._content("md").decode()
    assert "23,5 GiB" in page
    assert "WAV-Datei, eine Aufnahme und nicht live" in page
    assert "Kalibrierung 94,00 dB, Datum nicht bekannt" in page
    assert "| V 1.5 |" in page
    assert "| 2.10 |" in page


def test_doubts_about_readings_and_repeats_are_told_in_the_language() -> None:
    doubt = (
        "a.P is negative in 1 of 100 readings (down to -500.5 W), counted as read: is "
        "a current clamp the wrong way round, or is power fed in?"
    )
    found = GERMAN.say_all(f"Idle: {doubt}")
    assert found == (
        "Idle: a.P ist in 1 von 100 Messwerten negativ (bis -500,5 W), so gezählt, wie "
        "gelesen: Sitzt eine Stromzange falsch herum, oder wird eingespeist?"
    )
    why = Repeats().judge([100.0, 100.5, 99.5, 100.0, 100.1]).why
    assert GERMAN.say_all(f"Read: IOPS 100, mean of 5 runs ({why})") == (
        "Read: IOPS 100, Mittel von 5 Läufen (100,02 ± 0,44 % (95 % wie bei fester "
        "Zahl unabhängiger Läufe) nach 5, also innerhalb von 2 %)"
    )


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (
            "Idle: Ambient (°C) is the mean of bmc.temperature.inlet, known in 50 % of "
            "the time",
            "Idle: Umgebung (°C) ist das Mittel von bmc.temperature.inlet, bekannt in "
            "50 % der Zeit",
        ),
        (
            "Idle: Drive max (°C) is the highest of 9 sensors, but only with "
            "a.temperature.slot1 in 0 % of the time, 5 more for part of it",
            "Idle: Laufwerk max. (°C) ist das Höchste von 9 Fühlern, aber nur mit "
            "a.temperature.slot1 in 0 % der Zeit, 5 weiteren zeitweise",
        ),
    ],
)
def test_sensors_that_were_lost_are_told_in_the_language(
    note: str, expected: str
) -> None:
    assert GERMAN.say_all(note) == expected


def test_percentiles_of_few_are_told_in_the_language() -> None:
    row = {
        **dict.fromkeys(("latency_p99_ms", "latency_p99_9_ms", "read_p99_ms"), 3.5),
        **{"step": "x", "iops": 100.0, "read_iops": 100.0, "duration_s": 2.0},
    }
    notes = tail_notes(row)
    assert notes
    for note in notes:
        found = GERMAN.say_all(f"Sequential read 4M: {note}")
        assert found.startswith("Sequential read 4M: Latenz 99")
        assert "wenige I/Os" in found
        assert "Latency" not in found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: 1.5 of b", "a: 1,5 von b"),
        ("x to y: c: 1.5 of b", "x to y: c: 1,5 von b"),
        ("1 of 2; 3 of 4", "1 von 2; 3 von 4"),
        ("Power: Idle", "Power: Idle"),
        ("kept: Idle, Power", "behalten: Leerlauf, Leistung"),
        ("kept: Idle, 2 of 3", "behalten: Leerlauf, 2 von 3"),
        ("v1.2 is 1.2", "v1.2 is 1,2"),
    ],
)
def test_a_sentence_keeps_names_and_says_the_rest(text: str, wanted: str) -> None:
    words = Words({"{} of {}": "{} von {}", "kept: {say}": "behalten: {say}"})
    words |= {"Idle": "Leerlauf", "Power": "Leistung"}
    assert say_all(text, words, GERMAN.language.style) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "mean power x time is 5.1 Wh and the analyser's integrator says 0.2 Wh; "
            "one of the two is wrong; not clean: 9 % of the I/O on its disk came from "
            "other processes: 2 MiB of writes",
            "mittlere Leistung x Zeit ist 5,1 Wh, und der Integrator des Messgeräts "
            "sagt 0,2 Wh; eines von beiden ist falsch; nicht sauber: 9 % der I/O auf "
            "seinem Laufwerk kamen von anderen Prozessen: 2 MiB Schreiben",
        ),
        (
            "ambient temperature was measured in 3 of 8 samples; this machine itself "
            "is busy (load 13 on 2 processors), which delays its readings: end what "
            "else runs here, or run the load elsewhere",
            "Temperatur der Umgebung wurde in 3 von 8 Messwerten gemessen; dieser "
            "Rechner selbst ist ausgelastet (Last 13 auf 2 Prozessoren), was seine "
            "Messwerte verzögert: beenden, was hier sonst läuft, oder die Last "
            "anderswo laufen lassen",
        ),
        (
            "Ambient (°C) is the mean of 5 sensors, but only with a.inlet in 25 % of "
            "the time, b.inlet in 50 % of the time, 2 more for part of it",
            "Umgebung (°C) ist das Mittel von 5 Fühlern, aber nur mit a.inlet in 25 % "
            "der Zeit, b.inlet in 50 % der Zeit, 2 weiteren zeitweise",
        ),
    ],
)
def test_a_verdict_of_several_turns_is_german(text: str, wanted: str) -> None:
    assert GERMAN.say_all(f"Idle: ERROR, {text}") == f"Idle: ERROR, {wanted}"


def test_a_text_without_words_stays() -> None:
    text = "Power (W): {} of {say}; 1.5 (x, y)"
    assert said(text) == say_all(text) == text


def test_each_sentence_has_the_places_of_the_english_one() -> None:
    for text, own in GERMAN.words.items():
        places = [re.findall(r"\{(?:say)?\}", one) for one in (text, own)]
        assert places[0] == places[1], text


@pytest.mark.parametrize(
    "text",
    [
        "at most " * 4000,
        "x has no value, " * 4000,
        "a: 1.5 of b; " * 4000,
        "1 to 2 " * 4000,
    ],
)
def test_what_somebody_made_up_is_soon_said(text: str) -> None:
    for length in (len(text), 1500, 700):
        for say in (GERMAN.say, GERMAN.say_all):
            assert say(text[:length])


def test_a_sentence_of_a_lab_with_more_places_than_the_english_one_is_written() -> None:
    assert say_all("1 of 2", Words({"{} of {}": "{} {} {}"})) == "1 2 "
