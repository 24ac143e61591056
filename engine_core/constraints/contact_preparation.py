"""The jobs that convert contact manifolds to blocks of eight for the solver, and bring impulses back."""

import math

import numpy as np

from ..bodies.motion import begin_rest, surface_spin, surface_velocity, turning_of
from ..bodies.overlap import allowed_overlap, size_of
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, HAS_JOINT, HAS_RARE, IS_HIT, RIGID
from ..collision.contact_hooks import settings_of
from ..collision.contact_points import contact_frames, turned_by
from ..collision.leaning import asks_for_corners
from ..collision.pairs import lists_of, manifolds_of, pairs_of
from ..collision.schema import (
    MANIFOLD, MANIFOLD_HAD_IMPACT, MANIFOLD_HAS_MATERIAL, MANIFOLD_HAS_SETTINGS, MANIFOLD_IS_AHEAD, MANIFOLD_IS_DISC,
    MANIFOLD_TAPERS, MANIFOLD_WANDERS_A, MANIFOLD_WANDERS_B, PAIR_SPARES_A, PAIR_SPARES_B,
)  # fmt: skip
from ..collision.surfaces import combine_own_surfaces
from ..geometry.vector import add, add_scaled, cross, dot, scale, store3, subtract, vector3
from ..geometry.wide_vector import is_any_above8
from ..runtime.call import load_float32, load_int32, store_float32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..runtime.prefetch import LINE, prefetch, prefetch_lines
from ..runtime.vector8 import lane8, splat8, where_less8
from .blocks import LANE_FLOATS, field, get_vector, prefetch_block, put_vector
from .body_terms import scaled_inertia, scaled_mass, soft_parameters
from .colours import colours_of
from .contact_patch import patch_of
from .pressed_bodies import carries, note_load, put_pressed, relief_along
from .schema import (
    ALLOWED_OVERLAP, ANCHOR_A, ANCHOR_B, BIAS_RATE, BLOCK_FIELDS, BLOCK_SIZE, COLOUR_COUNT, DEEP_CONTACTS, DEEP_PART,
    FIELD_SIZE, FRICTION, FRICTION_IMPULSE, HAS_IMPACT, IMPACT, IMPACT_GOES_ON, IMPACT_LASTS, INERTIA_A, INERTIA_B,
    IS_ELASTIC, JOINED, MANIFOLD_INDEX, MASS_A, MASS_B, NORMAL, OVERFLOW, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT,
    POINT_FIELDS, POINT_IMPULSE, POINT_SEPARATION, POINT_TOTAL_IMPULSE, POINTS, RESTITUTION, ROW_A, ROW_B, ROW_SIZE, SOFTNESS,
    SPREAD, TABLE_SPIN, TANGENT, TANGENT_VELOCITY, TWIST_IMPULSE, TWIST_VELOCITY,
)  # fmt: skip
from .squeezed_bodies import limit_squeezed
from .wandering_contacts import follow_wanderers, measure_from_axis
from .wide_preparation import (
    CENTER_B, FRAME_FIELDS, FRICTION_WORLD, HALF_GAP, NO_POINT, PATCH, ROUNDING_A, ROUNDING_B, TURN_A, TURNED_AWAY, couple_points,
    lowest_separation, measure_approach, note_impacts, place_points, prepare_friction,
)  # fmt: skip

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32
MANIFOLD_LINES = MANIFOLD.itemsize // LINE
BODY_LINES = 2
"""Cache lines of a body that are read to prepare contacts."""
FRAME_FLOATS = FRAME_FIELDS * 8
assert max(BODY.fields[name][1] for name in ("inverse_inertia_world", "axis_locks", "contact_bias")) < LINE * BODY_LINES
SPREAD_OF_DISC = 2.0 / 3.0
"""The mean distance of a disc's points from its centre, as a part of its radius: a disc that spins on its flat end is braked by
all of its surface."""
USUAL_MASSES, UNEVEN_MASSES, FIRMER = 9.0 / 11.0, 99.0 / 101.0, 0.1
"""Contacts have the usual firmness up to this difference of two masses divided by their sum (10 to 1). From there to the second
(100 to 1) they become firmer by this part of the extra firmness of contacts with static bodies; with more, heavy bodies rock on
light ones."""
MOST_BETWEEN_BODIES = 2.0
"""Impulses grow at most by this factor from one step to a longer one, unless a body lies alone on something immovable: those of a
stack that settles to the other stiffness of its contacts are many times the load for one sub-step. With 16, a stack of six
topples as steps of 1/20 s and 1/240 s alternate."""
CARRIED = 0.25
"""A body that goes along with at least this part of the velocity of a running surface is carried by it."""
STIFFEST = 0.1875
"""The highest frequency of contacts, as a part of the rate of sub-steps: the solver cannot settle stiffer ones."""
SMALL, MOST_FIRM = 0.01, 4.0 / 3.0
"""Contacts of bodies whose inner radius is less than this [m] are firmer, at most by this factor of frequency: what gives by a
hair in a wall is a slope in a row of dominoes."""


