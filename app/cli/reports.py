"""The commands that make something of what was recorded: export, compare."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from app.cli.output import (
    Add,
    add_form,
    add_language,
    add_template,
    add_uncertainty,
    complain,
    names_of,
    print_json,
)
from app.operations.sessions.batch import (
    WatchedFolder,
    is_written,
    session_paths,
    summary_of,
)
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_file import (
    FORMS,
    check_forms,
    comparison_name,
    write_comparison,
    write_document,
)
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.operations.sessions.export import (
    FORMATS,
    check_formats,
    export_sessions,
    first_file,
)
from app.operations.sessions.together import together
from app.report.pages.template import Template, load_template
from app.report.text import terminal
from app.terminal import say
from instruments.errors import BadInput
from instruments.files.whole_file import check_folder


def add_commands(add: Add) -> None:
    """Add the commands to the parser."""
    command = add("export", "Write the report of sessions to files.", _export)
    command.add_argument(
        "sessions", type=Path, nargs="+", metavar="SESSION", help="file or folder"
    )
    command.add_argument(
        "--watch",
        action="store_true",
        help="export each session that ends in the folder, until Ctrl+C",
    )
    command.add_argument(
        "--format",
        default="html",
        help=f"one or more of {', '.join(FORMATS)}, with commas between them",
    )
    command.add_argument("--to", type=Path, default=Path(), metavar="DIR")
    add_form(command)
    add_uncertainty(command)
    add_template(command)
    command = add("compare", "Put sessions side by side.", _compare)
    command.add_argument(
        "sessions", type=Path, nargs="+", metavar="SESSION", help="file or folder"
    )
    command.add_argument(
        "--format",
        default="",
        help=f"write it to files: one or more of {', '.join(FORMS)}",
    )
    command.add_argument("--to", type=Path, default=Path(), metavar="DIR")
    command.add_argument(
        "--form",
        default="",
        metavar="NAME",
        help="the tables of this form, all sessions in one, such as block-sizes",
    )
    add_template(command)
    command = add(
        "figure",
        "Draw results of sessions, such as over what was swept, as SVG or CSV.",
        _figure,
    )
    command.add_argument("sessions", type=Path, nargs="+", metavar="SESSION")
    command.add_argument(
        "--kind",
        default="",
        help="swept, bars, latency-iops, power, rise, against, efficiency, "
        "percentiles, histogram, heat, noise, boxes or slots",
    )
    command.add_argument("--over", default="", help="the swept option, such as iodepth")
    for word, what in (("--x", "to the right"), ("--y", "upwards")):
        text = f"the result that runs {what}, such as iops"
        command.add_argument(word, default="", metavar="RESULT", help=text)
    command.add_argument(
        "--below",
        default="",
        metavar="RESULT",
        help="a further result over what was swept, drawn below; none for none",
    )
    command.add_argument("--step", action="append", default=[], metavar="LABEL")
    command.add_argument("--to", type=Path, metavar="FILE", help="ends in .svg or .csv")
    add_language(command)


def _export(arguments: argparse.Namespace) -> int:
    formats = names_of(arguments.format)
    if arguments.watch:
        return _watch(arguments, formats)
    errors: list[BadInput] = []
    paths = session_paths(arguments.sessions)
    written = export_sessions(
        paths,
        formats,
        arguments.to,
        form=arguments.form,
        template=arguments.template,
        language=arguments.language,
        spread=arguments.uncertainty,
        failed=errors.append if len(paths) > 1 else None,
    )
    shown: dict[str, object] = {"files": [str(path) for path in written]}
    lines = [f"Wrote {path}" for path in written]
    return _show(arguments, shown, "\n".join(lines), errors, len(paths))


def _watch(arguments: argparse.Namespace, formats: Sequence[str]) -> int:
    """Export each session that ends in a folder; one that is written is left."""
    check_formats(formats)
    if len(arguments.sessions) != 1 or not arguments.sessions[0].is_dir():
        raise BadInput(
            "one folder is watched",
            where="--watch",
            way_out="Name a folder that is there.",
        )
    check_folder(arguments.to)
    done, errors = 0, 0
    try:
        for path in WatchedFolder(arguments.sessions[0]).forever():
            known = [first_file(arguments.to, path.stem, name) for name in formats]
            if is_written(path, known):
                continue
            try:
                written = export_sessions(
                    [path],
                    formats,
                    arguments.to,
                    form=arguments.form,
                    template=arguments.template,
                    language=arguments.language,
                    spread=arguments.uncertainty,
                )
            except BadInput as error:
                complain(error, as_json=arguments.json)
                errors += 1
                continue
            done += 1
            shown: dict[str, object] = {"files": [str(one) for one in written]}
            _show(arguments, shown, "\n".join(f"Wrote {one}" for one in written), [])
    except KeyboardInterrupt:
        say(summary_of(done, errors))
    return BadInput.exit_code if errors else 0


def _compare(arguments: argparse.Namespace) -> int:
    errors: list[BadInput] = []
    forms = names_of(arguments.format)
    check_forms(forms, "--format")
    template = load_template(arguments.template, arguments.language)
    if forms:
        check_folder(arguments.to)
    paths = session_paths(arguments.sessions)
    if len(paths) == 1 < len(arguments.sessions):
        raise BadInput(
            "these are one and the same session",
            where=str(paths[0]),
            way_out="Give two or more session files.",
        )
    if arguments.form:
        return _together(arguments, paths, forms, template)
    comparison = compare_sessions(paths, errors.append)
    shown, text = comparison_json(comparison), comparison_text(comparison)
    if forms:
        name = comparison_name(comparison.names)
        files = [arguments.to / f"{name}.{form}" for form in forms]
        for file in files:
            write_comparison(comparison, file, template)
        shown = {"files": list(map(str, files))}
        text = "\n".join(f"Wrote {file}" for file in files)
    return _show(arguments, shown, text, errors)


def _together(
    arguments: argparse.Namespace,
    paths: Sequence[Path],
    formats: Sequence[str],
    template: Template,
) -> int:
    """Show, or write, the tables of one form with all sessions in them."""
    errors: list[BadInput] = []
    document = together(paths, arguments.form, errors.append)
    files = [arguments.to / f"{arguments.form}.{name}" for name in formats]
    for file in files:
        write_document(document, file, template)
    tables = ((document.caption, document.table), *document.more)
    values = [
        {"title": title, "heads": table.heads, "rows": table.texts()}
        for title, table in tables
    ]
    shown: dict[str, object] = {"tables": values}
    if files:
        shown = {"files": list(map(str, files))}
    text = "\n".join(f"Wrote {file}" for file in files) or terminal(document)
    return _show(arguments, shown, text, errors)


def _show(
    arguments: argparse.Namespace,
    shown: dict[str, object],
    text: str,
    errors: Sequence[BadInput],
    count: int = 0,
) -> int:
    """Write what was made, and what is wrong with the sessions that were not read.

    Of several that were exported it says how many were.
    """
    if arguments.json:
        told = {"errors": [str(error) for error in errors]} if errors else {}
        print_json({**shown, **told})
    else:
        if text:
            say(text)
        for error in errors:
            complain(error, as_json=False)
        if count > 1:
            say(summary_of(count - len(errors), len(errors)))
    return BadInput.exit_code if errors else 0


def _figure(arguments: argparse.Namespace) -> int:
    # It takes the histograms of every engine.
    from app.operations.sessions.figure import (  # noqa: PLC0415
        figure_csv,
        figure_of,
        write_figure,
    )
    from app.report.figures.kinds import Choice  # noqa: PLC0415
    from app.report.pages.sections import in_words  # noqa: PLC0415

    choice = Choice(
        arguments.kind,
        arguments.over,
        arguments.x,
        arguments.y,
        tuple(arguments.step),
        arguments.below,
    )
    pages = load_template(language=arguments.language)
    if arguments.to is not None:
        check_folder(arguments.to.parent)
    figure = in_words(figure_of(session_paths(arguments.sessions), choice), pages)
    shown: dict[str, object] = {
        "title": figure.title,
        "about": figure.about,
        "values": [list(line) for line in figure.lines()],
    }
    text = figure_csv(figure)
    if arguments.to is not None:
        write_figure(figure, arguments.to)
        shown, text = {"files": [str(arguments.to)]}, f"Wrote {arguments.to}"
    return _show(arguments, shown, text, [])
