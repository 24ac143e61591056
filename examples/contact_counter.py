"""Balls bounce on a plate: how often, how hard, and how many lie in a box that watches."""

import numpy as np

import scree

space = scree.World().add_space()
rubber = scree.Material(restitution=0.7)
plate = space.add_static(scree.Box(half_extents=(5.0, 0.1, 5.0)))
plate.contact_events = "changes"
watched = space.add_area(scree.Box(half_extents=(2.5, 1.0, 5.0)), position=(-2.5, 1.0, 0))
places = np.random.default_rng(3).uniform((-4, 1, -4), (4, 4, 4), (40, 3))
balls = space.add_rigid_many(scree.Sphere(radius=0.1), places, density=900.0, material=rubber)
began = ended = inside = 0
hardest = 0.0
for _ in range(300):
    space.step(1 / 60)
    contacts = space.contact_events()
    began, ended = began + contacts.began.sum(), ended + contacts.ended.sum()
    if contacts.began.any():
        hardest = max(hardest, contacts.impulses[contacts.began].max())
    entered = space.area_events().entered
    inside += 2 * int(entered.sum()) - len(entered)
print(f"{began} contacts began, {ended} ended, {began - ended} last; the hardest had {hardest:.1f} N s")
print(f"{inside} balls in the area, which says {len(watched.overlaps())}")
