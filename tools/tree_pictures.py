"""Pictures of the engine's trees, with what queries cost in them: `scree bench broadphase` and `scree bench structures`. Neither
needs Godot."""

from collections.abc import Callable

from rich.console import Console

from scree.tools import places, show


def draw_broad_phase(say: Callable[[str], None]) -> None:
    """Draw the quad tree before and after a rebuild. `say`: prints a line."""
    from scree.tools import broad_phase_picture  # Matplotlib is slow to import

    states = broad_phase_picture.tree_states()
    for state in states:
        say(state.figures())
    folder = places.output_folder("bench")
    broad_phase_picture.draw(states, folder)
    say(f"broadphase.svg and broadphase.png are in {folder}")


def draw_structures(console: Console, say: Callable[[str], None]) -> None:
    """Draw sections of a loose octree and of the tree over bricks, with the box tests of both. `say`: prints a line."""
    from scree.tools import structure_costs, structure_picture

    with show.counting(console, "Bricks") as report:
        tests = structure_costs.compare_tests(structure_costs.town(structure_picture.COUNTED), report)
    for name, words in zip(("loose octree", "structure's tree", "together"), structure_picture.in_words(tests), strict=True):
        say(f"{name}: {words}")
    folder = places.output_folder("bench")
    structure_picture.draw(*structure_picture.sections(), tests, folder)
    say(f"structures.svg and structures.png are in {folder}")
