"""The cart-pole: a cart on a rail is pushed left or right so that its pole does not fall (Barto, Sutton and Anderson 1983)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api.shapes import Box
from ..api.space import SpaceSettings
from ..api.vector_world import VectorWorld
from ..api.world import World
from ..api.joint_values import Pin
from .task import Flags, Observations, Task

CART_MASS, POLE_MASS, HALF_LENGTH = 1.0, 0.1, 0.5  # [kg], [kg], [m]
FORCE, SECONDS, GRAVITY = 10.0, 0.02, 9.8  # [N], [s], [m/s^2]
FARTHEST, MOST_LEAN = 2.4, 12.0 * np.pi / 180.0  # [m], [rad]
SPREAD = 0.05  # of the random starts, of all four numbers
CART, POLE = 0, 1
X, VELOCITY_X, TURN_Z, TURN_W, SPIN_Z = 0, 7, 5, 6, 12  # columns of VectorWorld.states


def build_space() -> tuple[Any, list[Any]]:
    """A cart that moves along x alone, and a pole that turns about z on it: (the space, [cart, pole]). [m], [kg]."""
    space = World(threads=1, bodies=64, body_shapes=64, shapes=64, joints=64, pairs=256, contacts=256, systems=4).add_space(
        gravity=(0.0, -GRAVITY, 0.0), settings=SpaceSettings(substep_count=1, is_sleeping_allowed=False)
    )
    cart = space.add_rigid(Box(half_extents=(0.25, 0.15, 0.15)), mass=CART_MASS)
    pole = space.add_rigid(Box(half_extents=(0.02, HALF_LENGTH, 0.02)), (0.0, HALF_LENGTH, 0.0), mass=POLE_MASS)
    cart.lock_axes("yz", "xyz")
    pole.lock_axes("z", "xy")
    space.add_joint(Pin(), pole, to=cart)
    return space, [cart, pole]


class CartPole(Task):
    """`count` cart-poles with the observations, rewards and ends of Gymnasium's `CartPole-v1`.

    An action is 0, which pushes the cart left, or 1, right, by 10 N for 0.02 s, (count,). An observation is the place of the cart
    [m], its velocity [m/s], the lean of the pole to the right [rad] and its angular velocity [rad/s], (count, 4). Each step
    rewards 1. An episode fails beyond 2.4 m or 12 degrees, and is truncated after 500 steps."""

    observation_width, most_steps, action_count = 4, 500, 2

    def build(self, count: int, threads: int | None) -> VectorWorld:
        space, bodies = build_space()
        return VectorWorld(space, count, bodies=bodies, threads=threads)

    def begin(self, chosen: Flags) -> None:
        place, velocity, lean, spin = self.random.uniform(-SPREAD, SPREAD, (4, len(self)))
        self.worlds.set_states(states_of(place, velocity, lean, spin), chosen)

    def act(self, actions: NDArray[Any], mask: Flags | None) -> None:
        if actions.shape != (len(self),) or not ((actions == 0) | (actions == 1)).all():
            raise ValueError(f"step: actions must be 0 or 1, of the shape ({len(self)},), got {actions!r}")
        forces = np.zeros((len(self), 2, 3))
        forces[:, CART, 0] = np.where(actions == 1, FORCE, -FORCE)
        self.worlds.step(SECONDS, forces=forces, mask=mask)

    def observe(self) -> Observations:
        cart, spin = self.worlds.states[:, CART], self.worlds.states[:, POLE, SPIN_Z]
        return np.stack([cart[:, X], cart[:, VELOCITY_X], self._lean(), -spin], axis=1).astype(np.float32)

    def judge(self, actions: NDArray[Any]) -> tuple[NDArray[np.float64], Flags]:
        failed = ~((np.abs(self.worlds.states[:, CART, X]) <= FARTHEST) & (np.abs(self._lean()) <= MOST_LEAN))
        return np.ones(len(self)), failed

    def _lean(self) -> NDArray[np.float64]:
        """The lean of the poles to the right [rad], (count,)."""
        pole = self.worlds.states[:, POLE]
        return -2.0 * np.arctan2(pole[:, TURN_Z], pole[:, TURN_W])


def states_of(place: Any, velocity: Any, lean: Any, spin: Any) -> NDArray[np.float64]:
    """The states of carts at `place` [m] with `velocity` [m/s] and of their poles with `lean` [rad] and `spin` [rad/s], (count,)
    each: (count, 2, 13)."""
    sine, cosine = np.sin(lean), np.cos(lean)
    states = np.zeros((len(place), 2, 13))
    states[:, CART, [0, 6, 7]] = np.stack([place, np.ones_like(place), velocity], axis=1)
    pole = states[:, POLE]
    pole[:, 0], pole[:, 1] = place + HALF_LENGTH * sine, HALF_LENGTH * cosine
    pole[:, TURN_Z], pole[:, TURN_W] = -np.sin(0.5 * lean), np.cos(0.5 * lean)
    pole[:, 7], pole[:, 8] = velocity + HALF_LENGTH * spin * cosine, -HALF_LENGTH * spin * sine
    pole[:, SPIN_Z] = -spin
    return states