@kernel
def firmness_of_small(a, b):
    """The factor on the frequency of the contacts of two bodies by which those of small ones are firmer."""
    return min(max(SMALL / min(size_of(a), size_of(b)), 1.0), MOST_FIRM)


@kernel
def softness_at(system, h, bias, firmness, is_moving):
    """(bias rate, softness) of contacts that are `bias` times as stiff as usual, of two moving bodies or a moving and a static
    one. `firmness`: the result of `firmness_of_small`."""
    hertz = firmness * min(system.settings.contact_hertz * bias, STIFFEST / h)
    bias_rate, softness, _ = soft_parameters(hertz if is_moving else 2.0 * hertz, system.settings.contact_damping_ratio, h)
    return bias_rate, softness


@kernel
def softness_of(system, a, b, relief_a, relief_b, h, usual):
    """(bias rate, softness) of the contacts of two bodies. `relief_*`: see `relief_of`. `usual`: those of two moving ones,
    and of a moving and a static one."""
    is_moving = a.inverse_mass != 0.0 and b.inverse_mass != 0.0
    firmness, bias = firmness_of_small(a, b) if is_moving else 1.0, max(a.contact_bias, b.contact_bias)
    if bias != 0.0:
        return softness_at(system, h, bias, firmness, is_moving)
    if not is_moving:
        return usual[1]
    if firmness > 1.0:
        usual = softness_at(system, h, 1.0, firmness, True), usual[1]
    mass_a, mass_b = a.inverse_mass * relief_a, b.inverse_mass * relief_b
    uneven = abs(mass_a - mass_b) - USUAL_MASSES * (mass_a + mass_b)
    if uneven <= 0.0 or relief_a < 1.0 or relief_b < 1.0:
        return usual[0]
    part = FIRMER * min(uneven / ((UNEVEN_MASSES - USUAL_MASSES) * (mass_a + mass_b)), 1.0)
    return usual[0][0] + part * (usual[1][0] - usual[0][0]), usual[0][1] + part * (usual[1][1] - usual[0][1])


@kernel
def spin_of_table(world_address, body):
    """Angular velocity of the surface of a body that is moved by nobody but itself [rad/s]; zero for rigid bodies."""
    return turning_of(world_address, body) if body.mode < RIGID else (0.0, 0.0, 0.0)


@kernel
def keep_carried_awake(a, b, surface, spin, normal):
    """Have bodies that a running surface carries along begin a new rest: they move, however slow the surface is. `surface`,
    `spin`: how much faster B's surface runs than A's [m/s], and how much faster it turns about the normal [rad/s]."""
    along = add_scaled(surface, normal, -dot(surface, normal))
    way = subtract(vector3(b.linear_velocity), vector3(a.linear_velocity))
    turn = dot(subtract(vector3(b.angular_velocity), vector3(a.angular_velocity)), normal)
    if dot(way, along) < -CARRIED * dot(along, along) or turn * spin < -CARRIED * spin * spin:
        if a.mode >= RIGID:
            begin_rest(a)
        if b.mode >= RIGID:
            begin_rest(b)


