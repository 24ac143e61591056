"""Steps the heap and prints a hash of all bodies after every step: `print_hashes.py THREADS STEPS`; 0 THREADS: the
job system of one thread.

A process of its own, so that the kind of processor that code is made for can be chosen (NUMBA_CPU_NAME).
"""

import hashlib
import sys

from scenes_for_threads import Heap

from scree.runtime.job_system import SingleThread


def main(threads: int, steps: int) -> None:
    scene = Heap(threads) if threads else Heap(1, job_system=SingleThread())
    for _ in range(steps):
        scene.step()
        print(hashlib.sha256(scene.state().tobytes()).hexdigest())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
