"""Pin the newest allowed packages, with hashes and without any address."""

import os
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMON = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-annotate",
    "--upgrade",
    "--quiet",
    "--custom-compile-command=./run lock",
    "pyproject.toml",
    "packaging/build.in",
)


def main() -> None:
    """Write both lock files with a uv of its own, in a throw-away environment."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        bin_folder = f"{folder}/bin"
        pip = [f"{bin_folder}/python", "-m", "pip", "install", "--quiet", "uv"]
        subprocess.run(pip, check=True)
        compiler = [f"{bin_folder}/uv", "pip", "compile", *COMMON]
        subprocess.run([*compiler, "-o", "requirements.lock"], check=True)
        # The tools join the very versions that the program runs with.
        tools = ["--group=dev", "--constraints=requirements.lock"]
        subprocess.run([*compiler, *tools, "-o", "requirements-dev.lock"], check=True)


if __name__ == "__main__":
    main()
