"""The calls that Godot makes every tick: step, sync, flush, end. Compiled; no Python, no interpreter lock.

A step lists the bodies that were active in it or fell asleep in it. The next flush notifies each of them: first the force
integration callback, then the state sync callback, which moves a RigidBody3D's node. Areas follow, then whoever listens to the
space's contacts and steps. Callbacks may do anything, even free their own body, so no reference is kept across one: the list is
of ids, and each id is looked up anew.
"""

import numpy as np

from ..bodies.identity import area_of, body_of
from ..bodies.motion import bodies_of, is_sleeping
from ..bodies.records import system_at, world_at
from ..edit.commands import STEPPING, take_gate
from ..runtime.atomics import load_acquire_int64
from ..runtime.call import (
    call_1, call_3, call_3_result, call_6, load_int32, store_float64, store_int32, store_int64, store_uint8,
)  # fmt: skip
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..sensors.events import forget_reported
from ..sensors.schema import AREA_EVENT, SENSORS
from ..solver.island_count import count_islands
from .call_arguments import float_argument, int_argument
from .call_names import number_of
from .drawn_sets import forget_asleep, hand_over_sets, write_moved
from .schema import (
    AREA_BINDING, BODY_BINDING, FLOAT as FLOAT_VARIANT, INT as INT_VARIANT, NIL, NO_SUCH_SPACE, RID, SERVER, SPACE_BINDING,
    WRONG_NUMBER, WRONG_TYPE,
)  # fmt: skip
from .server_lock import acquire, release
from .server_record import server_at
from .space_steps import advance_streams, begin_steps, spaces_of, step_spaces, takes_part
from .step_thread import await_step, hand_over
from .virtual_table import SERVER as SERVER_TABLE

INT32 = np.int32
LATE_COUNT = SERVER.fields["late_count"][1]
SYNC, INTEGRATION = number_of("state_sync_callback"), number_of("force_integration_callback")
AREA_MONITOR, AREA_AREA_MONITOR = number_of("area_monitor_callback"), number_of("area_area_monitor_callback")
GET_SPACE_STATE = number_of("space_get_direct_state")
PROCESS_INFO = number_of("get_process_info")
STEP_LISTENER = number_of("space_step_listener")
SPACE_BINDING_BYTES = SPACE_BINDING.itemsize
BEFORE_OFFSET, AFTER_OFFSET = SPACE_BINDING.fields["before_step"][1], SPACE_BINDING.fields["after_step"][1]
CALL_OK, CALL_OBJECT_IS_GONE = 0, 5  # GDExtensionCallErrorType


@kernel
def step(instance, arguments, result):
    """Step all active spaces: here, or on our thread if there is one."""
    server = server_at(instance)
    if server.is_active == 0:
        return
    await_step(instance)
    delta_time = float_argument(arguments, 0)
    _listen_before_steps(instance, delta_time)
    acquire(instance)
    if server.has_stale_masses != 0 or world_at(server.world).stand_ins_wanted != 0:
        call_1(server.settle_masses, np.int64(-1))
    server.is_stepping = 1
    advance_streams(server)
    if delta_time > 0.0:
        begin_steps(instance, delta_time)
        if server.step_thread != 0:
            hand_over(instance, delta_time)
            return
    step_spaces(instance, delta_time)
    settle(instance)


@kernel
def settle(instance):
    """Do the calls deferred during a step."""
    if load_acquire_int64(instance + LATE_COUNT) != 0:
        call_1(server_at(instance).settle_late, np.int64(0))


@kernel
def sync(instance, arguments, result):
    """Wait for the step beside this thread, and do the deferred calls."""
    if server_at(instance).step_thread != 0:
        await_step(instance)
        settle(instance)


@kernel
def _call_back(instance, call, callback, arguments, count):
    """Call a Callable that is stored as a Variant at address `callback`. One whose object is gone is dropped without an error."""
    server = server_at(instance)
    result = address_of_row(stack_array(3, np.int64), 0)
    error = address_of_row(stack_array(2, np.int64), 0)
    store_int32(result, INT32(NIL))
    store_int32(error, INT32(CALL_OK))
    call_6(server.variant_call, callback, server.call_name, arguments, count, result, error)
    if load_int32(result) != NIL:
        call_1(server.variant_destroy, result)
    failed = load_int32(error)
    if failed != CALL_OK:
        if failed != CALL_OBJECT_IS_GONE:
            call_3(server.report_error, call, np.int64(WRONG_TYPE), np.int64(0))
        call_1(server.variant_destroy, callback)
        for i in range(3):
            store_int64(callback + 8 * i, np.int64(0))


