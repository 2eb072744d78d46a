import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.operations.sessions.export import export_sessions
from instruments.errors import BadInput
from tests.app.report.test_document import write


def test_equal_names_do_not_overwrite_one_another(tmp_path: Path) -> None:
    places = [tmp_path / "a", tmp_path / "b"]
    for place in places:
        place.mkdir()
    paths = [write(place) for place in places]
    files = export_sessions(paths, ["csv"], tmp_path / "out")
    assert [file.name for file in files] == ["x.csv", "x-2.csv"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["x-2.csv", "x.csv"]


def test_a_bad_session_does_not_keep_the_good_ones_back(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bayscope"
    broken.write_text("nonsense")
    told: list[BadInput] = []
    paths = [broken, write(tmp_path)]
    files = export_sessions(paths, ["csv"], tmp_path / "out", failed=told.append)
    assert [file.name for file in files] == ["x.csv"]
    (error,) = told
    assert "not a Bayscope session" in str(error)
    with pytest.raises(BadInput):
        export_sessions(paths, ["csv"], tmp_path / "out")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(BadInput, match="cannot be written"):
        export_sessions([write(tmp_path)], ["csv"], file / "deeper")


def test_a_file_that_was_changed_says_so_in_every_format(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE result SET value = 1 WHERE name = 'power_w'")
        connection.commit()
    for file in export_sessions([path], ["csv", "md", "html"], tmp_path / "out"):
        assert "changed after the run" in file.read_text(), file.name


@pytest.mark.parametrize("name", ["feather", "doc"])
def test_formats_that_there_are_not_are_refused_by_name(name: str) -> None:
    with pytest.raises(
        BadInput, match="Use one of pdf, html, xlsx, docx, md, tex, csv, png, svg"
    ):
        export_sessions([], [name], Path())


def test_a_bad_folder_is_refused_once_and_before_a_session_is_read(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "file"
    folder.write_text("x")
    sessions = [tmp_path / "none.bayscope", tmp_path / "nor-this.bayscope"]
    said: list[BadInput] = []
    with pytest.raises(BadInput, match="file: files cannot be written there"):
        export_sessions(sessions, ["pdf"], folder, failed=said.append)
    assert said == []
