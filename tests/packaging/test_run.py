import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.checkout import QT, Checkout

# Nearly every one installs packages or looks at what is installed.
pytestmark = pytest.mark.slow

INSTALLING = "Installing the pinned Python packages"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Give a checkout that has been set up; tests leave it so that it can be mended."""
    checkout = Checkout(tmp_path_factory.mktemp("run"))
    done = checkout.run("setup")
    assert done.returncode == 0, done.stderr
    assert INSTALLING in done.stderr
    return checkout


def test_a_second_run_finds_nothing_to_do(ready: Checkout) -> None:
    assert ready.run("setup").returncode == 0
    done = ready.run("setup")
    assert done.returncode == 0
    assert INSTALLING not in done.stderr
    assert done.stdout == ""


def test_it_passes_arguments_folder_and_exit_code_through(
    ready: Checkout, tmp_path: Path
) -> None:
    done = ready.run("bayscope", "show", "a b", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == f"{tmp_path} ['show', 'a b', '--json']\n"
    assert ready.run("bayscope", "abort").returncode == 4
    assert ready.run("demo", "--quick").stdout.endswith("['demo', '--quick']\n")
    assert ready.run().stdout.endswith("[]\n")


def test_it_can_be_started_through_a_link(ready: Checkout, tmp_path: Path) -> None:
    link = tmp_path / "bayscope"
    link.symlink_to(ready.root / "run")
    done = subprocess.run(
        [link, "bayscope", "x"],
        env=ready.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "['x']" in done.stdout


def test_tests_get_their_tools_and_their_arguments(ready: Checkout) -> None:
    done = ready.run("test", "-k", "a or b", cwd=Path("/"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{ready.root} {['-k', 'a or b']}\n"
    assert INSTALLING not in ready.run("setup").stderr


def test_tests_keep_compiled_modules_but_not_beside_the_sources(
    ready: Checkout,
) -> None:
    for other in (ready.root / "tests").rglob("*.pyc"):
        other.unlink()  # of a test before, where the environment lets them be
    done = ready.run("test", variables={"PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    kept = (ready.root / ".venv" / "bytecode").rglob("tests/__init__*.pyc")
    assert len(list(kept)) == 1
    assert not list((ready.root / "tests").rglob("*.pyc"))


def test_a_changed_lock_is_installed(ready: Checkout) -> None:
    for version in ("2.0", "1.0"):
        ready.lock(ready.package("toy-qt", version, QT))
        done = ready.run("setup")
        assert done.returncode == 0, done.stderr
        assert ready.installed() == version


def test_an_environment_whose_python_went_away_is_made_anew(ready: Checkout) -> None:
    for name in ("python", "python3"):
        path = ready.root / ".venv" / "bin" / name
        path.unlink()
        path.symlink_to("/nowhere/python3")
    done = ready.run("setup")
    assert done.returncode == 0, done.stderr
    assert ready.installed() == "1.0"


def test_an_environment_that_lost_a_package_is_made_anew(ready: Checkout) -> None:
    [package] = (ready.root / ".venv").glob("lib/*/site-packages/PySide6")
    shutil.rmtree(package)
    done = ready.run("setup")
    assert done.returncode == 0, done.stderr
    assert package.is_dir()


def test_without_a_network_it_says_so_and_keeps_what_works(ready: Checkout) -> None:
    assert ready.run("setup").returncode == 0
    stamp = ready.root / ".venv" / "bayscope-setup"
    before = stamp.read_text()
    lock = ready.root / "requirements.lock"
    locked = lock.read_text()
    lock.write_text(f"missing==1.0 --hash=sha256:{'0' * 64}\n")
    offline = {
        "PIP_NO_INDEX": "0",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "1",
    }
    done = ready.run("setup", variables=offline)
    lock.write_text(locked)
    assert done.returncode == 2
    assert "The Python package index cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert stamp.read_text() == before
    assert INSTALLING not in ready.run("setup", variables=offline).stderr


def test_a_package_that_does_not_fit_its_hash_is_refused(ready: Checkout) -> None:
    lock = ready.root / "requirements.lock"
    locked = lock.read_text()
    line = ready.package("toy-qt", "3.0", QT)
    lock.write_text(line.split("sha256:")[0] + "sha256:" + "0" * 64 + "\n")
    done = ready.run("setup")
    lock.write_text(locked)
    assert done.returncode == 2
    assert "pip could not install the Python packages" in done.stderr
    assert ready.run("setup").returncode == 0
    assert ready.installed() == "1.0"


def test_two_that_mend_an_interrupted_set_up_take_turns(ready: Checkout) -> None:
    (ready.root / ".venv" / "bayscope-setup").write_text("incomplete\n")
    shutil.rmtree(ready.root / ".venv" / "bin")
    both = [
        subprocess.Popen(
            [ready.root / "run", "setup"],
            env=ready.environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=600)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    for words in ("incomplete or broken", INSTALLING, "waiting for it"):
        assert sum(words in text for text in said) == 1, said
    assert ready.installed() == "1.0"


def test_an_unknown_command_gets_a_sentence(ready: Checkout) -> None:
    done = ready.run("dance")
    assert done.returncode == 2
    assert done.stderr == "./run knows no command 'dance': ./run help lists them.\n"
    assert "demo" in ready.run("help").stdout


@pytest.mark.parametrize("command", ["help", "setup", "check", "pictures", "lock"])
def test_a_word_too_many_gets_a_sentence(ready: Checkout, command: str) -> None:
    done = ready.run(command, "now")
    assert done.returncode == 2
    assert "'now'" in done.stderr
    assert done.stdout == ""


def test_an_old_python_gets_a_sentence(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        checkout.command(name, "exit 1")
    done = checkout.run("setup")
    assert done.returncode == 2
    assert "Bayscope needs Python 3.11 or later, and python3 " in done.stderr


def test_half_a_python_gets_a_sentence(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.command("python3", 'case "$2" in *shutil*) exit 1;; esac; exit 0')
    done = checkout.run("setup")
    assert done.returncode == 2
    assert "apt-get install python3\n" in done.stderr


def test_no_python_gets_a_sentence(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "readlink"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    done = checkout.run("setup", variables={"PATH": str(tools)})
    assert done.returncode == 2
    assert "no python3 was found" in done.stderr


def test_a_checkout_of_another_user_is_left_alone(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    folder = checkout.root / ".venv"
    folder.mkdir()
    (folder / "theirs").touch()
    folder.chmod(0o555)
    # Root obeys the rights of a folder, too, once it has none over them.
    rights = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
    done = subprocess.run(
        [*(rights if os.getuid() == 0 else []), checkout.root / "run", "setup"],
        env=checkout.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o755)
    assert done.returncode == 2
    assert f"{folder} is another user's" in done.stderr
    assert "broken" not in done.stderr
    assert (folder / "theirs").exists()
