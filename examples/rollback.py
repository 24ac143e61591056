"""Two players push a ball; what the other one did arrives eight ticks late, so the space goes back and plays them again."""

import scree

TICK, DELAY = 1 / 60, 8


def table() -> tuple[scree.Space, scree.Body]:
    space = scree.World(threads=1).add_space()
    space.add_static(scree.Box(half_extents=(20, 1, 20)), (0, -1, 0))
    for x in range(8):
        space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (x - 3.5, 0.3, 4))
    return space, space.add_rigid(scree.Sphere(radius=0.5), (0, 0.5, 0), mass=2.0)


def push(ball: scree.Body, tick: int) -> None:
    ball.apply_impulse((0.4 if tick % 20 < 10 else -0.1, 0, 0.5 if tick < 40 else 0.0))


right, its_ball = table()  # what would happen if everything arrived at once
for tick in range(120):
    push(its_ball, tick)
    right.step(TICK)

space, ball = table()
history, corrections = scree.History(space, DELAY), 0
for tick in range(120 + DELAY):
    if tick >= DELAY:  # the push of tick - DELAY has arrived: go back, push, and make up for the time
        history.restore(tick - DELAY)
        push(ball, tick - DELAY)
        corrections += 1
        for _ in range(DELAY):
            space.step(TICK)
            history.keep()
    else:
        history.keep()
        space.step(TICK)
history.restore(120)
print(f"{corrections} corrections of {DELAY} ticks; the ball is at {ball.position.round(2).tolist()}")
print(f"as if nothing had been late: {space.hash() == right.hash()}")
