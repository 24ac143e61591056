"""Tasks to learn in: many episodes side by side, of bodies on joints, as arrays.

    from scree.learning import CartPole

    task = CartPole(1024)
    observations = task.reset()
    observations, rewards, terminated, truncated = task.step(actions)

They need NumPy alone. `scree.learning.environment` makes environments of Gymnasium of them; it needs the package `gymnasium`
(`pip install scree-physics[learning]`).
"""

from .cart_pole import CartPole
from .task import Task
from .walker import Walker

__all__ = ["CartPole", "Task", "Walker"]
