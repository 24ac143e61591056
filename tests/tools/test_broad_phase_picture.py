"""`scree bench broadphase`: the tree recovers, the figures are those of queries, and the picture is drawn."""

from scree.tools import broad_phase_picture


def test_the_picture_shows_a_tree_that_recovers(tmp_path):
    before, after, best = broad_phase_picture.tree_states()
    assert before.ray[0] > 3 * best.ray[0] and before.box[0] > 3 * best.box[0]
    assert after.ray[0] <= 1.15 * best.ray[0] and after.box[0] <= 1.15 * best.box[0]
    assert before.ray[1] == after.ray[1] == best.ray[1] > 0  # the same bodies are given
    assert sum((children < 0).sum() for _, children in after.levels) == broad_phase_picture.BODIES
    assert f"a ray looks at {after.ray[0]:.1f} nodes ({4 * after.ray[0]:.0f} tests)" in after.figures()
    drawn = broad_phase_picture.draw([before, after, best], tmp_path)
    assert [path.name for path in drawn] == ["broadphase.svg", "broadphase.png"]
    assert all(path.stat().st_size > 10_000 for path in drawn)