@kernel
def call_step_listener(instance, number, offset, delta_time):
    """Call the listener of a space at an offset of its row, if there is one, with the length of the step [s]."""
    callback = server_at(instance).space_bindings + number * SPACE_BINDING_BYTES + offset
    if load_int32(callback) == NIL:
        return
    variant, arguments = stack_array(3, np.int64), stack_array(1, np.int64)
    place = address_of_row(variant, 0)
    variant[0], variant[2] = FLOAT_VARIANT, 0
    store_float64(place + 8, delta_time)
    arguments[0] = place
    _call_back(instance, np.int64(STEP_LISTENER), callback, address_of_row(arguments, 0), np.int64(1))


@kernel
def _listen_before_steps(instance, delta_time):
    """Call the listeners of the spaces that are about to be stepped. Nothing is locked: what they change acts in this step."""
    server = server_at(instance)
    spaces = spaces_of(server)
    for number in range(world_at(server.world).system_count):
        if takes_part(spaces[number]):
            call_step_listener(instance, number, BEFORE_OFFSET, delta_time)


INTEGRATION_OFFSET = BODY_BINDING.fields["integration_callback"][1]
SYNC_OFFSET = BODY_BINDING.fields["sync_callback"][1]
ARGUMENTS_OFFSET = BODY_BINDING.fields["arguments"][1]
BINDING_BYTES = BODY_BINDING.itemsize
AREA_BINDING_BYTES = AREA_BINDING.itemsize
BODY_OFFSET, AREA_OFFSET = AREA_BINDING.fields["body_callback"][1], AREA_BINDING.fields["area_callback"][1]


@kernel
def _tell(instance, identity, system_index):
    """Call the callbacks of one body of a space, if it still exists."""
    server = server_at(instance)
    index = body_of(server.world, identity)
    if index < 0 or bodies_of(server.world)[index].system != system_index:
        return
    address = server.body_bindings + index * BINDING_BYTES
    binding = view(address, 1, BODY_BINDING)[0]
    arguments = address + ARGUMENTS_OFFSET
    if binding.integration_callback[0] != NIL and not is_sleeping(bodies_of(server.world)[index]):
        count = 2 if binding.integration_data[0] != NIL else 1
        _call_back(instance, INTEGRATION, address + INTEGRATION_OFFSET, arguments, np.int64(count))
        if binding.body_id != identity:
            return
    if binding.sync_callback[0] != NIL:
        _call_back(instance, SYNC, address + SYNC_OFFSET, arguments, np.int64(1))


@kernel
def _put(variants, place, kind, value):
    """Write a Variant of a type without a reference count: an integer or an id."""
    variants[3 * place], variants[3 * place + 1], variants[3 * place + 2] = kind, value, 0


@kernel
def _report_to_area(instance, event):
    """Call an area's Callable for one event, if the area still exists and monitors."""
    server = server_at(instance)
    index = area_of(server.world, event.area_id)
    if index < 0:
        return
    callback = server.area_bindings + index * AREA_BINDING_BYTES + (AREA_OFFSET if event.is_area else BODY_OFFSET)
    if load_int32(callback) == NIL:
        return
    variants, arguments = stack_array(15, np.int64), stack_array(5, np.int64)
    _put(variants, 0, INT_VARIANT, np.int64(event.status))
    _put(variants, 1, RID, event.other_id)
    _put(variants, 2, INT_VARIANT, event.other_user_id)
    _put(variants, 3, INT_VARIANT, np.int64(event.other_shape))
    _put(variants, 4, INT_VARIANT, np.int64(event.own_shape))
    for i in range(5):
        arguments[i] = address_of_row(variants, 3 * i)
    call = AREA_AREA_MONITOR if event.is_area else AREA_MONITOR
    _call_back(instance, np.int64(call), callback, address_of_row(arguments, 0), np.int64(5))


@kernel
def _tell_areas(instance, space, is_by_hand):
    """Report the events of the last step to the areas of a space. A callback may change or free anything, the space too."""
    if space.server == 0:
        return
    identity, i = space.system_id, 0
    while space.system_id == identity and (space.is_active != 0 or is_by_hand):
        sensors = view(system_at(space.system).sensors, 1, SENSORS)[0]
        if i >= sensors.reported_count:
            break
        _report_to_area(instance, view(sensors.events, sensors.reported_count, AREA_EVENT)[i])
        i += 1
    if space.system_id == identity:
        sensors = view(system_at(space.system).sensors, 1, SENSORS)[0]
        sensors.reported_count = i
        forget_reported(sensors)