@kernel
def prepare_surfaces(system, manifold, index, a, b, lane):
    """Write the target velocity of conveyors along the tangents, their spin about the normal, and that of turntables, once
    tangents and the centre of friction are known."""
    has_settings = manifold.flags & MANIFOLD_HAS_SETTINGS != 0
    if not (a.flags | b.flags) & HAS_RARE and not has_settings:
        return
    of_a = surface_velocity(system.world, a, get_vector(lane, ANCHOR_A))
    surface = subtract(surface_velocity(system.world, b, get_vector(lane, ANCHOR_B)), of_a)
    if has_settings:
        surface = add(surface, vector3(settings_of(system, index).surface_velocity))
    normal = get_vector(lane, NORMAL)
    spin = subtract(surface_spin(system.world, b), surface_spin(system.world, a))
    lane[TWIST_VELOCITY * 8] = FLOAT32(dot(spin, normal))
    keep_carried_awake(a, b, surface, dot(spin, normal), normal)
    lane[TABLE_SPIN * 8] = FLOAT32(dot(add(spin_of_table(system.world, a), spin_of_table(system.world, b)), normal))
    if surface[0] != 0.0 or surface[1] != 0.0 or surface[2] != 0.0:
        tangent = get_vector(lane, TANGENT)
        lane[TANGENT_VELOCITY * 8] = FLOAT32(dot(surface, tangent))
        lane[(TANGENT_VELOCITY + 1) * 8] = FLOAT32(dot(surface, cross(normal, tangent)))


@kernel
def clear_lane(lane, whole, frame):
    """Clear a lane without a manifold: no mass, row 0."""
    for number in range(BLOCK_FIELDS):
        lane[number * 8] = FLOAT32(0.0)
    for number in range(FRAME_FIELDS):
        frame[number * 8] = FLOAT32(0.0)
    whole[MANIFOLD_INDEX * 8] = -1


@kernel
def half_gap_of(manifold, a, b):
    """Half the mean gap between the surfaces of a manifold where its points were found [m]. Those found ahead touch there. It is
    negative for a round body that was found inside of ground that nothing moves: it has met that with its surface, and halfway
    inside its arm would be too short, so that a ball would leave a bounce with too much spin. Of two bodies that move, friction
    acts on one point, or it would turn both."""
    if manifold.flags & MANIFOLD_IS_AHEAD or manifold.point_count == 0:
        return 0.0
    is_round = manifold.rounding_a > 0.0 or manifold.rounding_b > 0.0
    is_on_ground = a.inverse_mass == 0.0 or b.inverse_mass == 0.0
    least, gap = -math.inf if is_round and is_on_ground else 0.0, 0.0
    for p in range(manifold.point_count):
        gap += max(np.float64(manifold.separation[p]), least)
    return 0.5 * gap / manifold.point_count


@kernel
def change_time(manifold, part, share):
    """Make the impulses of a manifold those of sub-steps that are `part` times as long. Those of longer ones are at most the mean
    of the last step, of which a sub-step is now the part `share`, and of an impact no larger than before: as bodies settle, an
    impulse may be many times the load for one sub-step, which would throw them up."""
    before, after = 0.0, 0.0
    for p in range(manifold.point_count):
        impulse = np.float64(manifold.normal_impulse[p])
        scaled = impulse * part
        if part > 1.0:
            mean = 0.0 if manifold.flags & MANIFOLD_HAD_IMPACT else np.float64(manifold.total_normal_impulse[p]) * share
            scaled = min(scaled, max(mean, impulse))
        manifold.normal_impulse[p] = FLOAT32(scaled)
        before, after = before + impulse, after + scaled
    part = after / before if before > 0.0 else 0.0
    for k in range(3):
        manifold.friction_impulse[k] *= FLOAT32(part)
    manifold.twist_impulse *= FLOAT32(part)


