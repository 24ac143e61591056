"""Calls of Godot that come while a step runs, and the broad-phase layers that a project asks for."""

import threading

import numpy as np

from scree.godot.python_virtuals import may_come_late
from scree.godot.schema import SERVER
from scree.godot.server import Server
from scree.godot.server_lock import ServerLock, system_functions
from scree.runtime.c_memory import memory_functions
from scree.godot.settings import SETTINGS, Settings
from scree.runtime.memory import address_of


class Method:
    def __init__(self, result, *arguments):
        self.result, self.arguments = result, arguments


def server():
    """A server reduced to the part that keeps calls."""
    made = Server.__new__(Server)
    made._memory = np.zeros(1, SERVER)
    made._memory["thread_number"], made._memory["yield_thread"] = system_functions()
    made.record, made.lock = made._memory[0], ServerLock(address_of(made._memory))
    made.errors = []
    made.reporter = type("Reporter", (), {"exception": lambda self, call, error: made.errors.append((call, str(error)))})()
    from collections import deque

    made._late, made._settling = deque(), threading.Lock()
    return made


def test_which_calls_may_come_late():
    assert may_come_late(Method(None, "RID", "RID")) and may_come_late(Method("", "RID", "Transform3D", "bool"))
    assert not may_come_late(Method("RID")) and not may_come_late(Method(None, "RID", "Variant"))
    assert not may_come_late(Method(None, "RID", "Callable")) and not may_come_late(Method(None, "Object"))
    assert memory_functions()


def test_a_call_during_a_step_is_kept_and_its_caller_goes_on():
    made, done = server(), []

    def act(_, value):
        done.append(value)
        if value == 2:
            raise ValueError("two")

    assert not made.keeps_late("now", act, (0,))  # no step: the caller acts at once
    with made.lock:
        made.record["is_stepping"] = 1
        threads = [threading.Thread(target=made.keeps_late, args=(f"call {k}", act, (k,))) for k in (1, 2, 3)]
        for thread in threads:
            thread.start()
            thread.join(10)
            assert not thread.is_alive(), "it waits for the step"
        assert done == [] and made.record["late_count"] == 3
        made.record["is_stepping"] = 0
    made.settle_late()
    assert done == [1, 2, 3] and made.record["late_count"] == 0
    assert made.errors == [("call 2", "two")]
    assert made.record["lock"] == 0 and made.record["lock_depth"] == 0


def test_broad_phase_layers_of_a_project():
    settings = Settings.__new__(Settings)
    settings.values = {name: setting.default for name, setting in SETTINGS.items()}
    assert settings.layers().broad_phase == {}
    settings.values["physics/scree_3d/broad_phase/debris_layers"] = 1 << 4 | 1 << 31
    settings.values["physics/scree_3d/broad_phase/bullets_layers"] = 1 << 5
    assert settings.layers().broad_phase == {4: "debris", 31: "debris", 5: "bullets"}
