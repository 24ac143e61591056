"""Who may change the world: one thread at a time, and none while a step runs.

Godot calls cold virtuals from loader threads while its main thread may be in `_step`. The lock is a word in SERVER that compiled
code and Python both take; a thread may take it again. Waiting happens in compiled code, without Python's interpreter lock.
"""

import threading


class ServerLock:
    """The lock as Python takes it: `with lock:`."""

    def __init__(self, server):
        self._lock = threading.RLock()

    def __enter__(self):
        self._lock.acquire()

    def __exit__(self, *unused):
        self._lock.release()
