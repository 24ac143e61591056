"""A Python thread that does nothing but loop: it shows whether a busy interpreter holds a tick up.

The server has two methods for it, which the demo project's `--busy-thread` calls: `start_busy_python_thread()` and
`stop_busy_python_thread()`.
"""

import ctypes
import threading
from ctypes import c_int64, c_uint8, c_uint32, c_void_p

_CALL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p)
_PTR_CALL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_void_p)
_NORMAL = 1  # GDEXTENSION_METHOD_FLAG_NORMAL


class MethodInfo(ctypes.Structure):
    """GDExtensionClassMethodInfo."""

    _fields_ = [
        ("name", c_void_p), ("userdata", c_void_p), ("call", c_void_p), ("ptrcall", c_void_p), ("flags", c_uint32),
        ("has_return_value", c_uint8), ("return_value", c_void_p), ("return_metadata", ctypes.c_int),
        ("argument_count", c_uint32), ("arguments", c_void_p), ("argument_metadata", c_void_p),
        ("default_count", c_uint32), ("defaults", c_void_p),
    ]  # fmt: skip


class BusyThread:
    """The thread, and the two methods of `class_name` that start and stop it. Keep it as long as the class."""

    def __init__(self, interface, class_name: str):
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._kept: list = []
        self._register(interface, class_name, "start_busy_python_thread", self.start)
        self._register(interface, class_name, "stop_busy_python_thread", self.stop)

    def start(self) -> None:
        """Start the thread; nothing where it runs."""
        if self._thread is None:
            self._stopped.clear()
            self._thread = threading.Thread(target=self._loop, name="busy", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait for its end; nothing where none runs."""
        if self._thread is not None:
            self._stopped.set()
            self._thread.join()
            self._thread = None

    def _loop(self) -> None:
        while not self._stopped.is_set():
            for _ in range(10_000):
                pass

    def _register(self, interface, class_name: str, name: str, function) -> None:
        call = _CALL(lambda userdata, instance, arguments, count, result, error: function())
        ptrcall = _PTR_CALL(lambda userdata, instance, arguments, result: function())
        info = MethodInfo(name=interface.name(name), call=ctypes.cast(call, c_void_p),
                          ptrcall=ctypes.cast(ptrcall, c_void_p), flags=_NORMAL)  # fmt: skip
        self._kept.extend([call, ptrcall, info])
        register = interface.function("classdb_register_extension_class_method", None, c_void_p, c_void_p, c_void_p)
        register(interface.library, interface.name(class_name), ctypes.addressof(info))