@kernel
def prepare_lane(system, pair, lists, manifold, index, a, b, lane, whole, frame, h, usual):
    """Write one manifold into one lane of a block; `lane`, `whole`: the block's floats, and the same as integers, from the lane's
    first on; `frame`: a lane of frames, see `place_points`; `usual`: see `softness_of`."""
    whole[ROW_A * 8] = a.active_index + 1
    whole[ROW_B * 8] = b.active_index + 1
    whole[MANIFOLD_INDEX * 8] = index
    if system.step.warm_part != 1.0:
        is_alone = (b.inverse_mass == 0.0 and a.pair_count == 1) or (a.inverse_mass == 0.0 and b.pair_count == 1)
        part = system.step.warm_part if is_alone else min(system.step.warm_part, MOST_BETWEEN_BODIES)
        change_time(manifold, part, system.step.warm_share)
    scale_a = 0.0 if pair.flags & PAIR_SPARES_A else 1.0
    scale_b = 0.0 if pair.flags & PAIR_SPARES_B else 1.0
    settings = settings_of(system, index)
    if manifold.flags & MANIFOLD_HAS_SETTINGS:
        scale_a *= np.float64(settings.inverse_mass_scale[0])
        scale_b *= np.float64(settings.inverse_mass_scale[1])
    delta, rows_a, rows_b, center_b = contact_frames(pair, a, b)
    normal = turned_by(rows_a, vector3(manifold.normal))
    put_vector(lane, NORMAL, normal)
    relief_a, relief_b = relief_along(system.world, a, normal), relief_along(system.world, b, normal)
    put_vector(lane, MASS_A, scaled_mass(a, scale_a))
    put_vector(lane, MASS_B, scaled_mass(b, scale_b))
    inertia_a, inertia_b = scaled_inertia(a, scale_a), scaled_inertia(b, scale_b)
    for k in range(6):
        lane[(INERTIA_A + k) * 8] = FLOAT32(inertia_a[k])
        lane[(INERTIA_B + k) * 8] = FLOAT32(inertia_b[k])
    if relief_a < 1.0:
        put_pressed(lane, MASS_A, INERTIA_A, a, scale_a, relief_a)
    if relief_b < 1.0:
        put_pressed(lane, MASS_B, INERTIA_B, b, scale_b, relief_b)
    warm = 1.0 if system.settings.is_warm_starting else 0.0
    put_vector(lane, FRICTION_WORLD, scale(vector3(manifold.friction_impulse), warm))
    lane[TWIST_IMPULSE * 8] = FLOAT32(manifold.twist_impulse * warm)
    lane[FRICTION * 8] = lists.friction
    lane[RESTITUTION * 8] = lists.restitution
    if manifold.flags & MANIFOLD_HAS_SETTINGS:
        lane[FRICTION * 8], lane[RESTITUTION * 8] = settings.friction, settings.restitution
    elif manifold.flags & MANIFOLD_HAS_MATERIAL:
        lane[FRICTION * 8], lane[RESTITUTION * 8] = combine_own_surfaces(system, a, b, manifold)
    if carries(manifold, a, b, h):
        note_load(system, manifold, normal, a, b, (scale_a > 0.0, scale_b > 0.0), lane[FRICTION * 8], lane[RESTITUTION * 8])
    lane[IMPACT * 8] = FLOAT32(IMPACT_GOES_ON if manifold.flags & MANIFOLD_HAD_IMPACT else 0.0)
    bias_rate, softness = softness_of(system, a, b, relief_a, relief_b, h, usual)
    lane[BIAS_RATE * 8] = FLOAT32(bias_rate)
    lane[SOFTNESS * 8] = FLOAT32(softness)
    lane[SPREAD * 8] = FLOAT32(SPREAD_OF_DISC if manifold.flags & MANIFOLD_IS_DISC else 1.0)
    lane[ALLOWED_OVERLAP * 8] = FLOAT32(allowed_overlap(system, a, b))
    lane[ROUNDING_A * 8] = manifold.rounding_a
    lane[ROUNDING_B * 8] = manifold.rounding_b
    lane[HALF_GAP * 8] = FLOAT32(half_gap_of(manifold, a, b))
    lane[PATCH * 8] = FLOAT32(patch_of(manifold, a, b, normal))
    for row in range(3):
        put_vector(frame, TURN_A + 3 * row, rows_a[row])
        put_vector(frame, TURNED_AWAY + 3 * row, subtract(rows_b[row], rows_a[row]))
    put_vector(frame, CENTER_B, center_b)
    # The separation of the anchors is n . (anchor_b - anchor_a + delta): the solver adds the anchors' part, the block has the
    # rest.
    apart = dot(normal, delta) - manifold.rounding_a - manifold.rounding_b
    for p in range(4):
        if p < manifold.point_count:
            first = POINTS + p * POINT_FIELDS
            put_vector(lane, first + POINT_ANCHOR_A, manifold.anchor[p])
            lane[(first + POINT_SEPARATION) * 8] = FLOAT32(manifold.separation[p] + apart)
            lane[(first + POINT_IMPULSE) * 8] = FLOAT32(manifold.normal_impulse[p] * warm)
            lane[(first + POINT_TOTAL_IMPULSE) * 8] = FLOAT32(0.0)
        else:
            clear_point(lane, p)


