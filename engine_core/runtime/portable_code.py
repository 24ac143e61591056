"""Whether code is compiled for any system and processor, as for the core's library (`scree build-core`), or for this machine.

Portable code calls C functions of the library for what systems and processors do differently: `scree_pause`, `scree_cycles`,
`scree_give_way`, `scree_wait_while`, `scree_wake_all`. It cannot run outside of the library.
"""

import os

PORTABLE = "SCREE_PORTABLE_CODE"
"""The environment variable that asks for portable code; `scree build-core` sets it for its worker processes."""
IS_PORTABLE = os.environ.get(PORTABLE, "0") not in ("", "0")
