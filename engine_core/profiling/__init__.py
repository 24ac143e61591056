"""Profiling: reading recordings, and measuring costs."""
