"""The first calls of a compiled function from several threads at once: it is made once, and each call is answered."""

import ctypes
import threading
import time
from types import SimpleNamespace

from scree.runtime import core_library, kernel


def double(number):
    return 2 * number


def test_threads_that_call_at_once_wait_for_the_one_that_compiles(monkeypatch):
    """Making the function and making it callable take a while each."""
    signature = kernel.Signature("int64", ("int64",))
    callback, made = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64), []
    code = callback(double)

    def find(name, function, words):
        time.sleep(0.05)
        made.append(name)
        return SimpleNamespace(address=ctypes.cast(code, ctypes.c_void_p).value, is_cached=True, file=None)

    def slow_type(*types):
        time.sleep(0.05)
        return callback

    monkeypatch.setattr(core_library, "find", find)
    monkeypatch.setattr(kernel.ctypes, "CFUNCTYPE", slow_type)
    entry, answers = kernel.EntryPoint(double, signature), []

    def call(number):
        time.sleep(0.02 * number)
        answers.append(entry(number))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [2 * number for number in range(8)]
    assert len(made) == 1
