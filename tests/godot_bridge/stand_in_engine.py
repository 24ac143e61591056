"""The begin of an engine that stands in for ours where the loader is tested: what Godot hands to `initialize`, and a callback
that prints each level."""

RECORD = """
import ctypes, sys
LEVEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
say = LEVEL(lambda userdata, level: print("level", level, flush=True))
class Initialization(ctypes.Structure):
    _fields_ = [("minimum_level", ctypes.c_int), ("userdata", ctypes.c_void_p), ("initialize", ctypes.c_void_p),
                ("deinitialize", ctypes.c_void_p)]
"""
