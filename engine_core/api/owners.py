"""Owners of bodies and areas: an id does not contain its world, so calls check the owner before they use one."""

from collections.abc import Iterable
from typing import Any


def check_world(call: str, space: Any, things: Iterable[Any]) -> None:
    """Check that bodies and areas, given one by one, are of the world of a space. Raises ValueError, TypeError for other
    things."""
    for thing in things:
        _check_kind(call, thing)
        if thing.space.world is not space.world:
            raise ValueError(f"{call}: {thing!r} belongs to another World")


def check_space(call: str, space: Any, things: Iterable[Any]) -> None:
    """Check that bodies are of a space. Raises ValueError, TypeError for other things."""
    for thing in things:
        check_world(call, space, [thing])
        if thing.space is not space:
            raise ValueError(f"{call}: {thing!r} belongs to another space")


def _check_kind(call: str, thing: Any) -> None:
    if not hasattr(thing, "id") or not hasattr(thing, "space"):
        raise TypeError(f"{call}: a body is wanted, got {thing!r}")
