"""Strict type checks of the public package, of the examples and of any file: `python -m scree.tools.check_types [FILE ...]`.

A type checker follows no import hook, so in a checkout it cannot find the package `scree` in the folder `engine_core/`. It gets a
copy under the right name.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from scree.tools import places


def check(*files: Path) -> tuple[int, str]:
    """Exit code of mypy and what it says: about the public package where no files are given. Needs mypy, of the extra `dev`."""
    root = places.checkout()
    packages = root / ".mypy_cache" / "packages"
    shutil.rmtree(packages / "scree", ignore_errors=True)
    shutil.copytree(root / "engine_core", packages / "scree", ignore=shutil.ignore_patterns("__pycache__"))
    what = [str(file) for file in files] or ["--package", "scree.api"]
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), *what]
    run = subprocess.run(command, cwd=packages, capture_output=True, text=True)
    return run.returncode, (run.stdout + run.stderr).replace("scree/", "engine_core/")


def main() -> None:
    code, said = check(*(Path(file).resolve() for file in sys.argv[1:]))
    print(said, end="")
    sys.exit(code)


if __name__ == "__main__":
    main()
