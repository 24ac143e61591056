"""The server's lock: one thread at a time, again for the one that has it, and no waiting with the interpreter in
hand."""

import sys
import threading
import time

import numpy as np
import pytest

from scree.godot.schema import SERVER
from scree.godot.server_lock import ServerLock, system_functions
from scree.runtime.c_memory import memory_functions
from scree.runtime.memory import address_of


@pytest.fixture
def record():
    memory = np.zeros(1, SERVER)
    memory["thread_number"], memory["yield_thread"] = system_functions()
    return memory


def test_one_thread_at_a_time(record):
    lock, counts = ServerLock(address_of(record)), [0]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def count():
        for _ in range(2000):
            with lock:
                seen = counts[0]
                with lock:
                    counts[0] = seen + 1

    threads = [threading.Thread(target=count) for _ in range(4)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert counts == [8000]
    assert record["lock"][0] == 0 and record["lock_depth"][0] == 0


def test_one_who_waits_leaves_the_interpreter_to_others(record):
    lock, order = ServerLock(address_of(record)), []

    def wait():
        with lock:
            order.append("waited")

    with lock:
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.02)  # would never end if the waiting thread kept the interpreter
        order.append("held")
    thread.join(10)
    assert order == ["held", "waited"]


def test_addresses_of_the_system():
    assert all(system_functions()) and all(memory_functions())
