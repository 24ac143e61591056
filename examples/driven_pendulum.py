"""A pendulum on a motor that swings it up, as an environment to learn in: `reset` and `act`."""

import math

import numpy as np

import scree


class Pendulum:
    """A rod of 1 m and 1 kg on a hinge whose motor has 3 N m: too weak to lift it at one go."""

    def __init__(self) -> None:
        self.space = scree.World(threads=1).add_space(gravity=(0, -9.81, 0))
        self.rod = self.space.add_rigid(scree.Box(half_extents=(0.02, 0.5, 0.02)), position=(0, -0.5, 0), can_sleep=False)
        self.hinge = self.space.add_joint(scree.Hinge(anchor=(0, 0, 0), axis=(0, 0, 1)), self.rod)

    def reset(self, angle: float = 0.0) -> np.ndarray:
        """Hang it at an angle [rad], at rest."""
        half = angle / 2
        self.rod.move((0.5 * math.sin(angle), -0.5 * math.cos(angle), 0), (0, 0, math.sin(half), math.cos(half)))
        self.rod.velocity = self.rod.angular_velocity = (0, 0, 0)
        return self.look()

    def look(self) -> np.ndarray:
        return np.array([self.hinge.position(), self.rod.angular_velocity[2]])  # [rad], [rad/s]

    def act(self, direction: float) -> np.ndarray:
        self.hinge.set_motor(scree.Motor(velocity=20.0 * direction, max_force=3.0))
        self.space.step(1 / 60)
        return self.look()


pendulum = Pendulum()
for start in (0.1, 0.5):
    state, highest = pendulum.reset(start), 0.0
    for _ in range(600):
        state = pendulum.act(1.0 if state[1] >= 0 else -1.0)  # push the way it swings
        highest = max(highest, -math.cos(state[0]))
    print(f"from {start} rad: swung up: {highest > 0.9}")
