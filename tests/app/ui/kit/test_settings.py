"""Settings outlive the program, and a damaged file harms nobody."""

from pathlib import Path

import pytest

from app.ui.kit.document import RecentFiles
from app.ui.kit.settings import Settings


def test_what_is_put_is_there_next_time(tmp_path: Path) -> None:
    file = tmp_path / "a" / "settings.toml"
    Settings(file).put("theme", "dark")
    assert Settings(file).get("theme") == "dark"
    assert Settings(file).get("other", "none") == "none"


def test_names_of_files_may_be_any_bytes(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    names = [
        *("two\nlines", "b\u202ead", "\udcff", "C:\\new", "\u00e4\U0001f600", "\0"),
        *(
            "end\\",
            '"',
            "json:",
            'json:"a"',
            "\x7f",
            "\u0085",
            "\u2028",
            "\r",
            "",
            "\\xe4",
        ),
    ]
    for number, name in enumerate(names):
        Settings(file).put(f"file{number}", name)
    assert [Settings(file).get(f"file{n}") for n in range(len(names))] == names
    Settings(file).put("files", names)
    Settings(file).put("after", "text")
    assert Settings(file).get_list("files") == names
    assert Settings(file).get("after") == "text"


def test_what_earlier_versions_kept_is_read_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        'theme = "dark"\n'
        "bench = 'C:\\new\\bench.toml'\n"
        "place = 'D:\\'\n"
        'odd = "json:{"\n'
        'recent_benches = "/a/bench.toml\\n/b/bench 2.toml"\n'
        "numbers = [1, 2]\n"
    )
    settings = Settings(file)
    assert settings.get("bench") == "C:\\new\\bench.toml"
    assert settings.get("place") == "D:\\"
    assert settings.get("odd") == "json:{"
    assert settings.get_list("numbers") == []
    recent = RecentFiles(settings, "recent_benches")
    assert recent.paths == [Path("/a/bench.toml"), Path("/b/bench 2.toml")]
    recent.put(Path("/c\nd.toml"))
    again = RecentFiles(Settings(file), "recent_benches")
    kept = ["/c\nd.toml", "/a/bench.toml", "/b/bench 2.toml"]
    assert again.paths == [Path(one) for one in kept]
    assert Settings(file).get("theme") == "dark"
    assert Settings(file).get("recent_benches", "no text") == "no text"


def test_a_damaged_file_counts_as_empty_and_is_told_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    assert Settings(file).trouble is None
    file.write_bytes(b"\xff\x00 = [")
    settings = Settings(file)
    assert settings.trouble is not None
    assert str(file) in settings.trouble.where
    assert settings.get("theme") == ""
    settings.put("theme", "light")
    assert Settings(file).get("theme") == "light"
    assert Settings(file).trouble is None
    assert (tmp_path / "settings.damaged").read_bytes() == b"\xff\x00 = ["


def test_default_place_is_the_users_configuration_folder(home: Path) -> None:
    assert Settings().path == home / ".config" / "bayscope" / "settings.toml"


def test_what_cannot_be_kept_lasts_as_long_as_the_program(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    settings = Settings(blocked / "settings.toml")
    settings.put("theme", "dark")
    settings.put("window", "00")
    assert settings.get("theme") == "dark"
    assert caplog.text.count("settings cannot be saved") == 1
