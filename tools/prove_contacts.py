"""Long checks of contacts: the engine alone, without Godot. They run what lies under tests/, so they need a checkout."""

import json
from pathlib import Path

from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python
from scree.tools.scenes import SceneFailed

ORACLE_PAIRS = 100_000
WORST_DISTANCE = 1e-4  # error as a part of the size
FARTHEST_OFF_SURFACE = 1e-3  # [m], of a point of a manifold of boxes or hulls of a metre
LONGEST_COOKING, MOST_BYTES = 3.0, 40.0  # [s] for a million triangles, [byte] each
LEAST_LENGTHS = 5  # that the progress bar is seen to have
LEAST_OF_EMBREE = 0.5


def figures_of(module: str, *arguments: object, shows_errors: bool = False) -> dict:
    """The line of JSON with which a module of the tests ends, run by `run_python`. Raises SceneFailed."""
    return json.loads(run_python("-m", module, *arguments, shows_errors=shows_errors).strip().splitlines()[-1])


@check(f"{ORACLE_PAIRS} random and nasty convex pairs: distances within {WORST_DISTANCE} of the size, points on surfaces")
def convex_pairs(godot: Godot, project: Path) -> Outcome:
    """GJK, EPA and the manifolds of boxes and hulls against an exact oracle."""
    found = figures_of("tests.collision.oracle_run", ORACLE_PAIRS)
    figures = (
        f"{found['pairs']} pairs, worst error {found['worst_error']:.1e}, {found['failures']} failures; "
        f"{found['manifolds']} manifolds, points at most {1000 * found['farthest_off_surface']:.3f} mm off"
    )
    good = found["worst_error"] <= WORST_DISTANCE and not found["failures"]
    return Outcome(figures, good and found["farthest_off_surface"] <= FARTHEST_OFF_SURFACE)


@check(
    f"a mesh of a million triangles cooks in {LONGEST_COOKING:.0f} s with a progress bar, {MOST_BYTES:.0f} bytes each; "
    f"a million rays at {LEAST_OF_EMBREE} times Embree's speed"
)
def million_triangles(godot: Godot, project: Path) -> Outcome:
    """Cooking, memory and rays of a large mesh, beside trimesh with embreex in the same process."""
    found = figures_of("tests.shapes.bench_mesh", shows_errors=True)
    if "embree_million_rays_a_second" not in found:
        raise SceneFailed("trimesh with embreex is not installed: nothing to compare with")
    ratio = found["million_rays_a_second"] / found["embree_million_rays_a_second"]
    figures = (
        f"{found['triangles']} triangles in {found['cook_seconds']:.2f} s, {found['bytes_a_triangle']:.1f} bytes each, "
        f"a bar of {found['progress_seen']} lengths; "
        f"{found['million_rays_a_second']:.2f} million rays a second, "
        f"Embree {found['embree_million_rays_a_second']:.2f}: {ratio:.2f} times; {found['same_hits']:.3%} the same"
    )
    good = found["cook_seconds"] <= LONGEST_COOKING and found["bytes_a_triangle"] <= MOST_BYTES
    return Outcome(figures, good and found["progress_seen"] >= LEAST_LENGTHS and ratio >= LEAST_OF_EMBREE)


@check("seams, thin walls, structures: no bump over 0.05 m/s, 0 of 100 pass, 3,000 ticks with less than 1 cm drift")
def contact_scenes(godot: Godot, project: Path) -> Outcome:
    """The scenes of contact quality, which every test run has too."""
    names = ("test_seams", "test_continuous", "test_built_scenes")
    report = run_python("-m", "pytest", "-q", *(f"tests/world/{name}.py" for name in names))
    line = report.strip().splitlines()[-1]
    return Outcome(line, "xfailed" not in line)  # a known failure is one
