"""Phases of a sub-step: what all strips of a soft body do at once before the next phase begins.

    LOOK                find contacts
    CALM, BLOW          wind and drag, 240 times a second: on faces within strips, then on faces between strips
    MEASURE, PRESS, PRESS_BETWEEN    the pressure inside, if there is any
    MOVE, JOIN          the particles move, and edges within strips are solved; then edges between strips
    END                 tethers and contacts are solved, velocities computed

Most small steps have two phases, as END and the next MOVE are one. A phase of a strip writes nothing that another strip reads or
writes in that phase.
"""

import numpy as np

from ..bodies.records import system_at, world_at
from ..runtime.attributes import keep_as_call
from ..runtime.job_system import run_one_by_one
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .edges import renew_edges, solve_edges
from .faces import calm_air, find_air, has_air, has_pressure, press_faces, volume_under
from .nearby import box_candidates, renew_contacts
from .pushes import count_sharers, give_pushed, list_pushed, solve_planes, take_pushed, write_planes
from .schema import SOFT_BODY, SOFT_SPACE, STRIP
from .solving import finish, move_particles, take_velocities
from .tethers import solve_tethers

INT64, FLOAT64 = np.int64, np.float64
LOOK, CALM, BLOW, MEASURE, PRESS, PRESS_BETWEEN, MOVE, JOIN, END, END_AND_MOVE = range(10)


@kernel
def soft_at(address):
    """The SOFT_BODY at an address."""
    return view(address, 1, SOFT_BODY)[0]


@kernel
def space_of(soft):
    """The SOFT_SPACE of a soft body."""
    return view(soft.space, 1, SOFT_SPACE)[0]


@kernel
def sharers_of(system, soft):
    """How many strips push each rigid body: int64 by body."""
    return view(space_of(soft).sharers, world_at(system.world).body_capacity, INT64)


@kernel
def look(system, soft, strip, number):
    """Find the contacts of a strip for a sub-step."""
    renew_contacts(system, soft, strip)
    list_pushed(system, soft, strip, number)
    if system.step.substep == 0:
        renew_edges(soft, strip.own_begin, strip.own_end, soft.small)
        renew_edges(soft, strip.next_begin, strip.next_end, soft.small)


@kernel
def move(system, soft, strip, number):
    """Move the particles of a strip and solve the edges within it. The first small step takes the contacts of the sub-step."""
    if soft.small_step == 0:
        take_pushed(system, soft, strip, sharers_of(system, soft))
        write_planes(system, soft, strip, number)
    move_particles(soft, strip.place_begin, strip.place_end, soft.small)
    solve_edges(soft, strip.own_begin, strip.own_end)


@kernel
def end(system, soft, strip):
    """End the small step before `small_step` in a strip."""
    solve_tethers(system, soft, strip.place_begin, strip.place_end)
    solve_planes(system, soft, strip, soft.small, (soft.small_step - 1) * soft.small)
    take_velocities(soft, strip.place_begin, strip.place_end, soft.small)


@kernel
def blow_time(soft):
    """How long the wind and drag that are found now act [s]."""
    count = INT64(soft.substep / soft.small + 0.5)
    return min(soft.precision, count - soft.small_step) * soft.small


@kernel
def run_strip(system, soft, number):
    """Run the phase under way of one strip."""
    keep_as_call()
    strip, phase = view(soft.strips, soft.strip_count, STRIP)[number], soft.phase
    if phase == JOIN:
        solve_edges(soft, strip.next_begin, strip.next_end)
    elif phase == LOOK:
        look(system, soft, strip, number)
    elif phase == CALM:
        calm_air(soft, strip.place_begin, strip.place_end)
        find_air(soft, strip.face_begin, strip.face_end, blow_time(soft))
    elif phase == BLOW:
        find_air(soft, strip.next_face_begin, strip.next_face_end, blow_time(soft))
    elif phase == MEASURE:
        strip.volume = volume_under(soft, strip.face_begin, strip.face_end)
        strip.volume += volume_under(soft, strip.next_face_begin, strip.next_face_end)
    elif phase == PRESS:
        press_faces(soft, strip.face_begin, strip.face_end, soft.small)
    elif phase == PRESS_BETWEEN:
        press_faces(soft, strip.next_face_begin, strip.next_face_end, soft.small)
    else:
        if phase != MOVE:
            end(system, soft, strip)
        if phase != END:
            move(system, soft, strip, number)


@entry_point("void(int64, int64, int64, int64)")
def run_strips(address, begin, end_, worker):
    """Job over strips of a soft body: the phase under way."""
    soft = soft_at(address)
    system = system_at(space_of(soft).system)
    for number in range(begin, end_):
        run_strip(system, soft, number)


@kernel
def run_phase(system, address, phase, is_shared):
    """Run a phase of all strips of a soft body."""
    soft = soft_at(address)
    soft.phase = phase
    if is_shared and soft.strip_count > 1:
        run_one_by_one(system.step.job_system, True, space_of(soft).strip_job, address, soft.strip_count)
    else:
        for number in range(soft.strip_count):
            run_strip(system, soft, number)


@kernel
def begin_substep(system, address, count, h, is_shared):
    """Begin a sub-step of `h` [s] with `count` small steps."""
    keep_as_call()
    soft = soft_at(address)
    soft.substep, soft.small, soft.small_step = h, h / count, 0
    soft.since_found = 0.0 if system.step.substep == 0 else soft.since_found + h
    box_candidates(system, soft, 2.0 * h)
    run_phase(system, address, LOOK, is_shared)
    count_sharers(soft, sharers_of(system, soft), 1)


@kernel
def press_and_blow(system, address, is_shared):
    """Apply wind, drag and pressure in a small step."""
    soft = soft_at(address)
    if blows(soft):
        run_phase(system, address, CALM, is_shared)
        if soft.strip_count > 1:
            run_phase(system, address, BLOW, is_shared)
    if has_pressure(soft):
        run_phase(system, address, MEASURE, is_shared)
        strips, volume = view(soft.strips, soft.strip_count, STRIP), 0.0
        for number in range(soft.strip_count):
            volume += strips[number].volume
        soft.volume = volume
        run_phase(system, address, PRESS, is_shared)
        if soft.strip_count > 1:
            run_phase(system, address, PRESS_BETWEEN, is_shared)


@kernel
def blows(soft):
    """Whether wind and drag are found in this small step."""
    return has_air(soft) and soft.small_step % soft.precision == 0


@kernel
def begin_small_step(system, address, number, is_shared):
    """End the small step before, move the particles and solve the edges."""
    keep_as_call()
    soft = soft_at(address)
    soft.small_step = number
    if number > 0 and not blows(soft) and not has_pressure(soft):
        run_phase(system, address, END_AND_MOVE, is_shared)
    else:
        if number > 0:
            run_phase(system, address, END, is_shared)
        press_and_blow(system, address, is_shared)
        run_phase(system, address, MOVE, is_shared)
    if soft.strip_count > 1:
        run_phase(system, address, JOIN, is_shared)


@kernel
def end_substep(system, address, count, is_shared):
    """End the last of `count` small steps, and the sub-step."""
    keep_as_call()
    soft = soft_at(address)
    soft.small_step = count
    run_phase(system, address, END, is_shared)
    give_pushed(system, soft)
    count_sharers(soft, sharers_of(system, soft), -1)
    strips = view(soft.strips, soft.strip_count, STRIP)
    for number in range(soft.strip_count):
        if strips[number].to_wake != 0:
            soft.to_wake = strips[number].to_wake
    if system.step.substep == system.settings.substep_count - 1:
        finish(system, soft)
