"""Start and end of the server, freeing by id, and switching it off."""

from .virtual_table import SERVER


@SERVER.cold()
def _init(server):
    server.record["is_active"] = 1


@SERVER.cold()
def _set_active(server, active):
    server.record["is_active"] = active


@SERVER.cold()
def _free_rid(server, identity):
    server.free(identity)


@SERVER.cold()
def _finish(server):
    server.close()