@kernel
def clear_point(lane, p):
    """Clear a point that does not exist."""
    at = (POINTS + p * POINT_FIELDS) * 8
    for number in range(POINT_FIELDS):
        lane[at + number * 8] = FLOAT32(0.0)
    lane[at + POINT_SEPARATION * 8] = FLOAT32(NO_POINT)


@kernel
def members_of_block(colours, block_index):
    """The manifolds of a block in this step: `(address of their numbers, int32, how many)`."""
    colour = OVERFLOW
    for c in range(COLOUR_COUNT):
        if block_index < colours.first_block[c + 1]:
            colour = c
            break
    inside = block_index - colours.first_block[colour]
    if colour == OVERFLOW:
        members, count = colours.overflow_blocks + 32 * inside, INT64(8)
        while load_int32(members + 4 * (count - 1)) < 0:
            count -= 1
        return members, count
    return colours.lists[colour] + 32 * inside, min(colours.counts[colour] - 8 * inside, INT64(8))


@kernel
def prefetch_manifolds(colours, manifolds, block_index):
    """Prefetch the manifolds of a later block: they are in no order."""
    members, count = members_of_block(colours, block_index)
    for k in range(count):
        prefetch_lines(address_of_record(manifolds[load_int32(members + 4 * k)]), MANIFOLD_LINES)


@kernel
def prefetch_bodies(colours, pairs, all_lists, manifolds, bodies, block_index):
    """Prefetch the pairs and bodies of a later block, whose manifolds were prefetched before."""
    members, count = members_of_block(colours, block_index)
    for k in range(count):
        manifold = manifolds[load_int32(members + 4 * k)]
        prefetch(address_of_record(pairs[manifold.pair]))
        prefetch(address_of_record(all_lists[manifold.pair]))
        prefetch_lines(address_of_record(bodies[manifold.body_a]), BODY_LINES)
        prefetch_lines(address_of_record(bodies[manifold.body_b]), BODY_LINES)


@kernel
def count_deep_contacts(system, block, lowest):
    """Add the deep manifolds of a block (see DEEP_PART) to the counts of their bodies. `lowest`: of `lowest_separation`. The
    highest push-out speed is shared among them: otherwise a body amid many others would leave with the sum of their speeds.
    Blocks of one colour share no moving body, and colours follow one another, so the counts are the same for any number of
    threads."""
    deep = where_less8(
        lowest * field(block, BIAS_RATE), splat8(FLOAT32(-DEEP_PART * system.settings.push_out_speed)),
        splat8(FLOAT32(1.0)), splat8(FLOAT32(0.0)),
    )  # fmt: skip
    if not is_any_above8(deep, splat8(FLOAT32(0.5))):
        return
    for lane in range(8):
        if lane8(deep, lane) > FLOAT32(0.5):
            for side, mass in ((ROW_A, MASS_A), (ROW_B, MASS_B)):
                row = load_int32(block + side * FIELD_SIZE + 4 * lane)
                weight = load_float32(block + mass * FIELD_SIZE + 4 * lane)
                weight += load_float32(block + (mass + 1) * FIELD_SIZE + 4 * lane)
                weight += load_float32(block + (mass + 2) * FIELD_SIZE + 4 * lane)
                if row > 0 and weight > FLOAT32(0.0):  # kinematic bodies are shared by the blocks of a colour
                    address = system.solver.rows + row * ROW_SIZE + 4 * DEEP_CONTACTS
                    store_float32(address, load_float32(address) + FLOAT32(1.0))


