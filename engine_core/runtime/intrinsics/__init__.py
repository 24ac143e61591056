"""The functions of compiled code that are written as LLVM's instructions. Imports Numba, so the modules beside this folder import
it only when something is compiled (`runtime/intrinsic.py`)."""
