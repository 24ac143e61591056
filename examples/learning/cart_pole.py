"""Learns to balance the cart-pole by proximal policy optimisation (PPO, Schulman et al. 2017), with NumPy alone.

    python examples/learning/cart_pole.py

256 episodes run side by side. Each round plays them for some steps, then moves the policy a little towards the actions that did
better than the critic expected. It ends when a hundred new episodes last 475 steps on average, out of 500.
"""

import time

import numpy as np

from scree.learning import CartPole

COUNT, LENGTH, ROUNDS, EPOCHS, PARTS = 256, 64, 200, 6, 8
DISCOUNT, TRACE, CLIP, RATE, CURIOSITY, ENOUGH = 0.99, 0.95, 0.2, 3e-3, 0.005, 475.0
random = np.random.default_rng(0)


class Network:
    """Two layers of 64 tanh units; `width` linear outputs. Its gradients are followed by Adam (Kingma and Ba 2015)."""

    def __init__(self, width, scale):
        sizes = (4, 64, 1.0), (64, 64, 1.0), (64, width, scale)
        self.weights = [random.normal(0.0, s / np.sqrt(a), (a + 1, b)) for a, b, s in sizes]
        self.means, self.squares = ([np.zeros_like(w) for w in self.weights] for _ in range(2))
        self.time = 0

    def __call__(self, x):
        self.inputs = []
        for number, weight in enumerate(self.weights):
            self.inputs.append(np.column_stack([x, np.ones(len(x))]))  # 1 for the bias
            x = self.inputs[-1] @ weight
            x = np.tanh(x) if number < 2 else x
        return x

    def learn(self, gradient, rate):
        """Follow the gradient of the loss by the outputs of the last call."""
        self.time += 1
        for k in (2, 1, 0):
            own = self.inputs[k].T @ gradient
            gradient = (gradient @ self.weights[k][:-1].T) * (1.0 - self.inputs[k][:, :-1] ** 2)
            self.means[k] += 0.1 * (own - self.means[k])
            self.squares[k] += 0.001 * (own**2 - self.squares[k])
            mean, square = self.means[k] / (1.0 - 0.9**self.time), self.squares[k] / (1.0 - 0.999**self.time)
            self.weights[k] -= rate * mean / (np.sqrt(square) + 1e-8)


def chances_of(outputs):
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def play(task, seen, actor, critic):
    """Play all episodes for LENGTH steps: (what was seen, actions, their chances, advantages, returns), and what is seen next."""
    rows = []
    for _ in range(LENGTH):
        chances = chances_of(actor(seen))
        actions = (random.random(COUNT) < chances[:, 1]).astype(int)
        after, rewards, terminated, truncated = task.step(actions)
        over, values = terminated | truncated, critic(seen)[:, 0]
        # An episode that was only truncated would have gone on: its last state is worth what the critic says.
        rewards = 0.1 * rewards + DISCOUNT * truncated * critic(after)[:, 0]
        rows.append((seen, actions, chances[np.arange(COUNT), actions], rewards, values, over))
        seen = task.reset(over) if over.any() else after
    states, actions, chances, rewards, values, over = (np.array(column) for column in zip(*rows, strict=True))
    advantages, value, trace = np.zeros((LENGTH, COUNT)), critic(seen)[:, 0], 0.0
    for k in reversed(range(LENGTH)):  # generalised advantage estimation (Schulman et al. 2016)
        surprise = rewards[k] + DISCOUNT * value * ~over[k] - values[k]
        advantages[k] = trace = surprise + DISCOUNT * TRACE * trace * ~over[k]
        value = values[k]
    rows = states.reshape(-1, 4), actions.ravel(), chances.ravel(), advantages.ravel(), (advantages + values).ravel()
    return rows, seen


def improve(rows, actor, critic, rate):
    states, actions, chances, advantages, returns = rows
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(EPOCHS):
        for part in np.array_split(random.permutation(len(states)), PARTS):
            now, taken, gain = chances_of(actor(states[part])), actions[part], advantages[part]
            ratio = now[np.arange(len(part)), taken] / chances[part]
            is_free = np.where(gain > 0.0, ratio < 1.0 + CLIP, ratio > 1.0 - CLIP)
            push = -gain * ratio * is_free  # of the logarithm of the chance of the action that was taken
            gradient = push[:, None] * (np.eye(2)[taken] - now)
            logs = np.log(now + 1e-9)
            gradient += CURIOSITY * now * (logs - (now * logs).sum(axis=1, keepdims=True))  # keeps the policy trying
            actor.learn(gradient / len(part), rate)
            critic.learn((critic(states[part])[:, 0] - returns[part])[:, None] / len(part), rate)


def mean_length(actor, count=100):
    """How long new episodes last on average with the better action in each step [steps]."""
    task = CartPole(count, seed=12345)
    seen, running, lengths = task.reset(), np.ones(count, bool), np.zeros(count)
    while running.any():
        seen, rewards, terminated, truncated = task.step(actor(seen).argmax(axis=1), running)
        lengths += rewards
        running &= ~(terminated | truncated)
    return lengths.mean()


def main():
    began, task, actor, critic = time.perf_counter(), CartPole(COUNT), Network(2, 0.01), Network(1, 1.0)
    seen = task.reset()
    for number in range(1, ROUNDS + 1):
        rows, seen = play(task, seen, actor, critic)
        improve(rows, actor, critic, RATE * (1.0 - number / ROUNDS))
        if number % 5 == 0:
            length, seconds = mean_length(actor), time.perf_counter() - began
            print(f"{number * LENGTH * COUNT} steps, {seconds:.0f} s: episodes last {length:.1f} steps", flush=True)
            if length > ENOUGH:
                return print("learned")
    raise SystemExit("not learned")


if __name__ == "__main__":
    main()