@kernel
def mark_impact(lane, a, b):
    """Mark the moving bodies of an impact. Return whether the lane is one, or carries a body that is part of one: contacts with
    static bodies are prepared last. Blocks of one colour share no moving body."""
    if lane[IMPACT * 8] == FLOAT32(0.0):
        return (a.flags | b.flags) & IS_HIT != 0
    if (a.flags | b.flags) & HAS_JOINT:  # joints pass on what follows: the impulse is needed again
        lane[IMPACT * 8] = FLOAT32(0.0)
        return False
    if a.inverse_mass > 0.0:
        a.flags |= IS_HIT
    if b.inverse_mass > 0.0:
        b.flags |= IS_HIT
    return True


@kernel
def prepare_block(system, colours, pairs, all_lists, manifolds, bodies, index, h, usual, frames):
    """Write one block. `frames` is scratch memory."""
    address = system.constraints.blocks + index * BLOCK_SIZE
    members, count = members_of_block(colours, index)
    most, has_wanderers, has_tapers, elastic = 0, False, False, 0
    for k in range(8):
        lane, whole = view(address + 4 * k, LANE_FLOATS, FLOAT32), view(address + 4 * k, LANE_FLOATS, INT32)
        frame = view(frames + 4 * k, FRAME_FLOATS - 7, FLOAT32)
        if k >= count:
            clear_lane(lane, whole, frame)
            continue
        number = load_int32(members + 4 * k)
        manifold = manifolds[number]
        a, b = bodies[manifold.body_a], bodies[manifold.body_b]
        prepare_lane(system, pairs[manifold.pair], all_lists[manifold.pair], manifold, number, a, b, lane, whole, frame, h, usual)
        most = max(most, manifold.point_count)
        has_wanderers |= manifold.flags & (MANIFOLD_WANDERS_A | MANIFOLD_WANDERS_B) != 0
        has_tapers |= manifold.flags & MANIFOLD_TAPERS != 0
        if lane[RESTITUTION * 8] > 0.0:
            elastic = max(elastic, JOINED if (a.flags | b.flags) & HAS_JOINT else 1)
    if elastic > 0 and system.solver.some_block_is_elastic == 0:
        system.solver.some_block_is_elastic = 1
    whole = view(address, BLOCK_FIELDS * 8, INT32)
    for k in range(8):
        whole[POINT_COUNT * 8 + k] = INT32(most)
        whole[IS_ELASTIC * 8 + k] = INT32(elastic)
    place_points(address, frames, most)
    if has_wanderers:
        for k in range(count):
            manifold = manifolds[load_int32(members + 4 * k)]
            a, b, lane = bodies[manifold.body_a], bodies[manifold.body_b], view(address + 4 * k, LANE_FLOATS, FLOAT32)
            follow_wanderers(manifold, a, b, lane, system.step.last_delta_time, h)
    prepare_friction(address, most)
    if has_tapers:
        for k in range(count):
            manifold = manifolds[load_int32(members + 4 * k)]
            if manifold.flags & MANIFOLD_TAPERS:
                measure_from_axis(manifold, view(address + 4 * k, LANE_FLOATS, FLOAT32))
    couple_points(address, most)
    lowest = lowest_separation(address, most)
    count_deep_contacts(system, address, lowest)
    fastest = measure_approach(address, system.solver.rows, most)
    note_impacts(address, fastest, system.solver.forces, system.settings.substep_count)
    has_impact = False
    for k in range(count):
        number = load_int32(members + 4 * k)
        manifold = manifolds[number]
        a, b = bodies[manifold.body_a], bodies[manifold.body_b]
        lane = view(address + 4 * k, LANE_FLOATS, FLOAT32)
        prepare_surfaces(system, manifold, number, a, b, lane)
        limit_squeezed(system, a, b, lane, lane8(lowest, k))
        has_impact |= mark_impact(lane, a, b)
    for k in range(8):
        whole[HAS_IMPACT * 8 + k] = INT32(has_impact)
    if has_impact and system.solver.some_block_has_impact == 0:
        system.solver.some_block_has_impact = 1