@kernel
def _tell_joints(instance, space, is_by_hand):
    """Report the joints of a space that broke in its last step."""
    if space.server == 0 or (space.is_active == 0 and not is_by_hand):
        return
    if system_at(space.system).joints.some_broke != 0:
        call_1(server_at(instance).tell_joints, space.system_id)


@kernel
def _tell_step(instance, space, number, is_by_hand):
    """Tell of the last step as a whole: of its contact events, and then that it was made. A callback may free the space."""
    if space.server == 0 or space.is_stepped == 0 or (space.is_active == 0 and not is_by_hand):
        return
    space.is_stepped = 0
    identity, system = space.system_id, system_at(space.system)
    if system.reports.readable_event_count > 0:
        call_1(server_at(instance).tell_contacts, identity)
    if space.system_id == identity:
        call_step_listener(instance, number, AFTER_OFFSET, system.step.last_delta_time)


@kernel
def flush_space(instance, space, number, is_by_hand):
    """Notify the bodies, areas and listeners of a space of its last step, if it is active or is stepped by hand."""
    i = 0
    while i < space.pending_count and space.server != 0 and (space.is_active != 0 or is_by_hand):
        server = server_at(instance)
        _tell(instance, view(space.pending, world_at(server.world).body_capacity, np.int64)[i], number)
        i += 1
    space.pending_count = 0
    if server_at(instance).drawn_set_count != 0 and space.server != 0:
        write_moved(server_at(instance), space)
    _tell_areas(instance, space, is_by_hand)
    _tell_joints(instance, space, is_by_hand)
    _tell_step(instance, space, number, is_by_hand)


@kernel
def end_flush(server):
    """End a flush: hand the drawn transforms over, and free what was released during it."""
    if server.drawn_set_count != 0:
        hand_over_sets(server)
    server.is_flushing = 0
    if server.doomed_count != 0:
        call_1(server.bury, np.int64(0))


@kernel
def flush_queries(instance, arguments, result):
    server = server_at(instance)
    if server.is_active == 0:
        return
    server.is_flushing = 1
    forget_asleep(server)
    world = world_at(server.world)
    spaces = spaces_of(server)
    for number in range(world.system_count):
        flush_space(instance, spaces[number], number, False)
    end_flush(server)


@kernel
def do_nothing(instance, arguments, result):
    """End of sync, with nothing to do: changes that concern a step are kept separate until `_step`."""


@kernel
def is_flushing_queries(instance, arguments, result):
    store_uint8(result, np.uint8(server_at(instance).is_flushing))


@kernel
def islands_of_all_spaces(instance):
    """The number of awake islands in the active spaces."""
    server = server_at(instance)
    world = world_at(server.world)
    spaces = spaces_of(server)
    acquire(instance)
    found = np.int64(0)
    for number in range(world.system_count):
        space = spaces[number]
        if takes_part(space):
            take_gate(space.system, STEPPING)
            found += count_islands(space.system)
            call_3_result(world.edit_function, server.world, 0, space.system)
    release(instance)
    return found


@kernel
def get_process_info(instance, arguments, result):
    server = server_at(instance)
    info = int_argument(arguments, 0)
    found = np.int64(0)
    if info == 0:
        found = server.active_object_count
    elif info == 1:
        found = server.pair_count
    elif info == 2:
        found = islands_of_all_spaces(instance)
    else:
        call_3(server.report_error, np.int64(PROCESS_INFO), np.int64(WRONG_NUMBER), info)
    store_int64(result, found)


@kernel
def space_get_direct_state(instance, arguments, result):
    server = server_at(instance)
    identity = int_argument(arguments, 0)
    spaces = spaces_of(server)
    index = identity & ((1 << 28) - 1)
    found = np.int64(0)
    if index < len(spaces) and spaces[index].server != 0 and spaces[index].system_id == identity:
        found = spaces[index].object
    else:
        call_3(server.report_error, np.int64(GET_SPACE_STATE), np.int64(NO_SUCH_SPACE), identity)
    store_int64(result, found)


VIRTUALS = {
    "_step": step,
    "_sync": sync,
    "_end_sync": do_nothing,
    "_flush_queries": flush_queries,
    "_is_flushing_queries": is_flushing_queries,
    "_get_process_info": get_process_info,
    "_space_get_direct_state": space_get_direct_state,
}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_sync(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


SERVER_TABLE.hot(fill_sync, VIRTUALS)
