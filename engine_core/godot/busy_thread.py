"""A Python thread that only loops, to show whether a busy interpreter delays a tick.

The server has two methods for it, which the demo project's `--busy-thread` calls: `start_busy_python_thread()` and
`stop_busy_python_thread()`.
"""

import threading


class BusyThread:
    """The thread, and the two methods of a class that start and stop it. Keep it as long as the class."""

    def __init__(self, methods):
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        methods.cold("start_busy_python_thread", self.start)
        methods.cold("stop_busy_python_thread", self.stop)

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread is None:
            self._stopped.clear()
            self._thread = threading.Thread(target=self._loop, name="busy", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait for its end, if it runs."""
        if self._thread is not None:
            self._stopped.set()
            self._thread.join()
            self._thread = None

    def _loop(self) -> None:
        while not self._stopped.is_set():
            for _ in range(10_000):
                pass