@entry_point(JOB_SIGNATURE)
def prepare_contacts(system_address, begin, end, worker):
    """Job: write blocks `begin` to `end - 1` from the manifolds of their colours. Reads bodies, their solver rows, pairs and
    manifolds; writes blocks."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    colours = colours_of(system)
    h = system.step.last_delta_time / system.settings.substep_count
    usual = softness_at(system, h, 1.0, 1.0, True), softness_at(system, h, 1.0, 1.0, False)
    frames = address_of_row(stack_array(FRAME_FLOATS, FLOAT32), 0)
    for index in range(begin, end):
        if index + 2 < end:
            prefetch_manifolds(colours, manifolds, index + 2)
        if index + 1 < end:
            prefetch_bodies(colours, pairs, all_lists, manifolds, bodies, index + 1)
        prefetch_block(system.constraints.blocks + (index + 1) * BLOCK_SIZE)
        prepare_block(system, colours, pairs, all_lists, manifolds, bodies, index, h, usual, frames)


@kernel
def settle_ahead(lane, manifold, normal):
    """Finish a contact made ahead of time: if the bodies met, it touches, else it is dropped."""
    total = FLOAT32(0.0)
    for p in range(manifold.point_count):
        total += manifold.total_normal_impulse[p]
        at = POINTS + p * POINT_FIELDS
        apart = dot(normal, subtract(get_vector(lane, at + POINT_ANCHOR_B), get_vector(lane, at + POINT_ANCHOR_A)))
        lane[(at + POINT_SEPARATION) * 8] = FLOAT32(-apart)
    if total == FLOAT32(0.0):
        manifold.point_count = 0


@entry_point(JOB_SIGNATURE)
def store_impulses(system_address, begin, end, worker):
    """Job: bring the impulses of blocks `begin` to `end - 1` back to their manifolds, for the next step and for reports."""
    system = system_at(system_address)
    manifolds, pairs = manifolds_of(system), pairs_of(system)
    for index in range(begin, end):
        for k in range(8):
            address = system.constraints.blocks + index * BLOCK_SIZE + 4 * k
            which = load_int32(address + MANIFOLD_INDEX * FIELD_SIZE)
            if which < 0:
                continue
            lane, manifold = view(address, LANE_FLOATS, FLOAT32), manifolds[which]
            manifold.flags &= ~np.uint16(MANIFOLD_HAD_IMPACT)
            if lane[IMPACT * 8] == FLOAT32(IMPACT_LASTS):
                manifold.flags |= np.uint16(MANIFOLD_HAD_IMPACT)
            for p in range(manifold.point_count):
                at = (POINTS + p * POINT_FIELDS) * 8
                manifold.normal_impulse[p] = lane[at + POINT_IMPULSE * 8]
                manifold.total_normal_impulse[p] = lane[at + POINT_TOTAL_IMPULSE * 8]
            tangent, normal = get_vector(lane, TANGENT), get_vector(lane, NORMAL)
            impulse = scale(tangent, np.float64(lane[FRICTION_IMPULSE * 8]))
            other = np.float64(lane[(FRICTION_IMPULSE + 1) * 8])
            store3(manifold.friction_impulse, add_scaled(impulse, cross(normal, tangent), other))
            manifold.twist_impulse = lane[TWIST_IMPULSE * 8]
            if manifold.flags & MANIFOLD_IS_AHEAD:
                settle_ahead(lane, manifold, normal)
            if asks_for_corners(manifold):
                pairs[manifold.pair].limit = FLOAT32(0.0)  # its points are chosen anew
