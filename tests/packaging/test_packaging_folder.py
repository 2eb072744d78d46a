import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_it_is_no_package_and_hides_none() -> None:
    """With an `__init__.py` it would replace the `packaging` that tools import."""
    assert not (ROOT / "packaging" / "__init__.py").exists()
    code = "from packaging.version import Version; import app; print(Version('1'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "1", done.stderr


def test_resources_are_a_package_that_can_be_read() -> None:
    assert (ROOT / "resources" / "__init__.py").is_file()
