"""Cost of 500 characters in real Godot, Jolt and Scree in turn: `python tests/characters/bench_crowd.py [ROUNDS]`."""

import shutil
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "godot"))

import behaviour  # noqa: E402

from scree.tools import find_godot  # noqa: E402

RUNS = [("Jolt Physics", "slide"), ("Scree Physics", "walk"), ("Scree Physics", "batch"), ("Scree Physics", "slide")]


def main(rounds: int) -> None:
    godot = find_godot.find_godot()
    with tempfile.TemporaryDirectory() as folder:
        projects = {}
        for engine in dict.fromkeys(engine for engine, _ in RUNS):
            projects[engine] = project = behaviour.make_project(Path(folder) / engine.split()[0], engine)
            shutil.copy(FOLDER / "crowd_walker.gd", project)
            behaviour.add_scene(project, "crowd", (FOLDER / "crowd.gd").read_text(encoding="utf-8"))
        for _ in range(rounds):
            for engine, mode in RUNS:
                scene = ("--path", projects[engine], "res://crowd.tscn", "--", f"--mode={mode}")
                done = godot.run("--headless", "--fixed-fps", "60", *scene, timeout=200)
                told = [line for line in done.output.splitlines() if line.startswith("[crowd]")]
                print(f"{engine}: {told[0] if told else done.output[-2000:]}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
